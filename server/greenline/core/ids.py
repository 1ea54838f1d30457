"""Identifiers: short, sortable by time of creation, safe in file names and on a command line."""

from __future__ import annotations

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(prefix: str) -> str:
    """Return `prefix-` followed by 9 characters of time and 5 of chance (Crockford's base 32)."""
    millis = time.time_ns() // 1_000_000
    clock = "".join(_ALPHABET[(millis >> shift) & 31] for shift in range(40, -1, -5))
    chance = "".join(secrets.choice(_ALPHABET) for _ in range(5))
    return f"{prefix}-{clock}{chance}"
