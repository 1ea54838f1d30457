"""Edges between live files and symbols: what an import leads to, who imports a file, who uses a name.

Edges by name are found through the index and confirmed in the text, so that none is ever stale.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from greenline.index.chunk import Chunk, File, Import, Reference, Symbol
from greenline.index.source import Source, read_source
from greenline.index.store import IndexStore
from greenline.workspace.regular import read_regular

ReadFile = Callable[[File], bytes | None]
"""A live file's text as UTF-8, as the index saw it; None where it is gone."""

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_EXTENSION = re.compile(r"(?:\.d)?\.[A-Za-z+]+$")
_ENTRY = re.compile(r"(?:^|/)(?:__init__|index|mod|lib|main)$")
_SEPARATOR = re.compile(r"[./\\:]+")
_LOCAL_ONLY = frozenset({"crate", "self", "super"})
_MAX_FILES = 20


def read_disk(file: File) -> bytes | None:
    """Read a live file from the disk."""
    try:
        data = read_regular(Path(file.root, file.path))
    except OSError:
        return None
    source = read_source(file.path, data)
    return source.text if isinstance(source, Source) else None


class ImportGraph:
    """Which file imports which, worked out when asked for; made anew after a change of the index."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        self._by_stem: dict[str, list[tuple[str, File]]] = {}
        self._go_folders: dict[str, list[File]] = {}
        for file in store.files():
            if file.language == "go":
                self._go_folders.setdefault(posixpath.dirname(file.path), []).append(file)
            key = _module_path(file.path)
            self._by_stem.setdefault(key.rpartition("/")[2].casefold(), []).append((key, file))

    def resolve(self, imported: Import) -> tuple[File, ...]:
        """Return the files that an import leads to, nearest first; empty for what lies outside."""
        if imported.file.language == "go":
            return self._go_package(imported.module)
        found: dict[int, File] = {}
        for wanted, anchored in _candidates(imported):
            for file in self._matching(wanted, imported.file, anchored=anchored):
                found.setdefault(file.id, file)
            if found:
                break
        return tuple(found.values())[:_MAX_FILES]

    def imports(self, file: File) -> tuple[File, ...]:
        """Return the files that a file imports, in the order of its text."""
        found: dict[int, File] = {}
        for imported in self._store.imports_of(file.id):
            for target in self.resolve(imported):
                if target.id != file.id:
                    found.setdefault(target.id, target)
        return tuple(found.values())

    def importers(self, file: File) -> tuple[File, ...]:
        """Return the files that import a file, by path."""
        key = _module_path(file.path)
        stems = {key.rpartition("/")[2]}
        if file.language == "go":
            stems = {posixpath.dirname(file.path).rpartition("/")[2]}
        # A file is also imported by name out of its package: `from . import store`, `use crate::store::Box`.
        found: dict[int, File] = {}
        candidates = [i for stem in stems for i in self._store.imports_by_stem(stem)]
        candidates.extend(self._naming(stems))
        for imported in candidates:
            if imported.file.id not in found and any(t.id == file.id for t in self.resolve(imported)):
                found[imported.file.id] = imported.file
        found.pop(file.id, None)
        return tuple(sorted(found.values(), key=lambda f: (f.path, f.root)))

    def _naming(self, names: Iterable[str]) -> Iterator[Import]:
        for name in names:
            chunks = self._store.chunks(self._store.importing(name))
            for file_id in {chunk.file.id for chunk in chunks.values()}:
                yield from self._store.imports_of(file_id)

    def _matching(self, wanted: str, source: File, *, anchored: bool) -> list[File]:
        stem = wanted.rpartition("/")[2].casefold()
        matching = [
            (key, file)
            for key, file in self._by_stem.get(stem, ())
            if (key == wanted or (not anchored and key.endswith(f"/{wanted}")))
            and _may_import(source.language, file.language)
        ]
        if anchored:
            matching = [(key, file) for key, file in matching if file.root == source.root]
        matching.sort(key=lambda item: (-_shared(item[1], source), len(item[1].path), item[1].path))
        # Of several files that fit equally by name, the nearest is what a resolver would take.
        return [file for _, file in matching[:1]]

    def _go_package(self, module: str) -> tuple[File, ...]:
        """Return a package's files: those of the folder that shares the longest end with its path."""
        parts = module.split("/")
        tails = ["/".join(parts[count:]) for count in range(len(parts))]
        return next((tuple(self._go_folders[tail]) for tail in tails if tail in self._go_folders), ())


