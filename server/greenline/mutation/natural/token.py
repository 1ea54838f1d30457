"""Runs of tokens around an edit, in two readings: by their words, and by which names are the same.

Code is repetitive enough that short runs of tokens tell usual from unusual text (Hindle et al., On the
Naturalness of Software, ICSE 2012), and faulty lines are less usual than mended ones (Ray et al., On the
Naturalness of Buggy Code, ICSE 2016).
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Sequence

import attrs

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<text>[rbfuRBFU]{0,2}(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<line>\n[\ \t]*)|(?P<blank>[ \t\r\f]+)
    |(?P<sign>\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^=<>!:@]=|->|\.\.\.|.)""",
    re.DOTALL | re.VERBOSE,
)
"""Unlike `tokenize`, it takes a window that begins within a bracket or below an indentation."""
_KNOWN = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"self", "cls"}
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_LINES_AROUND = 2
_LONGEST_WINDOW = 4000
_LONGEST_OF_WORDS = 4
_LONGEST_OF_SHAPES = 7
_OPEN = "\0"
"""Begins a name whose spelling does not count, only where it stands again."""


@attrs.frozen
class _Token:
    text: str
    """As it stands; of a line's end, how the depth changes."""
    word: str
    shape: str


def runs(data: str, start: int, end: int, replacement: str) -> Counter[str]:
    """Return run → how many more of it there are once characters `start` … `end` are `replacement`."""
    first, last = _window(data, start, end)
    if last - first + len(replacement) > _LONGEST_WINDOW:
        # A line of data; and a quote that stays open costs the square of what follows.
        return Counter()
    before = _tokens(data[first:last])
    after = _tokens(data[first:start] + replacement + data[end:last])
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    left = shorter - head
    tail = next((n for n in range(left) if before[-1 - n] != after[-1 - n]), left)
    found: Counter[str] = Counter()
    found.update(_runs(after, head, len(after) - tail))
    found.subtract(_runs(before, head, len(before) - tail))
    return found


def last_word(name: str) -> str:
    """Return the last word of a name that is put together: `row_count` and `rowCount` end in `count`."""
    parts = _PART.findall(name)
    return parts[-1].lower() if parts else name


def _window(data: str, start: int, end: int) -> tuple[int, int]:
    """Return where the lines around an edit begin and end."""
    first, last = data.rfind("\n", 0, start), data.find("\n", end)
    for _ in range(_LINES_AROUND):
        first = data.rfind("\n", 0, first) if first > 0 else -1
        last = data.find("\n", last + 1) if last >= 0 else -1
    return max(first, 0), len(data) if last < 0 else last


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    depth, previous = -1, ""
    for match in _TOKEN.finditer(text):
        kind, own = match.lastgroup, match.group()
        if kind in ("comment", "blank"):
            continue
        if kind == "line":
            width = len(own[1:].expandtabs())
            change = "\n=" if depth in (-1, width) else "\n>" if width > depth else "\n<"
            if found and found[-1].text[0] == "\n":
                found.pop()
            depth, own = width, change
            found.append(_Token(change, change, change))
        elif kind == "name" and own not in _KNOWN:
            word = f".{own}" if previous == "." else last_word(own)
            found.append(_Token(own, word, _OPEN + own))
        elif kind == "number":
            found.append(
                _Token(own, own if len(own) < 3 else "NUMBER", own if own in ("0", "1", "2") else "N")
            )
        elif kind == "text":
            bare = own.lstrip("rbfuRBFU")
            found.append(_Token(own, "''" if len(bare) == 2 else "S1" if len(bare) == 3 else "S", "S"))
        else:
            found.append(_Token(own, own, own))
        previous = own
    return found


def _runs(tokens: Sequence[_Token], first: int, last: int) -> list[str]:
    """Return the runs that hold a token of `first` … `last`, or, where that is empty, the place itself."""
    found = []
    words, shapes = [token.word for token in tokens], [token.shape for token in tokens]
    for length in range(1, _LONGEST_OF_SHAPES + 1):
        for start in range(max(0, first - length + 1), min(max(last, first), len(tokens) - length + 1)):
            if first == last and not start < first:
                continue
            if length <= _LONGEST_OF_WORDS:
                found.append(f"w{length} " + " ".join(words[start : start + length]))
            found.append(f"s{length} " + _same_names(shapes[start : start + length]))
    return found


def _same_names(shapes: Sequence[str]) -> str:
    known: dict[str, int] = {}
    return " ".join(
        f"v{known.setdefault(shape, len(known))}" if shape[0] == _OPEN else shape for shape in shapes
    )
