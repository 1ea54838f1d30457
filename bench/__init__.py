"""Measurements beside peers; `python -m bench` prints them."""
