"""Tests of JavaScript, TypeScript and Go of which only tables of cases gained rows, in any layout; pure.

No parser: a text is taken apart into words and brackets. A table is what stands in brackets behind `range`,
`of` or `.each(`, before `.forEach`, or behind a name that is walked in such a way and read in no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

_WORDS = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[\w$]+|:=|=>|[=!<>]=+|\.\.\.|\S",
    re.S,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_WALKS = frozenset({"range", "of"})
_GIVES = frozenset({"=", ":="})
_STOPS = frozenset({"return", "for", "if", "in", "case", "else", "new", "await"})
_SIDE_EFFECT = re.compile(
    r"(?<![=!<>])=(?!=)|\+\+|--|\b(?:func|function|return|skip|Skip|only|todo)\b|=>|//|/\*"
)
"""What a row may not bring: it runs, or says that a case is none."""


@attrs.frozen
class _Group:
    """What stands between two brackets."""

    opening: str
    items: tuple[_Item, ...]


_Item = str | _Group


@attrs.frozen
class _Place:
    """Where a group stands: what is around it, and the words before that."""

    items: Sequence[_Item]
    index: int
    before: Sequence[_Item]
    """What is before the bracket around `items`."""


def has_more_rows(old: str, new: str) -> bool:
    """Return whether two texts of a test differ by layout and by added rows alone."""
    before, after = _parsed(old), _parsed(new)
    if before is None or after is None:
        return False
    words = _WORDS.findall(new)
    return _is_longer(before, after, (), words)


def _parsed(text: str) -> tuple[_Item, ...] | None:
    # A call that is given without its opening bracket ends with a closing one.
    stack: list[tuple[str, list[_Item]]] = [("", [])]
    for word in _WORDS.findall(text):
        if word in _PAIRS:
            stack.append((word, []))
        elif word in _PAIRS.values() and len(stack) > 1:
            opening, items = stack.pop()
            if _PAIRS[opening] != word:
                return None
            # A comma before the end is layout.
            stack[-1][1].append(_Group(opening, tuple(items[:-1] if items[-1:] == [","] else items)))
        else:
            stack[-1][1].append(word)
    return tuple(stack[0][1]) if len(stack) == 1 else None


def _is_longer(
    old: Sequence[_Item], new: Sequence[_Item], before: Sequence[_Item], words: Sequence[str]
) -> bool:
    if len(old) != len(new):
        return False
    for index, (one, other) in enumerate(zip(old, new, strict=True)):
        if one == other:
            continue
        if not isinstance(one, _Group) or not isinstance(other, _Group) or one.opening != other.opening:
            return False
        place = _Place(new, index, before)
        if _is_grown(one, other, place, words):
            continue
        if not _is_longer(one.items, other.items, new[:index], words):
            return False
    return True


def _is_grown(old: _Group, new: _Group, place: _Place, words: Sequence[str]) -> bool:
    if not old.items or old.opening == "(" or not _is_table(place, words):
        return False
    left = list(_rows(old))
    added = []
    for row in _rows(new):
        if left and row == left[0]:
            del left[0]
        else:
            added.append(row)
    keys = [row[0] for row in _rows(new) if row[1:2] == (":",)]
    return not left and len(keys) == len(set(keys)) and not any(map(_runs, added))


def _is_table(place: _Place, words: Sequence[str]) -> bool:
    items, index = place.items, place.index
    if items[index + 1 : index + 3] in ((".", "forEach"), [".", "forEach"]):
        return True
    at = index - 1
    while at >= 0 and _is_of_type(items, at):
        at -= 1
    if at < 0:
        return tuple(place.before[-2:]) in ((".", "each"), (".", "entries"))
    if items[at] in _WALKS:
        return True
    name = items[at - 1] if at else ""
    return items[at] in _GIVES and isinstance(name, str) and _is_only_walked(name, words)


def _is_of_type(items: Sequence[_Item], index: int) -> bool:
    """Return whether an item may be a part of the type that stands before a literal."""
    item = items[index]
    if isinstance(item, str):
        return item in ("*", ".") or (item[0].isalpha() and item not in _WALKS | _STOPS)
    return item.opening == "[" or (item.opening == "{" and index > 0 and items[index - 1] == "struct")


def _is_only_walked(name: str, words: Sequence[str]) -> bool:
    n_walked = 0
    for index, word in enumerate(words):
        if word == name:
            behind = words[max(0, index - 3) : index]
            walks = behind[-1:] and behind[-1] in _WALKS
            given = words[index + 1 : index + 2] and words[index + 1] in _GIVES
            each = behind[-3:] in ([".", "each", "("], [".", "entries", "("])
            if not (walks or given or each or words[index + 1 : index + 3] == [".", "forEach"]):
                return False
            n_walked += not given
    return n_walked > 0


def _rows(table: _Group) -> Iterator[tuple[_Item, ...]]:
    row: list[_Item] = []
    for item in table.items:
        if item == ",":
            yield tuple(row)
            row = []
        else:
            row.append(item)
    yield tuple(row)


def _runs(row: tuple[_Item, ...]) -> bool:
    return not row or _SIDE_EFFECT.search(_text(row)) is not None


def _text(items: Sequence[_Item]) -> str:
    parts = (
        item if isinstance(item, str) else f"{item.opening}{_text(item.items)}{_PAIRS[item.opening]}"
        for item in items
    )
    return " ".join(parts)
