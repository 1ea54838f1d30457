"""Which tests execute the changed lines of each hunk; pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from greenline.core.bite import ChangedLines
from greenline.core.edit import EditSet, Hunk
from greenline.core.error import EditRejected, InvalidInput
from greenline.core.evidence import HunkEvidence, Outcome, TestReport
from greenline.core.port import Tree
from greenline.edit.hunk import split
from greenline.edit.sense import sensible
from greenline.edit.text import split_lines
from greenline.verify.changed_line import code_lines, covered_by, is_measured
from greenline.verify.tree import relative
from greenline.workspace.encoding import decode


def hunks_of(edit_set: EditSet) -> tuple[Hunk, ...]:
    """Cut all changes into hunks that make sense alone where they can; a binary file is none."""
    found: list[Hunk] = []
    for change in edit_set.changes:
        try:
            before = None if change.before is None else decode(change.before).text
            after = None if change.after is None else decode(change.after).text
        except (EditRejected, InvalidInput):
            continue
        found += split(change, before, after, group=sensible(change.path))
    return tuple(found)


def measure(
    root: str, hunks: Sequence[Hunk], base: Tree, patched: Tree, before: TestReport, after: TestReport
) -> tuple[HunkEvidence, ...]:
    """Return evidence for each hunk, in order: added lines count in P, and lines only deleted in B.

    Only tests that pass with the patch are witnesses: what a failing one executes may do anything.
    """
    starts = patched_starts(hunks)
    return tuple(_measure(root, hunk, starts[hunk.id], base, patched, before, after) for hunk in hunks)


def patched_starts(hunks: Sequence[Hunk]) -> dict[str, int]:
    """Return where each hunk's lines begin in the patched file, 0-based."""
    starts: dict[str, int] = {}
    offsets: dict[str, int] = {}
    for hunk in sorted(hunks, key=lambda h: (h.path, h.start_line, h.end_line)):
        offset = offsets.get(hunk.path, 0)
        starts[hunk.id] = hunk.start_line + offset
        offsets[hunk.path] = offset + len(split_lines(hunk.after)) - (hunk.end_line - hunk.start_line)
    return starts


def executed(
    root: str, hunks: Sequence[Hunk], patched: Tree, after: TestReport, is_product: Callable[[str], bool]
) -> ChangedLines:
    """Return how many of the product lines that hunks add or change are executed by a test that passes.

    A line that only an import executes is none of them: no test can execute it in its own context.
    """
    starts = patched_starts(hunks)
    n_executed = n_executable = 0
    by_path: dict[str, list[Hunk]] = {}
    for hunk in hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    for place, inside in by_path.items():
        path = relative(root, place)
        file = patched.get(path)
        if file is None or not is_measured(path) or not is_product(path):
            continue
        witnesses = code_lines(path, file.content)
        seen = _seen(path, after)
        for hunk in inside:
            for number in added_lines(hunk, starts[hunk.id]):
                if wanted := witnesses.get(number):
                    n_executable += 1
                    n_executed += not wanted.isdisjoint(seen)
    return ChangedLines(n_executed, n_executable)


def added_lines(hunk: Hunk, start: int) -> range:
    """Return the lines, 1-based, that a hunk's text has in the patched file, where it begins at `start`."""
    return range(start + 1, start + 1 + len(split_lines(hunk.after)))


def _seen(path: str, report: TestReport) -> set[int]:
    """Return the lines of a file that tests which pass execute."""
    return {
        line
        for test, files in report.coverage.items()
        if report.outcome_of(test) is Outcome.PASSED
        for line in files.get(path, ())
    }


def _measure(
    root: str, hunk: Hunk, start: int, base: Tree, patched: Tree, before: TestReport, after: TestReport
) -> HunkEvidence:
    path = relative(root, hunk.path)
    if not is_measured(path):
        return HunkEvidence(hunk.id, "notApplicable")
    added = added_lines(hunk, start)
    deleted = range(hunk.start_line + 1, hunk.end_line + 1)
    for tree, numbers, report in ((patched, added, after), (base, deleted, before)):
        file = tree.get(path)
        witnesses = code_lines(path, file.content) if file else {}
        code = [number for number in numbers if number in witnesses]
        if code:
            executing = covered_by(code, witnesses, path, report.coverage)
            tests = tuple(test for test in executing if after.outcome_of(test) is Outcome.PASSED)
            return HunkEvidence(hunk.id, "covered" if tests else "notCovered", tests)
    return HunkEvidence(hunk.id, "notApplicable")
