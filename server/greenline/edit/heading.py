"""Judges whether a line stands below the heading that a hunk's header names, as diff programs find it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from greenline.edit.tolerance import plain

_TOP = re.compile(r"[A-Za-z_$]")
_DEFINITION = re.compile(r"[ \t]*(?:class|(?:async[ \t]+)?def)[ \t]")


def stands_after(lines: Sequence[str], row: int, headings: Sequence[str]) -> bool:
    """Return whether lines that begin with `headings` stand above the line `row`, in their order."""
    position = 0
    for heading in headings:
        above = range(position, min(row, len(lines)))
        found = next((n for n in above if plain(lines[n].strip()).startswith(plain(heading))), None)
        if found is None:
            return False
        position = found + 1
    return True


def stands_below(lines: Sequence[str], row: int, heading: str) -> bool:
    """Return whether `heading` is what a diff program, or a person, would name for a hunk at `row`."""
    wanted = heading.strip()
    first = wanted.split(None, 1)[0] if wanted else ""
    seen: set[str] = set()
    for number in range(min(row, len(lines)) - 1, -1, -1):
        line = lines[number]
        text = line.strip()
        kinds = []
        if _TOP.match(line):
            kinds.append("top")
        if _DEFINITION.match(line):
            kinds.append("definition")
        if text.split(None, 1)[:1] == [first]:
            indent = len(line) - len(line.lstrip())
            kinds.append(f"{first} {indent}")
        for kind in kinds:
            if kind not in seen and text.startswith(wanted):
                return True
            seen.add(kind)
    return False
