"""Logs without secrets: whatever is logged, tracebacks included, is masked as it is written."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TextIO


class MaskingFormatter(logging.Formatter):
    """Formats records and masks the whole text, which may come from any library."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, with its traceback, masked."""
        return self._mask(super().format(record))


def log_to(stream: TextIO, mask: Callable[[str], str], level: str) -> None:
    """Send every logger of this process to `stream`, masked; `level` is a name such as `info`."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MaskingFormatter(mask))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
