"""How many tokens of a language model a text is, estimated without any model's table.

Four characters of a word, or one other mark, or one line end is a token: for code this lies above what byte
pair encodings need, so a chunk of 400 tokens here fits into 400 of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_TOKENS = 400
"""The most that a chunk's text may hold."""

_SPACE = b" \t\r\n\f\v"
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_MARK = bytes(code for code in range(128) if code not in _SPACE and code not in _WORD)
_NOT_ASCII = bytes(range(128, 256))
_NOT_WORD = _SPACE + _MARK + _NOT_ASCII


def count_tokens(data: bytes) -> int:
    """Return the estimate for UTF-8 text."""
    return (_quarters(data) + 3) // 4


def line_quarters(lines: Sequence[bytes]) -> list[int]:
    """Return each line's quarters of a token, so that a part's estimate is a sum of its lines'."""
    return [_quarters(line) for line in lines]


def _quarters(data: bytes) -> int:
    n_word = len(data.translate(None, _NOT_WORD))
    n_mark = len(data.translate(None, _WORD + _SPACE))
    if not data.isascii():
        # A character of three bytes is about one token, and those bytes were counted as three marks.
        n_foreign = len(data.translate(None, _MARK + _WORD + _SPACE))
        return n_word + 4 * (n_mark - n_foreign) + 2 * n_foreign + 4 * data.count(b"\n")
    return n_word + 4 * n_mark + 4 * data.count(b"\n")
