"""Durable runs in one SQLite file."""
