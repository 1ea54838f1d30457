"""`find_references`: where a name is defined, called, imported and mentioned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from greenline.index.chunk import File, Reference
from greenline.index.graph import references
from greenline.index.python_names import Lines, Place, leads_to
from greenline.index.retrieve.path_kind import PathKind, kinds_of_path
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.indexed import full_path, may_show, reader_of, staged_note, store_of, text_reader

_LIMIT = 100
_MAX_FOLLOWED = 300
"""Uses of a Python name that are followed to its definition."""


@attrs.frozen
class _Use:
    """A reference, and what is known of where it leads."""

    reference: Reference
    leads: Literal["definition", "wanted", "unknown", "other"]
    to: str = ""
    """The definition, as a path and a line, or `elsewhere`; empty where that is not known."""

    def text(self, context: ToolContext) -> str:
        """Return the line that the model reads."""
        r = self.reference
        inside = f" in {r.chunk.symbol}" if r.chunk.symbol else ""
        return f"{context.shown(full_path(r.file))}:{r.line}: {r.kind}{inside}" + (
            self.to and f" → {self.to}"
        )


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    within, _, name = arguments["symbol"].strip().rpartition(".")
    found = [
        reference
        for reference in references(store_of(context), name, text_reader(context))
        if may_show(context, reference.file)
    ]
    if not found:
        return f"Nothing uses the name {name}."
    uses = _told_apart(context, found, within)
    lines = [use.text(context) for use in uses[:_LIMIT]]
    more = f"\n… {len(uses) - _LIMIT} more" if len(uses) > _LIMIT else ""
    return bounded("\n".join(lines) + more + staged_note(context))


def _told_apart(context: ToolContext, found: Sequence[Reference], within: str) -> list[_Use]:
    """Return the uses with where they lead, those that lead to what is asked for first, the others last."""
    name = found[0].name
    defined: set[tuple[str, int]] = set()
    wanted: set[tuple[str, int]] = set()
    for symbol in store_of(context).symbols_named(name):
        if symbol.name == name and may_show(context, symbol.file):
            place = (full_path(symbol.file), symbol.line)
            defined.add(place)
            if not within or f".{symbol.container}".endswith(f".{within}"):
                wanted.add(place)
    followed = _followed(context, found)
    uses = [_use(context, r, followed.get(_place(r)), defined, wanted or defined) for r in found]
    order = ("definition", "wanted", "unknown", "other")
    return sorted(uses, key=lambda use: order.index(use.leads))


def _use(
    context: ToolContext,
    reference: Reference,
    lines: Lines | None,
    defined: set[tuple[str, int]],
    wanted: set[tuple[str, int]],
) -> _Use:
    here = (full_path(reference.file), reference.line)
    if reference.kind == "definition":
        return _Use(reference, "definition" if here in wanted else "other")
    if lines is None:
        return _Use(reference, "unknown")
    known = sorted(lines & defined)
    if not known:
        return _Use(reference, "other", "elsewhere")
    to = ", ".join(f"{context.shown(path)}:{line}" for path, line in known)
    return _Use(reference, "wanted" if lines & wanted else "other", to)


def _followed(context: ToolContext, found: Sequence[Reference]) -> dict[Place, Lines]:
    """Return where the uses in Python files lead."""
    read = text_reader(context)
    texts: dict[str, str] = {}
    unread: set[File] = set()
    places = []
    for reference in found:
        if reference.file.language != "python" or reference.kind == "definition":
            continue
        path = full_path(reference.file)
        if path not in texts and reference.file not in unread:
            text = read(reference.file)
            if text is None:
                unread.add(reference.file)
            else:
                texts[path] = text.decode("utf-8", "replace")
        if path in texts:
            places.append(_place(reference))
    if not places:
        return {}
    # Time may be short, and tests need most of it: what they use is told last.
    places.sort(key=lambda place: PathKind.TEST in kinds_of_path(place.path))
    return leads_to(places[:_MAX_FOLLOWED], texts, context.roots, reader_of(context).path.parent / "jedi")


def _place(reference: Reference) -> Place:
    return Place(full_path(reference.file), reference.line, reference.column)


TOOL = Tool(
    spec(
        "find_references",
        "Where a name is defined, called, imported or mentioned; definitions come first. A use in Python "
        "says after an arrow to which definition it leads, where that can be told; the others are found by "
        "their name.",
        "symbol",
        symbol=(
            "string",
            "A function, class, method or variable; `Class.method` puts the uses of that one first.",
        ),
    ),
    "search",
    _run,
)
