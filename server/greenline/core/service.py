"""A service that tests need, such as a database, as the user describes it."""

from __future__ import annotations

import attrs

HOST = "host"
"""Stands for this machine's own programs in the place of an image."""


@attrs.frozen
class Service:
    """One container beside the tests."""

    name: str
    image: str
    """An image on the engine, or `host`."""
    port: int
    """Where it listens; tests find it at the same port of their own loopback."""
    command: tuple[str, ...] = ()
    """What to run; empty: what the image says."""
    environment: tuple[tuple[str, str], ...] = ()
    memory_mb: int = 1024
    """Of its folders in memory too, which hold all that it writes."""
    ready_s: float = 60.0
    """How long it may take until it listens."""
