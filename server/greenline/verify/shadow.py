"""Which new modules of a patch are imported in the place of others by code that was there; pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from greenline.core.port import Tree
from greenline.verify.pytest_option import words

_ENDS = (".py", "/__init__.py")


def shadows(base: Tree, patched: Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield `FILE:1: WHAT` of new modules at an import root that replace one of the standard library.

    Only where a file of the base imports it: nobody else gets another module than before.
    """
    roots = {"", "src", *(PurePosixPath(path).as_posix() for path in words(patched, "pythonpath"))} - {"."}
    for path in paths:
        name = _name(path, roots)
        if path in base or path not in patched or name not in sys.stdlib_module_names:
            continue
        had = any(f"{root}/{name}{end}".lstrip("/") in base for root in roots for end in _ENDS)
        if not had and _is_imported(base, name):
            yield f"{path}:1: takes the place of the standard library's {name}"


def _name(path: str, roots: set[str]) -> str:
    """Return what a file at an import root is imported as, or an empty text."""
    for root in roots:
        inside = path.removeprefix(f"{root}/") if root else path
        if inside != path or not root:
            for end in _ENDS:
                name = inside.removesuffix(end)
                if name != inside and "/" not in name:
                    return name
    return ""


def _is_imported(tree: Tree, name: str) -> bool:
    pattern = re.compile(
        rb"^[ \t]*(?:from[ \t]+%b[ \t.]|import\b[^\n]*\b%b\b)" % ((name.encode(),) * 2), re.M
    )
    return any(path.endswith(".py") and pattern.search(file.content) for path, file in tree.items())
