"""What is known of a project's suite from earlier runs: how long its tests take and what they execute; pure.

It only says which tests are asked, and in which order: how they end is measured in each verification.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport
from greenline.core.port import Tree

_TEST_FOLDERS = ("", "tests/", "test/")


@attrs.frozen
class KnownTest:
    """One test, where it is and how long it took."""

    file: str
    """Relative to the root; empty where that is unknown."""
    duration_s: float | None = None
    """None: it was collected and never ran to its end."""


@attrs.frozen
class KnownFile:
    """Which lines of a file each test executed in its own context, when the file was as its digest says."""

    digest: str
    lines: Mapping[str, str]
    """Test id → ranges of 1-based lines, `1-4,7`; empty where it executed an older content of the file.

    Of a large suite there are millions of lines, and those of the changed files alone are asked for."""

    def is_executing(self, test: str, wanted: frozenset[int]) -> bool:
        """Return whether a test executed one of the wanted lines."""
        return any(not wanted.isdisjoint(piece) for piece in _pieces(self.lines[test]))


@attrs.frozen
class KnownSuite:
    """All that earlier runs told."""

    tests: Mapping[str, KnownTest] = attrs.field(factory=dict)
    """Test id → what is known of it, in the suite's own order."""
    files: Mapping[str, KnownFile] = attrs.field(factory=dict)
    """Path → who executes it."""
    whole_s: float | None = None
    """How long the whole suite took when it last ran to its end."""
    stopped_s: float | None = None
    """The limit at which the whole suite was last stopped; None: it ran to its end since."""
    stopped_at: float = 0.0
    """When that was, in seconds since 1970."""

    def is_longer(self, wall_s: float) -> bool:
        """Return whether the whole suite is known to take longer than a limit."""
        if self.stopped_s is not None:
            return wall_s <= self.stopped_s
        return self.whole_s is not None and self.whole_s > wall_s

    def after_whole(
        self, report: TestReport, tree: Tree, collected: Collection[str], now: float
    ) -> KnownSuite:
        """Return what is known after a run of the whole suite over a tree, that ended or was stopped.

        `collected` are the ids that it found, in order; a run that broke off says nothing.
        """
        if report.end is RunEnd.COMPLETE:
            # A run that did not measure leaves what is known of who executes what.
            files = _files(report, tree, {}) if report.coverage else _still(self.files, tree)
            # Without measuring it is quicker, and the next one may have to measure.
            known_s = 0.0 if report.coverage else self.whole_s or 0.0
            whole_s = max(known_s, report.duration_s)
            return KnownSuite(_tests(report, tree, (), {}), files, whole_s=whole_s)
        if report.end is not RunEnd.TIMEOUT:
            return self
        # Which part of the time a test took that had not ended, and which the start did, nobody knows.
        tests = _tests(report, tree, collected, self.tests)
        return KnownSuite(tests, self.files, self.whole_s, stopped_s=report.duration_s, stopped_at=now)

    def after_some(self, report: TestReport, tree: Tree, collected: Collection[str]) -> KnownSuite:
        """Return what is known after a run of some tests, in the same way."""
        if report.end is RunEnd.COMPLETE:
            tests = {**self.tests, **_tests(report, tree, (), {})}
            return attrs.evolve(self, tests=tests, files=_files(report, tree, self.files))
        if report.end is not RunEnd.TIMEOUT:
            return self
        return attrs.evolve(self, tests={**self.tests, **_stopped(report, tree, collected, self.tests)})

    def of_tree(self, tree: Tree) -> KnownSuite:
        """Return what is known without the tests whose file is gone."""
        tests = {id: test for id, test in self.tests.items() if not test.file or test.file in tree}
        return attrs.evolve(self, tests=tests)


def digest_of(content: bytes) -> str:
    """Return what tells one content of a file from another."""
    return hashlib.blake2b(content, digest_size=10).hexdigest()


def file_of(test: str, tree: Tree) -> str:
    """Return the file that a test's id names, or an empty text."""
    head, separator, _ = test.partition("::")
    if separator:
        return head
    parts = test.split(".")
    for n_parts in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:n_parts]) + ".py"
        for folder in _TEST_FOLDERS:
            if folder + name in tree:
                return folder + name
    return ""


def _tests(
    report: TestReport, tree: Tree, collected: Collection[str], old: Mapping[str, KnownTest]
) -> dict[str, KnownTest]:
    found: dict[str, KnownTest] = {}
    for test in collected:
        before = old.get(test)
        found[test] = KnownTest(file_of(test, tree), before.duration_s if before else None)
    for result in report.tests:
        if result.outcome is not Outcome.DESELECTED:
            found[result.id] = KnownTest(result.file or file_of(result.id, tree), result.duration_s)
    return found


def _stopped(
    report: TestReport, tree: Tree, collected: Collection[str], old: Mapping[str, KnownTest]
) -> dict[str, KnownTest]:
    """Return the tests of a run whose time was over while one of them was running."""
    tests = _tests(report, tree, collected, old)
    running = next((test for test in collected if report.outcome_of(test) is None), None)
    if running is not None:
        # A choice is made to end well before its limit, so what was running is what took too long.
        spent_s = sum(test.duration_s for test in report.tests)
        tests[running] = attrs.evolve(tests[running], duration_s=max(0.0, report.duration_s - spent_s))
    return tests


def _files(report: TestReport, tree: Tree, old: Mapping[str, KnownFile]) -> dict[str, KnownFile]:
    """Return the lines that tests execute; what an older content of a file said is forgotten with it."""
    lines: dict[str, dict[str, str]] = {}
    for test, files in report.coverage.items():
        for path, numbers in files.items():
            lines.setdefault(path, {})[test] = _ranges(numbers)
    ran = {test.id for test in report.tests}
    found = {}
    for path in {*old, *lines}:
        file, before = tree.get(path), old.get(path)
        if file is None:
            continue
        digest = digest_of(file.content)
        kept: Mapping[str, str] = {} if before is None else before.lines
        if before is not None and before.digest != digest:
            # The lines are other ones now; who executed any of them still says something.
            kept = dict.fromkeys(kept, "")
        others = {test: text for test, text in kept.items() if test not in ran}
        if others or path in lines:
            found[path] = KnownFile(digest, {**others, **lines.get(path, {})})
    return found


def _still(files: Mapping[str, KnownFile], tree: Tree) -> dict[str, KnownFile]:
    """Return what is known of files that are still there; of other contents only who executes them."""
    found = {}
    for path, known in files.items():
        if path in tree:
            digest = digest_of(tree[path].content)
            lines = known.lines if digest == known.digest else dict.fromkeys(known.lines, "")
            found[path] = KnownFile(digest, lines)
    return found


def _ranges(numbers: Sequence[int]) -> str:
    """Return sorted numbers as text, `1-4,7`."""
    pieces: list[str] = []
    first = last = -1
    for number in numbers:
        if number == last + 1 and pieces:
            last = number
            continue
        if pieces:
            pieces[-1] = f"{first}-{last}" if first < last else f"{first}"
        first = last = number
        pieces.append("")
    if pieces:
        pieces[-1] = f"{first}-{last}" if first < last else f"{first}"
    return ",".join(pieces)


def _pieces(text: str) -> Iterator[range]:
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        yield range(int(first), int(last or first) + 1)
