"""Which data of a patch tests alone read: what they compare with can lie in any folder; pure.

A file of data belongs to tests where a test names it, and nothing else does: neither the text of a program
nor what says which files are shipped names it or its folder, and no program lies beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from greenline.core.port import Tree

_DATA = re.compile(
    r"\.(?:txt|json|jsonl|ndjson|csv|tsv|ya?ml|xml|html?|svg|out|stdout|stderr|exp|expected|approved|ref|log|dat"
    r"|md|rst|tex|sql|diff|patch)$",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"\.(?:pyi?|[cm]?[jt]sx?|go|java|kt|rs|c|h|cc|cpp|rb|php|sh|bash)$")
_SHIPPING = frozenset(
    {"pyproject.toml", "setup.cfg", "MANIFEST.in", "package.json", "Makefile", "Dockerfile", "pom.xml"}
)
_WORD = rb"(?<![\w.-])%s(?![\w-])"


def read_by_tests(
    base: Tree, patched: Tree, paths: Iterable[str], is_test: Callable[[str], bool]
) -> frozenset[str]:
    """Return those of the changed `paths` that tests alone read; what lies at the root is none of them."""
    data = [path for path in paths if "/" in path and _DATA.search(path) and not is_test(path)]
    return frozenset(
        path for path in data if all(_is_of_tests(tree, path, is_test) for tree in (base, patched))
    )


def _is_of_tests(tree: Tree, path: str, is_test: Callable[[str], bool]) -> bool:
    folder, _, name = path.rpartition("/")
    named = re.compile(_WORD % re.escape(name.encode()))
    placed = re.compile(_WORD % re.escape(folder.rpartition("/")[2].encode()))
    is_asked = False
    for other, file in tree.items():
        is_program = _PROGRAM.search(other) is not None
        if is_program and is_test(other):
            is_asked = is_asked or named.search(file.content) is not None
        elif is_program or other.rpartition("/")[2] in _SHIPPING:
            if other.rpartition("/")[0] == folder:
                return False
            if named.search(file.content) or placed.search(file.content):
                return False
    return is_asked
