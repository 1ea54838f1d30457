"""Words of code as numbers: every word of many texts is split, folded and hashed in one pass of numpy.

Words end at what is neither letter nor digit, between letters and digits, and at humps of camelCase; an
acronym keeps its letters (`HTTPServer` is `http`, `server`). Bytes beyond ASCII count as lower-case letters.
The hashes are part of the trained model: any change here needs new weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 6000
"""How much of one text is read."""

_N_PREFIX = 5
_GAP = b"\0\0\0"
_SEPARATOR, _LOWER, _UPPER, _DIGIT = 0, 1, 2, 3


def _classes() -> NDArray[np.uint8]:
    table = np.full(256, _SEPARATOR, np.uint8)
    table[ord("a") : ord("z") + 1] = _LOWER
    table[128:] = _LOWER
    table[ord("A") : ord("Z") + 1] = _UPPER
    table[ord("0") : ord("9") + 1] = _DIGIT
    return table


def _starts_word(before: int, here: int, after: int, then: int) -> bool:
    if here == _SEPARATOR:
        return False
    if before == _SEPARATOR or (here == _DIGIT) != (before == _DIGIT):
        return True
    if here != _UPPER:
        return False
    # The last capital of an acronym belongs to the next word only where two small letters follow,
    # so that the plural in `URLs` does not split.
    return before == _LOWER or (before == _UPPER and after == _LOWER and then == _LOWER)


_CLASS = _classes()
_STARTS = bytes(_starts_word(code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3) for code in range(256))
_POWER = np.array([pow(0x9E3779B97F4A7C15, k + 1, 1 << 64) for k in range(64)], np.uint64)
_POWER32 = (_POWER >> np.uint64(32)).astype(np.uint32) | np.uint32(1)


@attrs.frozen(eq=False)
class Words:
    """Every word of a batch of texts, in the order of the texts."""

    hashes: NDArray[np.uint32]
    texts: NDArray[np.int64]
    """Number of the text that the word stands in."""
    in_header: NDArray[np.bool_]
    """Whether the word stands in its text's first line, where a further line follows."""
    letters: NDArray[np.uint8]
    """All words' folded letters, one word after the other."""
    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]

    def prefixes(self, which: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return hashes of the first five letters of the words numbered `which`."""
        found = np.zeros(len(which), np.uint64)
        last = len(self.letters) - 1
        for k in range(_N_PREFIX):
            letter = self.letters[np.minimum(self.starts[which] + k, last)]
            found += np.where(self.lengths[which] > k, letter, 0).astype(np.uint64) * _POWER[k]
        return found


def read_words(texts: Sequence[str]) -> Words:
    """Split and hash the words of all texts."""
    pieces = [text.encode("utf-8", "replace")[:MAX_BYTES] for text in texts]
    offsets = np.cumsum([0, *(len(piece) + len(_GAP) for piece in pieces)])
    data = np.frombuffer(_GAP.join(pieces) + _GAP, np.uint8)
    classes = _CLASS.take(data)
    starts = _word_starts(classes)
    at = np.flatnonzero(starts)
    inside = classes > _SEPARATOR
    letters = data[inside] | np.uint8(0x20)
    first = np.flatnonzero(starts[inside]).astype(np.int32)
    lengths = np.diff(first, append=np.int32(len(letters)))
    number = np.repeat(np.arange(len(pieces)), np.diff(np.searchsorted(at, offsets)))
    header_ends = np.array([piece.find(b"\n") for piece in pieces], np.int64) + offsets[:-1]
    return Words(
        hashes=_hash(letters, first, lengths),
        texts=number,
        in_header=at < header_ends[number],
        letters=letters,
        starts=first,
        lengths=lengths,
    )


def _word_starts(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    code = classes << np.uint8(4)
    code[1:] |= classes[:-1] << np.uint8(6)
    code[:-1] |= classes[1:] << np.uint8(2)
    code[:-2] |= classes[2:]
    return np.frombuffer(code.tobytes().translate(_STARTS), np.bool_)


def _hash(
    letters: NDArray[np.uint8], first: NDArray[np.int32], lengths: NDArray[np.int32]
) -> NDArray[np.uint32]:
    if not len(first):
        return np.zeros(0, np.uint32)
    position = np.arange(len(letters), dtype=np.int32)
    position -= np.repeat(first, lengths)
    weighted = _POWER32.take(np.minimum(position, len(_POWER32) - 1))
    weighted *= letters
    return np.add.reduceat(weighted, first, dtype=np.uint32)
