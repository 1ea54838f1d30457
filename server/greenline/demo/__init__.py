"""The demonstration: a small editor that drives the server over a bundled sample project."""
