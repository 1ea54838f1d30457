"""Base and patched runs, test reports, evidence and verdict."""
