"""How many tokens of a language model a text is, estimated without any model's table.

The weights were set on the chunks of two repositories in twelve languages, against a byte pair encoding of
100,000 entries: the estimate is above it for 95 of 100 chunks, by 15 % at the median.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MAX_TOKENS = 400
"""The most that a chunk's text may hold."""


def _quarters_of(code: int) -> int:
    character = chr(code)
    if code >= 128:
        return 4
    if character.isalpha():
        return 1
    if character.isdigit():
        return 2
    return 0 if character in " \t\r\f\v" else 3


_QUARTERS = bytes(_quarters_of(code) for code in range(256))


def count_tokens(data: bytes) -> int:
    """Return the estimate for UTF-8 text."""
    return (sum(data.translate(_QUARTERS)) + 3) // 4


def quarters_before(data: bytes, offsets: Sequence[int]) -> list[int]:
    """Return how many quarters of a token lie before each offset; a range's estimate is a difference."""
    sums = np.zeros(len(data) + 1, dtype=np.uint32)
    np.cumsum(np.frombuffer(data.translate(_QUARTERS), dtype=np.uint8), dtype=np.uint32, out=sums[1:])
    found: list[int] = sums[np.asarray(offsets, dtype=np.int64)].tolist()
    return found
