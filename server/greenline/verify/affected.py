"""Which tests a change affects, those that it surely affects first; pure.

A ranking says what to ask first and what to ask where not all can be asked. It is no proof of the contrary:
what it leaves out may be affected all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

import attrs

from greenline.core.edit import Hunk
from greenline.core.port import Tree
from greenline.verify.changed_line import PYTHON, code_lines, is_measured
from greenline.verify.import_graph import importers, importing
from greenline.verify.java_text import JAVA
from greenline.verify.known_suite import KnownFile, KnownSuite, digest_of
from greenline.verify.path_rule import PathRule
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.tree import relative

_LANGUAGES = {"python": (".py",), "node": JAVASCRIPT, "go": GO, "java": JAVA}
_PYTHON_TEST = re.compile(r"(?:^|/)(?:test[^/]*|[^/]*_tests?)\.py$")
_AFFIX = re.compile(r"^tests?[_.-]|[_.-](?:tests?|spec)$|(?<=\w)tests?$")
_DEFINITIONS = {
    ".py": re.compile(rb"^\s*(?:async\s+)?def test", re.M),
    ".go": re.compile(rb"^func Test", re.M),
    ".java": re.compile(rb"@(?:\w*Test)\b"),
}
_CALLS = re.compile(rb"^\s*(?:it|test)\b", re.M)


class Reason(StrEnum):
    """Why a test is taken to be affected, the surest first."""

    CHECK = "check"
    """It is an acceptance check of the plan."""
    CHANGED = "changed"
    """The change touches its file."""
    LINES = "lines"
    """In an earlier run it executed lines that are changed."""
    FILE = "file"
    """In an earlier run it executed a file that is changed."""
    IMPORT = "import"
    """Its file imports one that is changed, directly or over others."""
    SUPPORT = "support"
    """Support of the tests around it is changed."""
    NAME = "name"
    """Its file is named after one that is changed."""


@attrs.frozen
class Affected:
    """One test, or a file of tests whose ids nobody knows yet."""

    test: str
    reason: Reason
    distance: int = 0
    """How many imports lead to what is changed."""


@attrs.frozen
class Ground:
    """What a ranking is made from."""

    root: str
    base: Tree
    patched: Tree
    rule: PathRule
    hunks: tuple[Hunk, ...]
    paths: tuple[str, ...]
    """The changed files, relative to the root."""
    kind: str
    """The project's kind; tests are looked for in files of its language."""
    runner: str = ""
    folder: str = ""
    """The project's folder with a `/`, or empty."""
    checks: tuple[str, ...] = ()

    @cached_property
    def test_files(self) -> tuple[str, ...]:
        """The files of either tree that hold tests of the project, by their names, sorted."""
        return tuple(sorted(path for path in {*self.base, *self.patched} if self._holds_tests(path)))

    @cached_property
    def graph(self) -> Mapping[str, set[str]]:
        """File → the files that import it with the change; all files are read for it."""
        return importing(self.patched)

    def lines_of(self, path: str) -> frozenset[int]:
        """Return the base's lines of a file that are changed; of an insertion the lines on both sides."""
        found: set[int] = set()
        for hunk in self.hunks:
            if relative(self.root, hunk.path) == path:
                is_insertion = hunk.start_line == hunk.end_line
                found.update(range(hunk.start_line + (not is_insertion), hunk.end_line + 1 + is_insertion))
        return frozenset(found)

    def _holds_tests(self, path: str) -> bool:
        if not path.startswith(self.folder) or not path.endswith(_LANGUAGES.get(self.kind, ())):
            return False
        if not self.rule.is_test(path):
            return False
        # In a folder of tests there is support as well, which holds none.
        named = PathRule(self.rule.patterns)
        name = path.rpartition("/")[2]
        if self.kind == "python":
            return bool(_PYTHON_TEST.search(path)) or (name != "conftest.py" and named.is_test(name))
        return named.is_test(name) or self.kind == "node"


def affected(ground: Ground, known: KnownSuite) -> tuple[Affected, ...]:
    """Return the tests that a change affects: by reason, then by nearness, then in the suite's order."""
    found: dict[str, Affected] = {}
    for item in (*_checks(ground, known), *_ranked(ground, known)):
        found.setdefault(item.test, item)
    order = list(Reason)
    return tuple(sorted(found.values(), key=lambda item: (order.index(item.reason), item.distance)))


def n_tests_of(path: str, tree: Tree) -> int:
    """Return how many tests a file seems to define, at least one."""
    file = tree.get(path)
    pattern = next((p for end, p in _DEFINITIONS.items() if path.endswith(end)), _CALLS)
    return max(1, len(pattern.findall(file.content))) if file is not None else 1


def unknown_files(ground: Ground, known: KnownSuite) -> tuple[str, ...]:
    """Return the files of tests in which no test is known."""
    files = {test.file for test in known.tests.values()}
    return tuple(path for path in ground.test_files if path not in files)


def _checks(ground: Ground, known: KnownSuite) -> Iterator[Affected]:
    for check in ground.checks:
        ends = (f"{check}[", f"{check}::", f"{check}.")
        tests = [test for test in known.tests if test == check or test.startswith(ends)]
        yield from (Affected(test, Reason.CHECK) for test in tests or [check])


