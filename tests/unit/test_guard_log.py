"""Logs: what a library logs of a key is masked, in messages and in tracebacks."""

from __future__ import annotations

import io
import logging

from greenline.guard.log import MaskingFormatter
from greenline.guard.secrets import MASK, masking

KEY = "FAKE-key-0123456789-abcdefABCDEF"


def test_key_reaches_no_log() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MaskingFormatter(masking((KEY,))))
    logger = logging.getLogger("some.library")
    logger.addHandler(handler)
    try:
        logger.warning("called with %s", {"api_key": KEY})
        try:
            raise ValueError(f"bad key {KEY}")
        except ValueError:
            logger.exception("failed")
    finally:
        logger.removeHandler(handler)

    text = stream.getvalue()
    assert KEY[:9] not in text
    assert text.count(MASK) >= 2
    assert "Traceback" in text
