"""When a busy server is asked again: what its `Retry-After` says, or a growing wait; bounded."""

from __future__ import annotations

import random
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

RETRY_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Answers that another try can better; a refused key or a bad request is none of them."""
MAX_TRIES = 4
MAX_WAIT_S = 30.0
_FIRST_WAIT_S = 0.5


def wait_before(error: Exception, attempt: int, now: float | None = None) -> float | None:
    """Return how many seconds to wait before the next try, or None where another try makes no sense.

    `attempt` counts from 1; `now` is in seconds since the epoch. A server that asks for more than
    `MAX_WAIT_S` is not asked again.
    """
    status = getattr(error, "status_code", None)
    if attempt >= MAX_TRIES or status not in RETRY_STATUS:
        return None
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    asked = seconds_asked(str(headers.get("retry-after") or ""), time.time() if now is None else now)
    if asked is not None:
        return asked if asked <= MAX_WAIT_S else None
    # Clients that were turned away together must not come back together.
    return float(min(MAX_WAIT_S, _FIRST_WAIT_S * 2.0 ** (attempt - 1)) * random.uniform(1.0, 1.25))


def seconds_asked(header: str, now: float) -> float | None:
    """Return the wait that a `Retry-After` header asks for, as seconds or as an HTTP date, or None."""
    text = header.strip()
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds < float("inf") else None
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        # A date without a zone, and one in `-0000`, is meant as UTC.
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