def _ranked(ground: Ground, known: KnownSuite) -> Iterator[Affected]:
    """Yield tests with the surest reason of each, in the suite's order."""
    executing = _executing(ground, known)
    near = _Near.of(ground, known)
    changed = set(ground.paths)
    measured = {test for file in known.files.values() for test in file.lines}
    for id, test in known.tests.items():
        reason = executing.get(id)
        if test.file in changed:
            # A new test of the file has no id yet, so the file stands for it too.
            yield Affected(test.file if test.file in ground.patched else id, Reason.CHANGED)
            yield Affected(id, Reason.CHANGED)
        elif reason is not None:
            yield Affected(id, reason)
        elif item := near.reason(id, test.file, is_measured=id in measured):
            yield item
    for path in unknown_files(ground, known):
        if path in changed:
            yield Affected(path, Reason.CHANGED)
        elif item := near.reason(path, path, is_measured=False):
            yield item


def _executing(ground: Ground, known: KnownSuite) -> dict[str, Reason]:
    """Return the tests that executed a changed file, and whether they executed changed lines of it."""
    found: dict[str, Reason] = {}
    for path in ground.paths:
        file = known.files.get(path)
        if file is None:
            continue
        wanted = _witnesses(ground, path, file)
        for test in file.lines:
            if file.is_executing(test, wanted):
                found[test] = Reason.LINES
            else:
                found.setdefault(test, Reason.FILE)
    return found


def _witnesses(ground: Ground, path: str, file: KnownFile) -> frozenset[int]:
    """Return the lines whose execution shows that what is changed is executed; none where that is unknown."""
    base = ground.base.get(path)
    if base is None or digest_of(base.content) != file.digest or not is_measured(path):
        return frozenset()
    witnesses = code_lines(path, base.content)
    wanted = (witnesses.get(number, frozenset()) for number in ground.lines_of(path))
    return frozenset().union(*wanted)


@attrs.frozen
class _Near:
    """What stands near the changed files, for tests of which coverage says nothing."""

    ground: Ground
    untold_paths: tuple[str, ...]
    """The changed files of which coverage cannot say who executes what is changed."""
    support: tuple[str, ...]
    """Folders below which a change of support reaches all tests."""
    stems: frozenset[str]
    """Names of the changed product files without their endings."""

    @cached_property
    def distances(self) -> Mapping[str, int]:
        """File → how many imports lead from it to a changed file."""
        return importers(self.ground.graph, self.ground.paths)

    @cached_property
    def untold(self) -> Mapping[str, int]:
        """The same to those of which coverage cannot say it; most often there are none to ask about."""
        return importers(self.ground.graph, self.untold_paths) if self.untold_paths else {}

    @classmethod
    def of(cls, ground: Ground, known: KnownSuite) -> _Near:
        untold = tuple(path for path in ground.paths if not _is_told(ground, path, known))
        product = [path for path in ground.paths if ground.rule.is_product(path)]
        stems = {path.rpartition("/")[2].split(".")[0].lower() for path in product}
        return cls(
            ground,
            untold,
            tuple(_reach(path) for path in ground.paths if _is_support(ground, path)),
            frozenset(stems - {"__init__", "index", ""}),
        )

    def reason(self, test: str, path: str, *, is_measured: bool) -> Affected | None:
        """Return a test of a file with why it is affected, or None; `is_measured`: coverage knows it."""
        distance = (self.untold if is_measured else self.distances).get(path)
        if distance is not None:
            return Affected(test, Reason.IMPORT, distance)
        if any(path.startswith(folder) for folder in self.support):
            return Affected(test, Reason.SUPPORT)
        if is_measured and not self.untold_paths:
            return None
        name = path.rpartition("/")[2].split(".")[0].lower()
        return Affected(test, Reason.NAME) if _AFFIX.sub("", name) in self.stems else None


def _is_told(ground: Ground, path: str, known: KnownSuite) -> bool:
    """Return whether coverage says who executes what is changed in a file: it is inside of functions."""
    file, base = known.files.get(path), ground.base.get(path)
    if file is None or base is None or path not in ground.patched or not path.endswith(PYTHON):
        return False
    if digest_of(base.content) != file.digest:
        return False
    witnesses = code_lines(path, base.content)
    lines = [number for number in ground.lines_of(path) if number in witnesses]
    return bool(lines) and all(number in witnesses[number] for number in lines)


def _is_support(ground: Ground, path: str) -> bool:
    return not ground.rule.is_product(path) and path not in ground.test_files


def _reach(path: str) -> str:
    """Return the folder whose tests a file of support may concern; data is used from the folder above it."""
    folder, _, name = path.rpartition("/")
    if not name.endswith((".py", *JAVASCRIPT, *GO, *JAVA)):
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder else ""


def in_order(tests: Sequence[str], known: KnownSuite) -> tuple[str, ...]:
    """Return tests in the suite's own order; files whose tests are not known come last."""
    places = {test: place for place, test in enumerate(known.tests)}
    files: dict[str, int] = {}
    for test, item in known.tests.items():
        files.setdefault(item.file, places[test])
    last = len(places)
    return tuple(sorted(tests, key=lambda test: (places.get(test, files.get(test, last)), test)))
