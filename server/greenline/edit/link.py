"""Which hunks need which: a use needs the hunk that introduces its name, a removal that of the last use.

Pure. What cannot be read links nothing; no link is a promise that two hunks are independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import attrs

from greenline.core.edit import Hunk
from greenline.edit.fact import Facts, facts_of
from greenline.edit.text import split_lines


@attrs.frozen
class ChangedText:
    """One file of a change with its hunks, which are in order and belong to these texts."""

    path: str
    before: str | None
    """None where the file is created."""
    after: str | None
    """None where the file is deleted."""
    hunks: tuple[Hunk, ...]
    moved_from: str | None = None


def linked(texts: Sequence[ChangedText]) -> tuple[Hunk, ...]:
    """Return all hunks in order, each with the ids of those that it needs."""
    needs: dict[str, dict[str, None]] = {h.id: {} for text in texts for h in text.hunks}
    olds, news = ([_Side.of(text, number) for text in texts] for number in (0, 1))
    for old, new in zip(olds, news, strict=True):
        for user, binder in _within(new, old):
            needs[user][binder] = None
        for user, binder in _within(old, new):
            needs[binder][user] = None
    for user, binder in _across(news, olds):
        needs[user][binder] = None
    for user, binder in _across(olds, news):
        needs[binder][user] = None
    for one, other in _moves(texts):
        needs[one][other] = needs[other][one] = None
    return tuple(
        attrs.evolve(hunk, needs=tuple(n for n in needs[hunk.id] if n != hunk.id))
        for text in texts
        for hunk in text.hunks
    )


@attrs.frozen
class _Side:
    """One file as it was or as it will be: its names, and which hunk each line is in."""

    path: str
    facts: Facts
    hunks: Mapping[int, str]
    """Line → id of the hunk that it is in."""

    @classmethod
    def of(cls, text: ChangedText, number: int) -> _Side:
        """Return the side before (0) or after (1)."""
        content = (text.before, text.after)[number] or ""
        owners: dict[int, str] = {}
        shift = 0
        for hunk in text.hunks:
            height = len(split_lines(hunk.after))
            rows = (
                range(hunk.start_line, hunk.end_line),
                range(hunk.start_line + shift, hunk.start_line + shift + height),
            )[number]
            owners.update(dict.fromkeys(rows, hunk.id))
            shift += height - (hunk.end_line - hunk.start_line)
        return cls(text.path, facts_of(text.path, content), owners)

    def owners(self, lines: set[int]) -> set[str] | None:
        """Return the hunks that all of these lines are in, or None where one is in none."""
        found = {self.hunks.get(line) for line in lines}
        return None if None in found else {hunk for hunk in found if hunk is not None}

    @property
    def stem(self) -> str:
        """The name under which other files import this one."""
        pure = PurePosixPath(self.path)
        return pure.parent.name if pure.stem in ("__init__", "index", "mod") else pure.stem


def _within(side: _Side, other: _Side) -> Iterator[tuple[str, str]]:
    """Yield (user, binder) of one file: the use has its meaning from that hunk alone."""
    facts = side.facts
    for line, key in facts.used:
        yield from _pairs(side, other, line, facts.bound[key], key[1])
    for line, name in facts.member_uses:
        if name in facts.members and name not in other.facts.members:
            yield from _pairs(side, other, line, facts.members[name], name)
    for line, function, parameter in facts.keywords:
        if (function, parameter) not in other.facts.parameters:
            lines = facts.parameters.get((function, parameter), set())
            yield from _pairs(side, other, line, lines, parameter)


def _pairs(side: _Side, other: _Side, line: int, bindings: set[int], name: str) -> Iterator[tuple[str, str]]:
    user = side.hunks.get(line)
    binders = side.owners(bindings) if user is not None and bindings else None
    if user is None or binders is None or user in binders:
        return
    # A hunk that only gives a name another meaning is not what introduces it.
    yield from ((user, binder) for binder in sorted(binders) if not _binds(other, binder, name))


def _binds(side: _Side, hunk: str, name: str) -> bool:
    """Return whether a hunk's lines give a name a meaning on this side too."""
    facts = side.facts
    tables = [lines for (_, bound), lines in facts.bound.items() if bound == name]
    tables += [facts.members.get(name, set())]
    return any(side.hunks.get(line) == hunk for lines in tables for line in lines)


