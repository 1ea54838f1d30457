"""Which lines of a Java file are code, and what shows that a test ran them; pure.

A line of a method counts as run where a line of the same statement is executed, the head of a method where
its body is, and the value of a field where a method of the file reads its name: the compiler may write a
constant into its readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from greenline.verify.java_text import Member, bare, members

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_TEXT = re.compile(r"\w|[\"']")
_EMPTY = frozenset({"else", "try", "do", "finally", "default"})
"""Words that leave no trace where they stand alone."""
_ENDS = re.compile(r"[;{}]")


def java_lines(source: bytes) -> dict[int, frozenset[int]]:
    """Return 1-based line of code → the lines whose execution shows that it ran, itself among them."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = _Lines(text)
    inside: dict[str, set[int]] = {}
    found: dict[int, frozenset[int]] = {}
    every = members(text)
    for member in every:
        if member.kind in ("method", "block"):
            body = lines.statements(member)
            for number, witnesses in body.items():
                found[number] = _joined(found.get(number), witnesses)
            whole = frozenset(body)
            inside.setdefault(member.owner, set()).update(whole)
            for number in lines.between(member.start, member.body):
                found[number] = found.get(number, frozenset({number})) | whole
    readers = lines.readers(set().union(*inside.values()))
    for member in every:
        if member.kind == "field":
            own = frozenset(lines.between(member.start, member.end))
            used = (readers.get(name, frozenset()) for name in member.name.split())
            witnesses = own.union(*used)
            found.update((number, _joined(found.get(number), witnesses)) for number in own)
        elif member.kind == "class":
            within = [ns for owner, ns in inside.items() if f"{owner}.".startswith(f"{member.place}.")]
            for number in lines.between(member.start, member.body):
                found[number] = found.get(number, frozenset({number})).union(*within)
    return found


def _joined(known: frozenset[int] | None, more: frozenset[int]) -> frozenset[int]:
    """Return both together. A table of thousands of lines is one statement, whose lines share one set."""
    return more if known is None or known is more else known | more


class _Lines:
    """A text by lines."""

    def __init__(self, text: str) -> None:
        self._plain = bare(text)
        self._lines = self._plain.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def between(self, start: int, end: int) -> Iterator[int]:
        """Yield the lines between two places that hold code."""
        first, last = self._number(start), self._number(max(start, end - 1))
        for number in range(first, last + 1):
            piece = self._plain[max(start, self._starts[number - 1]) : min(end, self._starts[number] - 1)]
            words = set(_WORD.findall(piece))
            if _TEXT.search(piece) and (not words or words - _EMPTY):
                yield number

    def statements(self, member: Member) -> dict[int, frozenset[int]]:
        """Return the lines of a body, each with those of the statements that it holds a part of."""
        found: dict[int, frozenset[int]] = {}
        start = member.body + 1
        ends = [m.start() for m in _ENDS.finditer(self._plain, start, member.end)]
        for end in ends:
            text = self._plain[start:end]
            begin = start + len(text) - len(text.lstrip())
            own = frozenset(self.between(begin, end)) if text.strip() else frozenset()
            for number in own:
                found[number] = _joined(found.get(number), own)
            start = end + 1
        return found

    def readers(self, numbers: set[int]) -> dict[str, frozenset[int]]:
        """Return name → those of the lines that it stands in."""
        found: dict[str, set[int]] = {}
        for number in numbers:
            for name in set(_WORD.findall(self._lines[number - 1])):
                found.setdefault(name, set()).add(number)
        return {name: frozenset(where) for name, where in found.items()}

    def _number(self, place: int) -> int:
        low, high = 0, len(self._starts) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._starts[middle] <= place else (low, middle)
        return low + 1
