"""What a run of the base says about where a fault is, or why nothing can be repaired by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport
from greenline.repair.localise import failing_tests
from greenline.verify.repeat import REPEATS

START_S = 4.0
"""What a run takes beside its tests, roughly."""
_QUICK_S = 1.0
"""A suite that takes no longer is run in its own order, whatever a candidate changes."""
_MAX_NEAR = 20
_NOT_IMPORTED = re.compile(r"No module named|cannot import name|SyntaxError|IndentationError|TabError")
"""Why a file of tests cannot be imported, whatever line of the product is edited."""
_UNREADABLE = ("SyntaxError", "IndentationError", "TabError")
_PLACE = re.compile(r'File "([^"\n]+)", line (\d+)')


@attrs.frozen
class Diagnosis:
    """What the base run says about where the fault is."""

    report: TestReport
    failing: tuple[str, ...]
    suspicion: dict[tuple[str, int], float]
    wanted: tuple[str, ...] = ()
    """The words of the request that name tests; empty for all of them."""
    root: str = ""
    left: tuple[str, ...] = ()
    """Tests that fail as well and that no edit of a line can mend: their own file cannot be imported."""

    @property
    def n_witnesses(self) -> dict[tuple[str, int], int]:
        """Return (file, 1-based line) → how many tests execute it."""
        return count_witnesses(self.report)

    @property
    def stopped(self) -> tuple[str, ...]:
        """Return the failing tests that were stopped at their limit: they hang, or are slow."""
        slow = {test.id for test in self.report.tests if test.timed_out}
        return tuple(test for test in self.failing if test in slow)

    @property
    def longest_s(self) -> float:
        """Return how long the longest test took that ended by itself."""
        return max((t.duration_s for t in self.report.tests if t.outcome is Outcome.PASSED), default=0.0)

    @property
    def verification_s(self) -> float:
        """Return what verifying a fix is likely to take: a run of the suite, and repeats of what it mends."""
        again = sum(test.duration_s for test in self.report.tests if test.id in self.failing)
        return self.report.duration_s + REPEATS * again + START_S

    def near(self) -> dict[str, list[str]]:
        """Return `FILE:LINE` → some tests that execute a suspicious line; empty where the suite is quick."""
        if sum(test.duration_s for test in self.report.tests) < _QUICK_S:
            return {}
        found: dict[str, list[str]] = {}
        for test, files in self.report.coverage.items():
            for file, lines in files.items():
                for line in lines:
                    if (file, line) in self.suspicion:
                        tests = found.setdefault(f"{file}:{line}", [])
                        if len(tests) < _MAX_NEAR:
                            tests.append(test)
        return found

    def suspects(self, limit: int = 5) -> list[tuple[str, int, float]]:
        """Return the most suspicious lines: path, 1-based line, suspiciousness."""
        ranked = sorted(self.suspicion.items(), key=lambda item: (-item[1], item[0]))
        return [(file, line, score) for (file, line), score in ranked[:limit]]

    def problem(self) -> str:
        """Return why there is nothing to search for or in, one sentence; empty where there is."""
        report = self.report
        if not report.tests:
            if report.end is not RunEnd.COMPLETE:
                return f"The tests could not be run ({report.end.value}): {report.detail}"
            where = f"The project {self.root}" if self.root else "The project"
            return f"{where} has no tests, so there is nothing to repair by."
        if self.left:
            return _not_collected(report, self.left[0])
        if not self.failing:
            return self._nothing_fails()
        return "" if self.suspicion else _unlocalised(report, self.failing)

    def _nothing_fails(self) -> str:
        asked = [test.id for test in self.report.tests if is_wanted(test.id, self.wanted)]
        n_others = len(failing_tests(self.report))
        others = f" Of the others {n_others} {'fails' if n_others == 1 else 'fail'}." if n_others else ""
        if self.wanted and not asked:
            named = " or ".join(self.wanted)
            return f"No test and no file of tests is named {named}; there is nothing to repair.{others}"
        if self.report.end is not RunEnd.COMPLETE:
            end = f"the run ended ({self.report.end.value}): {self.report.detail}"
            return f"No test that was asked for had failed when {end}{others}"
        if len(asked) == 1:
            return f"{asked[0]} passes; there is nothing to repair.{others}"
        which = "that were asked for " if self.wanted else ""
        return f"All {len(asked)} tests {which}pass; there is nothing to repair.{others}"


def unimportable(report: TestReport) -> tuple[str, ...]:
    """Return the files of tests that cannot be imported whatever line of the product is edited.

    None where nothing else fails: then that is what is to be mended.
    """
    found = {
        test.id
        for test in report.tests
        if test.outcome is Outcome.ERROR
        and test.id not in report.coverage
        and _NOT_IMPORTED.search(test.message)
    }
    others = [test for test in failing_tests(report) if test not in found]
    return tuple(sorted(found)) if others and report.end is RunEnd.COLLECTION else ()


def count_witnesses(report: TestReport) -> dict[tuple[str, int], int]:
    """Return (file, 1-based line) → how many tests execute it."""
    counts: Counter[tuple[str, int]] = Counter()
    for files in report.coverage.values():
        counts.update((file, line) for file, lines in files.items() for line in lines)
    return counts


def is_wanted(test: str, wanted: Sequence[str]) -> bool:
    """Return whether a request is about a test: one of its words names it, or it names none."""
    return not wanted or any(_names(word, test) for word in wanted)


def _names(word: str, test: str) -> bool:
    """Return whether a word of the request names a test: its id as any runner writes it, or a part of it."""
    if word == test or test.startswith((f"{word}::", f"{word}[")):
        return True
    # A word with rows of its own is about these alone.
    return "[" not in word and f".{_dotted(word)}." in f".{_dotted(test)}."


def _dotted(name: str) -> str:
    """Return a test's id, or a part of one, with dots alone: of pytest's or of unittest's form."""
    bare = name.split("[")[0].removeprefix("./")
    return re.sub(r"\.py(?=::|$)", "", bare).replace("::", ".").replace("/", ".")


def _not_collected(report: TestReport, broken: str) -> str:
    """Say that a fix would be `couldNotRun`: while a file of tests is not collected no change is verified."""
    message = next(test.message for test in report.tests if test.id == broken)
    lines = [line.removeprefix("E").strip() for line in message.splitlines() if line.strip()]
    why = f" ({lines[-1]})" if lines else ""
    return (
        f"{broken} cannot be imported{why}, and as long as that is so no change can be verified."
        " Mend it or move it away first, and ask again."
    )


def _unlocalised(report: TestReport, failing: Sequence[str]) -> str:
    """Say why no line can be suspected; a file that cannot be imported is the usual reason."""
    files = {test.file for test in report.tests if test.id in failing and test.file is not None}
    if files and not any(file.endswith(".py") for file in files):
        return (
            f"{failing[0]} fails, and the repair engine mends Python alone; a model can mend other languages."
        )
    broken = [test for test in report.tests if test.outcome is Outcome.ERROR and test.id in failing]
    lines = [line for test in broken[:1] for line in test.message.splitlines() if line.strip()]
    if lines:
        what = lines[-1].removeprefix("E").strip().rstrip(".")
        if what.startswith(_UNREADABLE) and (found := _PLACE.findall(broken[0].message)):
            file, line = found[-1]
            return f"{file}, line {line}, cannot be read: {what}. Mend that first."
        return f"{broken[0].id} ends before it executes product code: {what}."
    return "No product code is executed by the failing tests, so the fault cannot be localised."
