"""Options (all optional) to Settings (frozen, complete)."""