def references(
    store: IndexStore, name: str, read: ReadFile = read_disk, limit: int = 1000
) -> list[Reference]:
    """Return where an identifier is used, definitions first, then by path and line; case counts."""
    symbols = [symbol for symbol in store.symbols_named(name, limit) if symbol.name == name]
    defined = {(symbol.file.id, symbol.line) for symbol in symbols}
    calling = set(store.calling(name, limit))
    importing = set(store.importing(name, limit))
    chunk_ids = dict.fromkeys([*store.mentioning(name, limit), *sorted(calling | importing)])
    for symbol in symbols:
        chunk = store.chunk_at(symbol.file.id, symbol.line)
        if chunk is not None:
            chunk_ids[chunk.id] = None
    found: list[Reference] = []
    texts: dict[int, bytes | None] = {}
    for chunk_id in chunk_ids:
        for chunk in store.places(chunk_id):
            if chunk.file.id not in texts:
                texts[chunk.file.id] = read(chunk.file)
            text = texts[chunk.file.id]
            if text is not None:
                found.extend(_uses(chunk, text, name, defined, called=chunk_id in calling))
    order = {"definition": 0}
    found.sort(key=lambda r: (order.get(r.kind, 1), r.file.path, r.line, r.column))
    return found[:limit]


def callers(store: IndexStore, symbol: Symbol, limit: int = 200) -> list[Chunk]:
    """Return live chunks that call something of a symbol's name; its own chunk is left out."""
    found = store.chunks(store.calling(symbol.name, limit))
    own = store.chunk_at(symbol.file.id, symbol.line)
    return [chunk for chunk in found.values() if own is None or chunk.id != own.id]


def _uses(
    chunk: Chunk, text: bytes, name: str, defined: set[tuple[int, int]], *, called: bool
) -> Iterator[Reference]:
    pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    lines = text[chunk.start_byte : chunk.end_byte].decode("utf-8", "replace").split("\n")
    first_column = 0
    if chunk.start_byte:
        # A part of one long line begins inside it.
        before = text[text.rfind(b"\n", 0, chunk.start_byte) + 1 : chunk.start_byte]
        first_column = len(before.decode("utf-8", "replace"))
    for offset, line in enumerate(lines):
        for match in pattern.finditer(line):
            number = chunk.start_line + offset
            column = match.start() + (first_column if offset == 0 else 0)
            if (chunk.file.id, number) in defined:
                kind = "definition"
            elif re.match(r"\s*(?:import|from|use|using|require|#include)\b", line):
                kind = "import"
            elif called and re.match(r"\s*(?:<[^<>()]*>)?\s*\(", line[match.end() :]):
                kind = "call"
            else:
                kind = "mention"
            yield Reference(chunk.file, name, number, column, kind, chunk)


def _module_path(path: str) -> str:
    """Return a path as imports name it: without extension, and a package's entry by its folder."""
    bare = _EXTENSION.sub("", path)
    return _ENTRY.sub("", bare) or bare


def _candidates(imported: Import) -> Iterator[tuple[str, bool]]:
    """Yield module paths that an import can mean, best first, and whether they begin at the root."""
    folder = posixpath.dirname(imported.file.path)
    module = imported.module
    language = imported.file.language
    if module.startswith("."):
        yield from _relative(folder, module, imported.names, language)
        return
    parts = [part for part in _SEPARATOR.split(_without_extension(module, language)) if part]
    if language == "rust":
        parts = [part for part in parts if part not in _LOCAL_ONLY]
    if not parts:
        return
    tails = [[*parts, name] for name in imported.names] if language in ("python", "rust", "php") else []
    for names in [*tails, parts, *([parts[:-1]] if language in ("rust", "java", "php") else [])]:
        if len(names) > 1:
            yield "/".join(names), False
        elif names and language not in _SCRIPTS:
            # One word could be anything; only what lies where a resolver looks first is meant.
            for base in dict.fromkeys([folder, "", "src", "lib"]):
                yield posixpath.join(base, names[0]), True


def _relative(folder: str, module: str, names: Sequence[str], language: str) -> Iterator[tuple[str, bool]]:
    if language == "python":
        level = len(module) - len(module.lstrip("."))
        base = posixpath.normpath(posixpath.join(folder, *[".."] * (level - 1)))
        inner = posixpath.join(base, *module[level:].split(".")) if module[level:] else base
        for name in names:
            yield posixpath.normpath(posixpath.join(inner, name)), True
        yield posixpath.normpath(inner), True
        return
    yield posixpath.normpath(posixpath.join(folder, _without_extension(module, language))), True
    yield _module_path(posixpath.normpath(posixpath.join(folder, module))), True


def _without_extension(module: str, language: str) -> str:
    if language in ("python", "java", "rust", "csharp", "go"):
        return module
    return _EXTENSION.sub("", module) if "/" in module or language not in _SCRIPTS else module


def _may_import(language: str, other: str) -> bool:
    if language in _SCRIPTS or language in ("html", "css"):
        return True
    return language == other or {language, other} == {"c", "cpp"}


def _shared(file: File, source: File) -> int:
    """Return how many folders two files share; files of another root share none."""
    if file.root != source.root:
        return -1
    mine, theirs = file.path.split("/")[:-1], source.path.split("/")[:-1]
    return next(
        (n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs))
    )
