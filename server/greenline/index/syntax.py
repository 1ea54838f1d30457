"""One file's text → its definitions, calls, imports and comments, by its grammar's queries."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import attrs

from greenline.index.chunk import SymbolKind
from greenline.index.grammar import Grammar
from greenline.index.imported import read_import

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_SCOPE = "scope"
_TYPES = frozenset({"class", "interface", "enum", _SCOPE})
_WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration"})
_MAX_NAME = 200
_TEMPLATE = re.compile(r"<[^<>]*>")


@attrs.frozen
class Definition:
    """A definition by its place in the text; lines are 1-based and inclusive."""

    name: str
    container: str
    """Dotted names that enclose it."""
    parent: int
    """Place of the innermost enclosing definition in the list, or -1."""
    owner: str
    """Names between that one and this: a Go receiver, a Rust `impl`."""
    kind: SymbolKind
    line: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature_end: int
    """Byte where the body begins."""


class Call(NamedTuple):
    """A name that is called, decorated with, inherited from or made."""

    line: int
    name: str


@attrs.frozen
class ImportedModule:
    """An import statement's module and names."""

    module: str
    names: tuple[str, ...]
    line: int


@attrs.frozen
class Syntax:
    """What the queries found, each in the order of the text."""

    definitions: tuple[Definition, ...] = ()
    calls: tuple[Call, ...] = ()
    imports: tuple[ImportedModule, ...] = ()
    docs: tuple[tuple[int, int], ...] = ()
    """Byte ranges of comments and docstrings."""


class _Enclosing(NamedTuple):
    """What a definition lies in."""

    end: int = -1
    names: tuple[str, ...] = ()
    kind: str = ""
    place: int = -1
    """Place of the innermost definition, which a scope is not."""
    owners: tuple[str, ...] = ()
    """Names of the scopes inside that definition."""


class Lines:
    """Where a text's lines begin, and which line a byte is in."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = source.split(b"\n")
        if len(self.lines) > 1 and not self.lines[-1]:
            # A final line end closes the last line and opens no other.
            self.lines.pop()
        lengths = accumulate(map(len, self.lines), initial=0)
        self.starts = [length + n_ends for n_ends, length in enumerate(lengths)]
        """Byte of each line's start, and at last the text's length."""
        self.starts[-1] = len(source)
        self.line_of: Callable[[int], int] = partial(bisect_right, self.starts[:-1])
        """Returns the 1-based line of a byte."""

    def __len__(self) -> int:
        return len(self.lines)


def read_syntax(grammar: Grammar, tree: Tree, lines: Lines) -> Syntax:
    """Run the grammar's queries over a tree."""
    from tree_sitter import QueryCursor

    root = tree.root_node
    definitions: tuple[Definition, ...] = ()
    if grammar.definitions is not None:
        matches = QueryCursor(grammar.definitions).matches(root)
        definitions = _definitions((captured for _, captured in matches), lines)
    if grammar.uses is None:
        return Syntax(definitions)
    captured = QueryCursor(grammar.uses).captures(root)
    source = lines.source
    calls = sorted({(n.start_byte, n.end_byte) for n in captured.get("call", ())})
    imports = [
        ImportedModule(module, names, lines.line_of(start))
        for start, end in sorted({(n.start_byte, n.end_byte) for n in captured.get("import", ())})
        for module, names in read_import(grammar.name, _text(source, start, end))
    ]
    docs = sorted({(n.start_byte, n.end_byte) for n in captured.get("doc", ())})
    return Syntax(
        definitions,
        tuple(Call(lines.line_of(start), _text(source, start, end)) for start, end in calls),
        tuple(imports),
        tuple(docs),
    )


def _definitions(matches: Iterable[dict[str, list[Node]]], lines: Lines) -> tuple[Definition, ...]:
    """Order definitions by place, name what encloses each, and keep one for each name node."""
    found: dict[tuple[int, int], tuple[str, Node, str]] = {}
    for captured in matches:
        names = captured.get("name")
        kind = next((k for k in captured if k not in ("name", "container")), None)
        if not names or kind is None:
            continue
        owner = captured.get("container")
        name = names[0]
        key = (name.start_byte, name.end_byte)
        known = found.get(key)
        # The last pattern of a query is its most telling one: an arrow function is more than a variable.
        if known is None or known[0] in ("variable", "field"):
            found[key] = (kind, captured[kind][0], _node_text(owner[0], lines.source) if owner else "")
    return tuple(_nest(found, lines))


def _nest(found: dict[tuple[int, int], tuple[str, Node, str]], lines: Lines) -> Iterable[Definition]:
    """Walk definitions from the outside in; a function in a class is a method."""
    placed = []
    for (name_start, name_end), (kind, node, owner) in found.items():
        parent = node.parent
        outer = parent if parent is not None and parent.type in _WRAPPERS else node
        placed.append((outer.start_byte, -outer.end_byte, name_start, name_end, kind, node, owner))
    placed.sort(key=lambda item: item[:4])
    stack: list[_Enclosing] = []
    n_definitions = 0
    for start, negative_end, name_start, name_end, kind, node, owner in placed:
        while stack and stack[-1].end <= start:
            stack.pop()
        name, owner = _plain(_text(lines.source, name_start, name_end), owner)
        top = stack[-1] if stack else _Enclosing()
        owners = [*top.owners, owner] if owner else top.owners
        is_scope = kind == _SCOPE or not name
        here = _Enclosing(
            -negative_end,
            (*top.names, *((owner,) if owner else ()), *((name,) if name else ())),
            kind,
            top.place if is_scope else n_definitions,
            (*owners, name) if is_scope else (),
        )
        stack.append(here)
        if is_scope:
            continue
        n_definitions += 1
        body = node.child_by_field_name("body")
        yield Definition(
            name=name,
            container=".".join(here.names[:-1]),
            parent=top.place,
            owner=".".join(owners),
            kind=SymbolKind("method" if kind == "function" and top.kind in _TYPES else kind),
            line=lines.line_of(name_start),
            start_line=lines.line_of(start),
            end_line=lines.line_of(max(start, -negative_end - 1)),
            start_byte=start,
            end_byte=-negative_end,
            signature_end=node.end_byte if body is None else body.start_byte,
        )


def _plain(name: str, owner: str) -> tuple[str, str]:
    """Return a name on one line without quotes; what C++ writes before `::` owns it."""
    if not owner and name.isidentifier():
        return name[:_MAX_NAME], ""
    name = _TEMPLATE.sub("", " ".join(name.split())) if "::" in name else " ".join(name.split())
    scope, _, last = name.rpartition("::")
    owners = [part for part in (_TEMPLATE.sub("", owner), scope.replace("::", ".")) if part]
    return last.strip("\"'")[:_MAX_NAME], ".".join(owners)


def _node_text(node: Node, source: bytes) -> str:
    return _text(source, node.start_byte, node.end_byte)


def _text(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("utf-8", "replace")