def _across(sides: Sequence[_Side], others: Sequence[_Side]) -> Iterator[tuple[str, str]]:
    """Yield (user, binder) over files: imports of what a hunk introduces, and uses of new members."""
    uses = _Uses.of(sides, others)
    for number, (source, old) in enumerate(zip(sides, others, strict=True)):
        made = _introduced(source, old)
        owners_of_all = set(source.hunks.values())
        whole = owners_of_all if not old.hunks and len(owners_of_all) == 1 else set()
        wanted: list[tuple[int, str, set[str]]] = []
        for place, user, name in uses.imports.get(source.stem, ()):
            wanted.append((place, user, whole | made.get(name, set())))
        for place in uses.importers.get(source.stem, ()):
            wanted += [(place, user, made.get(name, set())) for user, name in uses.in_file[place]]
        for name, lines in source.facts.members.items():
            if name not in old.facts.members and name in uses.members:
                owners = source.owners(lines) or set()
                wanted += [(place, user, owners) for place, user in uses.members[name]]
        for key, lines in source.facts.parameters.items():
            if key not in old.facts.parameters and key in uses.keywords:
                owners = source.owners(lines) or set()
                wanted += [(place, user, owners) for place, user in uses.keywords[key]]
        for place, user, binders in wanted:
            if place != number:
                yield from ((user, binder) for binder in sorted(binders))


@attrs.define
class _Uses:
    """What hunks of all files use of other files, by what is used; files are numbers."""

    imports: dict[str, list[tuple[int, str, str]]] = attrs.field(factory=dict)
    """Module → file, hunk, and the name taken from it."""
    importers: dict[str, set[int]] = attrs.field(factory=dict)
    """Module → the files that import it anywhere."""
    in_file: list[list[tuple[str, str]]] = attrs.field(factory=list)
    """For each file: hunk and member."""
    members: dict[str, list[tuple[int, str]]] = attrs.field(factory=dict)
    """Member that the file does not know otherwise → file and hunk."""
    keywords: dict[tuple[str, str], list[tuple[int, str]]] = attrs.field(factory=dict)
    """Function and parameter → file and hunk."""

    @classmethod
    def of(cls, sides: Sequence[_Side], others: Sequence[_Side]) -> _Uses:
        """Collect the uses of one side."""
        uses = cls()
        for place, (side, other) in enumerate(zip(sides, others, strict=True)):
            facts = side.facts
            for line, module, name in facts.imports:
                uses.importers.setdefault(module, set()).add(place)
                if (user := side.hunks.get(line)) is not None:
                    uses.imports.setdefault(module, []).append((place, user, name))
            uses.in_file.append(
                [(side.hunks[line], n) for line, n in facts.member_uses if line in side.hunks]
            )
            for user, name in uses.in_file[-1]:
                if name not in other.facts.members:
                    uses.members.setdefault(name, []).append((place, user))
            for line, function, parameter in facts.keywords:
                if (user := side.hunks.get(line)) is not None:
                    uses.keywords.setdefault((function, parameter), []).append((place, user))
        return uses


def _introduced(side: _Side, other: _Side) -> dict[str, set[str]]:
    """Return the names of a module that only hunks give it, with these hunks."""
    known = {name for scope, name in other.facts.bound if scope == 0}
    return {
        name: owners
        for (scope, name), lines in side.facts.bound.items()
        if scope == 0 and name not in known and (owners := side.owners(lines))
    }


def _moves(texts: Sequence[ChangedText]) -> Iterator[tuple[str, str]]:
    """Yield the two hunks of each file that moves: gone here, made there."""
    by_path = {text.path: text for text in texts}
    for text in texts:
        source = by_path.get(text.moved_from or "")
        if source is not None and source is not text and source.hunks and text.hunks:
            yield source.hunks[0].id, text.hunks[0].id
