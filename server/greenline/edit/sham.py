"""Tells an edit in no readable form from a file's text, so that none is overwritten with words about it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence

_DIFF = re.compile(r"(?:diff|patch|udiff)\b", re.IGNORECASE)
_SHOWS_EDITS = re.compile(r"\.(?:diff|patch|md|mdx|rst|adoc|txt|log)$", re.IGNORECASE)
"""Files that may well hold a diff, markers of a conflict or a traceback."""
_HUNK = re.compile(r"\s*@@+ -\d+(?:,\d+)? \+\d")
_OLD, _NEW = re.compile(r"\s*--- \S"), re.compile(r"\s*\+\+\+ \S")
_OPENS = re.compile(r"\s{0,3}(?:<{3,} ?[A-Za-z]+|-{3,} ?SEARCH)\b", re.IGNORECASE)
_CLOSES = re.compile(r"\s{0,3}(?:>{3,} ?[A-Za-z]+|\+{3,} ?REPLACE)\b", re.IGNORECASE)
_PAIRS = (
    (
        re.compile(r"(?i)(?:search|original|before|old) ?:\s*\|?$"),
        re.compile(r"(?i)(?:replace|updated|after|new) ?:\s*\|?$"),
    ),
    (re.compile(r"(?i)<(?:search|original|old)>"), re.compile(r"(?i)<(?:replace|updated|new)>")),
)
_KEYS = ({"search", "replace"}, {"old_string", "new_string"}, {"old_str", "new_str"})
_SED = re.compile(r"\d*,?\d*s([/|#,]).*\1.*\1[gip\d]*$")
_TRACEBACK = "Traceback (most recent call last):"


def looks_like_edit(info: str, path: str, content: Sequence[str]) -> bool:
    """Return whether a fence's content is plainly an edit, or a program's words, and not the file `path`."""
    lines = [line for line in content if line.strip()]
    if _SHOWS_EDITS.search(path) or not lines:
        return False
    if _DIFF.match(info) or any(map(_HUNK.match, lines)) or _has_header(lines):
        return True
    if any(map(_OPENS.match, lines)) and any(map(_CLOSES.match, lines)):
        return True
    kinds = {line[0] for line in lines}
    if {"+", "-"} <= kinds and kinds <= {"+", "-", " "}:
        return True
    words = [line.strip() for line in lines]
    if any(any(map(old.match, words)) and any(map(new.match, words)) for old, new in _PAIRS):
        return True
    return words[0] == _TRACEBACK or all(map(_SED.match, words)) or _is_json_edit("\n".join(content))


def _has_header(lines: Sequence[str]) -> bool:
    return any(_OLD.match(a) and _NEW.match(b) for a, b in itertools.pairwise(lines))


def _is_json_edit(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) and keys <= item.keys() for item in items for keys in _KEYS)
