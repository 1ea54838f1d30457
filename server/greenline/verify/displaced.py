"""Modules that a patch puts beside tests in the place of others that these import; pure.

The folder of a test comes first where Python looks for modules, and a package before a file of its name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.pytest_option import words

_TEST = re.compile(r"(?:test_.*|.*_test|conftest)\.py")


def displaced(base: Tree, patched: Tree, paths: Iterable[str]) -> frozenset[str]:
    """Return the names that files of the base import from modules which new files of `paths` displace."""
    found: set[str] = set()
    for path in paths:
        name, module = _module(path)
        if path in base or path not in patched or not name:
            continue
        folder = module.rpartition("/")[0]
        is_beside = f"{module}.py" in base and path.endswith("/__init__.py")
        was_there = f"{module}.py" in base or any(other.startswith(f"{module}/") for other in base)
        is_first = (
            not was_there and _is_searched(patched, folder) and not _has_moved(base, patched, path, name)
        )
        for holder, file in base.items() if is_beside or is_first else ():
            if holder.endswith(".py") and name.encode() in file.content:
                found.update(_imported(file.content, name, is_beside))
    return frozenset(found)


def _is_searched(tree: Tree, folder: str) -> bool:
    """Return whether modules are looked for in a folder because tests lie in it, or as the project says."""
    if f"{folder}/__init__.py" in tree:
        return False
    if folder in (PurePosixPath(path).as_posix() for path in words(tree, "pythonpath")):
        return True
    return any(
        _TEST.fullmatch(name) for path in tree for where, _, name in [path.rpartition("/")] if where == folder
    )


def _module(path: str) -> tuple[str, str]:
    """Return what a file is imported as, and its path without the ending."""
    module = path.removesuffix(".py").removesuffix("/__init__")
    return (module.rpartition("/")[2], module) if path.endswith(".py") and module != path else ("", "")


def _has_moved(base: Tree, patched: Tree, path: str, name: str) -> bool:
    """Return whether a module is the same as one of its name that is gone."""
    return any(
        other not in patched and _module(other)[0] == name and file.content == patched[path].content
        for other, file in base.items()
    )


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
