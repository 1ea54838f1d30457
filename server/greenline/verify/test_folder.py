"""Which files belong to tests by the folder that they lie in; pure.

A name counts by itself only where it is hardly ever given to product code. What is common for tests and for
product code alike counts for data alone (`golden`, `snapshots`, `fixtures`), or at the root and around a test
(`spec`, `e2e`): product code that is taken for a test would need no test that executes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import attrs

_TESTS = re.compile(
    r"""(?:^|/)(?:
    tests? | __tests__ | testdata | __snapshots__ | __fixtures__ | __mocks__
    | (?:unit|integration|functional|acceptance|regression|system|smoke|e2e|end[_-]?to[_-]?end)[_-]?tests?
    | tests?[_-](?:data|fixtures?|goldens?|helpers?|resources?|snapshots?|support|utils?)
    )/""",
    re.I | re.X,
)
_DATA = re.compile(r"(?:^|/)(?:goldens?|golden[_-]files|snapshots|(fixtures))/", re.I)
_PROGRAM = re.compile(
    r"\.(?:py[ix]?|[cm]?[jt]sx?|vue|svelte|go|java|kts?|scala|rb|rs|php|swift|cs|[ch]|cc|[ch]pp|[ch]xx|sh|sql)$",
    re.I,
)
_DJANGO = re.compile(r"(?:^|/)manage\.py$|(?:^|/)(?:models|migrations)/__init__\.py$|(?:^|/)models\.py$")
_AT_ROOT = re.compile(r"(?:e2e|cypress|(specs?))/", re.I)
_ENTRY = ("__init__.py", "index.js", "index.ts", "index.mjs", "package.json")
"""What makes a folder that is named `spec` a package of the product."""


@attrs.frozen
class TestFolders:
    """The folders of tests in one pair of trees."""

    __test__ = False

    at_root: frozenset[str] = frozenset()
    """Folders at the root, each with a `/`, that hold tests and have a name that others have as well."""
    has_models: bool = False
    """Whether there is a program that may load `fixtures` itself, as Django does."""

    @classmethod
    def of(cls, paths: Collection[str], is_test: Callable[[str], bool]) -> TestFolders:
        """Return the folders among all paths; `is_test` tells a test by its own name."""
        found = set()
        for path in paths:
            match = _AT_ROOT.match(path)
            if match is None or match.group() in found or not is_test(path):
                continue
            if match.group(1) is None or not any(match.group() + name in paths for name in _ENTRY):
                found.add(match.group())
        return cls(frozenset(found), any(_DJANGO.search(path) for path in paths))

    def hold(self, path: str) -> bool:
        """Return whether a path belongs to tests by one of its folders."""
        if _TESTS.search(path) or f"{path.split('/', 1)[0]}/" in self.at_root:
            return True
        match = _DATA.search(path)
        if match is None or _PROGRAM.search(path):
            return False
        return match.group(1) is None or not self.has_models
