"""Modules that a patch puts beside tests in the place of others that these import; pure.

The folder of a test comes first where Python looks for modules, and a package before a file of its name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import PurePosixPath

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.pytest_option import words

_TEST = re.compile(r"(?:test_.*|.*_test|conftest)\.py")
_IMPORT = re.compile(rb"\b(?:from|import)\b([^\n(]*(?:\([^)]*\))?[^\n]*)")
_SOURCE = re.compile(rb"\bfrom\s+([\w.]+)\s+import\b|\bimport\b([^\n]*)")
_WORD = re.compile(rb"\w+")


def displaced(base: Tree, patched: Tree, paths: Iterable[str]) -> frozenset[str]:
    """Return the names that files of the base import from modules which new files of `paths` displace."""
    new = [path for path in paths if path not in base and path in patched and _module(path)[0]]
    if not new:
        return frozenset()
    places = _Places.of(base, patched)
    likely = {path: beside for path in new if (beside := places.is_beside(path)) is not None}
    importers = {beside: _importers(base, beside) for beside in set(likely.values())}
    found: set[str] = set()
    for path, is_beside in likely.items():
        name = _module(path)[0]
        for holder in importers[is_beside].get(name.encode(), ()):
            found.update(_imported(base[holder].content, name, is_beside))
    return frozenset(found)


@attrs.frozen
class _Places:
    """Where modules lie and are looked for, gathered once for all new files."""

    base: Tree
    patched: Tree
    holders: Set[str]
    """Folders of the base, each with all above it."""
    searched: Set[str]
    """Folders in which modules are looked for because tests lie in them, or as the project says."""
    gone: Mapping[str, Sequence[bytes]]
    """Name of a module that is gone → the contents of those."""

    @classmethod
    def of(cls, base: Tree, patched: Tree) -> _Places:
        holders = {parent.as_posix() for path in base for parent in PurePosixPath(path).parents}
        tests = {
            where for path in patched for where, _, name in [path.rpartition("/")] if _TEST.fullmatch(name)
        }
        tests |= {PurePosixPath(path).as_posix() for path in words(patched, "pythonpath")}
        searched = {folder for folder in tests if f"{folder}/__init__.py" not in patched}
        gone: dict[str, list[bytes]] = {}
        for path in base.keys() - patched.keys():
            gone.setdefault(_module(path)[0], []).append(base[path].content)
        return cls(base, patched, holders, searched, gone)

    def is_beside(self, path: str) -> bool | None:
        """Return whether a new file is a package beside a module of its name; None: it displaces none."""
        name, module = _module(path)
        is_file = f"{module}.py" in self.base
        if is_file and path.endswith("/__init__.py"):
            return True
        is_new = not is_file and module not in self.holders
        is_first = is_new and module.rpartition("/")[0] in self.searched
        return False if is_first and self.patched[path].content not in self.gone.get(name, ()) else None


def _module(path: str) -> tuple[str, str]:
    """Return what a file is imported as, and its path without the ending."""
    module = path.removesuffix(".py").removesuffix("/__init__")
    return (module.rpartition("/")[2], module) if path.endswith(".py") and module != path else ("", "")


def _importers(tree: Tree, is_anywhere: bool) -> dict[bytes, list[str]]:
    """Return word → the files that import from it; `is_anywhere`: or import it from elsewhere."""
    pattern = _IMPORT if is_anywhere else _SOURCE
    found: dict[bytes, list[str]] = {}
    for path, file in tree.items():
        if path.endswith(".py"):
            imports = pattern.finditer(file.content.replace(b"\\\n", b" "))
            for word in {word for match in imports for word in _WORD.findall(match[match.lastindex or 0])}:
                found.setdefault(word, []).append(path)
    return found


def _imported(source: bytes, name: str, is_anywhere: bool) -> Iterator[str]:
    """Yield what a file imports from a module, `is_anywhere` also where that lies in a package."""
    try:
        module = parse_python(source)
    except SyntaxError:
        return
    for node in ast.walk(module):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        package = f"{'.' * node.level}{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            parts = (package + alias.name).split(".")
            if name in parts if is_anywhere else parts[0] == name:
                yield alias.asname or (alias.name if package else parts[0])
