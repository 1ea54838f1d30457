"""Which files of a tree import which, from their text alone; pure.

Python is parsed; of JavaScript and TypeScript the relative paths of imports are read; of Go it is known that
the files of a folder are one package; of Java imports are read, and the names of classes within a package.
What a program makes up while it runs (a plug-in that is named in a table, an import by text) is not seen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.java_import import JavaNames
from greenline.verify.java_text import JAVA
from greenline.verify.source_line import GO, JAVASCRIPT

_SCRIPT = re.compile(
    r"""(?:\bfrom|\bimport|\brequire|\bmock|\bimportActual)\s*\(?\s*['"](\.{1,2}/?[^'"\n]*)['"]"""
)
_SOURCES = ("src", "lib", "python", "test", "tests")
"""Folders that are often on Python's path beside the root."""


def importing(tree: Tree) -> Mapping[str, set[str]]:
    """Return file → the files that import it."""
    found: dict[str, set[str]] = {}
    names, java = _python_names(tree), JavaNames.of(tree)
    folders: dict[str, list[str]] = {}
    for path, file in tree.items():
        imported: Iterable[str] = ()
        if file.link is not None:
            continue
        if path.endswith(".py"):
            imported = _python_imports(path, file.content, names)
        elif path.endswith(JAVASCRIPT):
            imported = _script_imports(path, file.content, tree)
        elif path.endswith(JAVA):
            imported = java.used_by(file.content)
        elif path.endswith(GO):
            folders.setdefault(path.rpartition("/")[0], []).append(path)
        for other in imported:
            if other != path:
                found.setdefault(other, set()).add(path)
    for package in folders.values():
        for path in package:
            found.setdefault(path, set()).update(other for other in package if other != path)
    return found


def importers(graph: Mapping[str, set[str]], paths: Iterable[str]) -> dict[str, int]:
    """Return file → how many imports lead from it to one of the paths, which are themselves at 0."""
    found = dict.fromkeys(paths, 0)
    edge, distance = list(found), 0
    while edge:
        distance += 1
        edge = [file for path in edge for file in graph.get(path, ()) if file not in found]
        edge = list(dict.fromkeys(edge))
        found.update(dict.fromkeys(edge, distance))
    return found


def _python_names(tree: Tree) -> dict[str, str]:
    """Return dotted name → file, for each way in which a module may be called from a folder on the path."""
    found: dict[str, str] = {}
    for path in tree:
        if not path.endswith(".py"):
            continue
        parts = path[:-3].split("/")
        if parts[-1] == "__init__":
            parts.pop()
        # A folder without `__init__.py` above a module may be on the path itself.
        for start in range(len(parts)):
            above = "/".join(parts[:start])
            if start == 0 or parts[start - 1] in _SOURCES or f"{above}/__init__.py" not in tree:
                found.setdefault(".".join(parts[start:]), path)
    return found


def _python_imports(path: str, source: bytes, names: Mapping[str, str]) -> Iterator[str]:
    try:
        module = parse_python(source)
    except SyntaxError:
        return
    folder = list(PurePosixPath(path).parts[:-1])
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name, names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = folder[: len(folder) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            yield from _modules(base, names)
            for alias in node.names:
                # What is imported from a package may be a module of it.
                yield from _modules(f"{base}.{alias.name}" if base else alias.name, names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            # `patch("package.module.name")` and the like name a module in a text.
            yield from _named(node.value, names)


def _modules(name: str, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the files of a module and of the packages that are imported on the way to it."""
    parts = name.split(".")
    for n_parts in range(1, len(parts) + 1):
        if file := names.get(".".join(parts[:n_parts])):
            yield file


def _named(text: str, names: Mapping[str, str]) -> Iterator[str]:
    parts = text.split(".")
    if len(text) < 200 and all(part.isidentifier() for part in parts):
        for n_parts in range(2, len(parts) + 1):
            if file := names.get(".".join(parts[:n_parts])):
                yield file


def _script_imports(path: str, source: bytes, tree: Tree) -> Iterator[str]:
    folder = PurePosixPath(path).parent
    for match in _SCRIPT.finditer(source.decode("utf-8", "replace")):
        parts: list[str] = []
        for part in (*folder.parts, *PurePosixPath(match.group(1)).parts):
            if part == ".." and parts:
                parts.pop()
            elif part not in (".", ".."):
                parts.append(part)
        target = "/".join(parts)
        stem = target.rpartition(".")[0] or target
        names = [
            target,
            *(target + end for end in JAVASCRIPT),
            *(f"{target}/index{end}" for end in JAVASCRIPT),
        ]
        # TypeScript's own sources are imported by the names that they are compiled to.
        names += [stem + end for end in JAVASCRIPT]
        if file := next((name for name in names if name in tree), None):
            yield file
