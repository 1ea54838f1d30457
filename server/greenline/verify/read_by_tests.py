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
    named, placed = _word(name), _word(folder.rpartition("/")[2])
    programs = [other for other in tree if _PROGRAM.search(other)]
    tests = {other for other in programs if is_test(other)}
    # Most files of data, documentation for instance, are named by no test, and the rest need not be read.
    if not any(named(tree[other].content) for other in tests):
        return False
    shipping = [other for other in tree if other.rpartition("/")[2] in _SHIPPING]
    others = [other for other in (*programs, *shipping) if other not in tests]
    return not any(
        other.rpartition("/")[0] == folder or named(tree[other].content) or placed(tree[other].content)
        for other in others
    )


def _word(text: str) -> Callable[[bytes], bool]:
    """Return a test for a name that stands for itself in a file, and is no part of another one."""
    word = text.encode("utf-8", "surrogatepass")
    pattern = re.compile(rb"(?<![\w.-])%s(?![\w-])" % re.escape(word))
    # Looking for the bytes first is some fifty times as quick.
    return lambda content: word in content and pattern.search(content) is not None
