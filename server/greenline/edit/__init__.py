"""Formats to EditSet to hunks; pure, no I/O."""
