"""Containers: the only place where project code runs."""
