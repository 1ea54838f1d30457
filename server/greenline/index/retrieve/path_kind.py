"""What a path says about a file: code that runs, or tests, documents, settings and the like."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class PathKind(Enum):
    """A kind of file that is seldom what is looked for, unless it is asked for."""

    TEST = "test"
    DOCUMENT = "document"
    """Documents and examples."""
    SETTING = "setting"
    """Data, styles, build scripts: what is not a program of the project itself."""
    VENDORED = "vendored"
    """Copies, generated files, and what is kept only for old callers."""
    DECLARATION = "declaration"
    """Types without bodies."""


_FOLDERS = {
    PathKind.TEST: "tests? __tests__ testing specs? e2e integration[-_]tests? testdata test[-_]data "
    "fixtures? __fixtures__ __snapshots__ __mocks__ cypress playwright testsuites? androidTest",
    PathKind.DOCUMENT: "docs? docs?_src documentation website www _?examples? samples? demos? tutorials? "
    "playground benchmarks? bench",
    PathKind.VENDORED: "_?compat legacy deprecated v1 _?vendor(?:ed)? third[-_]party node_modules dist "
    "generated gen",
}
_NAMES = {
    PathKind.TEST: r"(?:test_[^/]*|conftest|test[-_]?helpers?)\.\w+|[^/]*[._-](?:test|tests|spec|e2e|cy|snap"
    r"|stories|story|bench)\.\w+|[^/]*(?:Tests?|Spec|IT|Suite)\.(?:java|kt|cs|scala|swift|php)",
    PathKind.DOCUMENT: r"[^/]*\.(?:md|mdx|rst|txt|adoc)",
    PathKind.SETTING: r"[^/]*\.(?:json|ya?ml|toml|lock|ini|cfg|css|s[ac]ss|less|html|svg|xml|sh)",
    PathKind.DECLARATION: r"[^/]*\.(?:d\.\w?ts|pyi)",
}
_TOP_FOLDERS = re.compile(r"^(?:scripts?|tools?|releases?|ci|build|hack)/|(?:^|/)\.[^/]+/", re.I)
"""Only at the top: further down they are as often the project's own parts."""


def _pattern(kind: PathKind) -> re.Pattern[str]:
    choices = []
    if kind in _FOLDERS:
        choices.append(f"(?:^|/)(?:{'|'.join(_FOLDERS[kind].split())})/")
    if kind in _NAMES:
        choices.append(f"(?:^|/)(?:{_NAMES[kind]})$")
    if kind is PathKind.SETTING:
        choices.append(_TOP_FOLDERS.pattern)
    # Class names tell a test by their capital: `Contest.java` is none.
    return re.compile("|".join(choices), 0 if kind is PathKind.TEST else re.I)


_PATTERNS = {kind: _pattern(kind) for kind in PathKind}


@lru_cache(maxsize=65536)
def kinds_of_path(path: str) -> frozenset[PathKind]:
    """Return the kinds that a path relative to its root is of; empty for the project's own code."""
    return frozenset(kind for kind, pattern in _PATTERNS.items() if pattern.search(path))
