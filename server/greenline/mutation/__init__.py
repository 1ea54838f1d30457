"""Small edits of Python's syntax trees: what a repair tries, and what tests are to notice."""
