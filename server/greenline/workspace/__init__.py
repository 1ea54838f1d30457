"""Roots, open documents, exact text and frozen snapshots."""
