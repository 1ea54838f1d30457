"""The reporter's lines → TestReport; trusts no test that the independent collection has not found; pure."""

from __future__ import annotations

import json
import re
from typing import Any

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import SandboxResult
from greenline.verify.unsteady import steady_ids

_OUTPUT_BYTES = 65536
NO_FILE = "(collection)"
"""Stands for what cannot be collected where no file is to blame."""
_SHARED = "Coverage is that of whole suites, not of each test."
_MAX_NAMED = 3
_MAX_GIST = 200
_MAX_COMPLAINT = 300
_RAISED = re.compile(r"[\w.]*(?:Error|Exception|Warning)\b")
_ENDED = (0, 1, 5)
"""pytest's exit codes after which every test has run: all passed, some failed, none there."""


@attrs.define
class _Lines:
    """What the lines say, before it is judged."""

    runner: str = ""
    collected: dict[str, None] = attrs.field(factory=dict)
    """In the order in which they were found."""
    collection_ended: bool = False
    collect_errors: dict[str, str] = attrs.field(factory=dict)
    tests: list[TestResult] = attrs.field(factory=list)
    coverage: dict[str, dict[str, tuple[int, ...]]] = attrs.field(factory=dict)
    missing: str = ""
    shared: bool = False
    """Whether a test's coverage is that of its whole suite."""
    replaced: tuple[str, ...] = ()
    """What of the runner the project's code replaced."""
    unbuilt: dict[str, str] = attrs.field(factory=dict)
    """What cannot be built without its tests, and the compiler's words."""
    notes: dict[str, None] = attrs.field(factory=dict)
    died: str = ""
    """What ended before its last test, in a run that went on."""
    n_intruders: int = 0
    exit: int | None = None
    seconds: float | None = None
    """How long the round took, where the driver says so."""
    final: bool = False
    """Whether the driver has said that the round, or all, is over."""


def parse(result: SandboxResult, *, partial: bool = False) -> TestReport:
    """Return the report of one run; `partial` where the runner was told to stop at the first failure."""
    return parse_rounds(result, partial=partial)[0]


def parse_rounds(result: SandboxResult, *, partial: bool = False, prefix: str = "") -> tuple[TestReport, ...]:
    """Return one report a round, at least one; later rounds have run only some tests.

    `prefix` is the project's folder with a `/`, which ids and files then begin with.
    The limits that ended a container are told of the round that had not ended by itself.
    """
    pieces = _read(result.report)
    output = result.output[-_OUTPUT_BYTES:].decode("utf-8", "replace")
    first = pieces[0]
    _steady(first)
    reports = []
    for number, lines in enumerate(pieces):
        if number:
            # Only the first round collects.
            lines.collected, lines.collection_ended, lines.runner = first.collected, True, first.runner
        ended = lines.seconds is not None
        round_result = attrs.evolve(result, timed_out=False, out_of_memory=False) if ended else result
        report = _report(round_result, lines, output, partial or number > 0)
        reports.append(_below(report, prefix) if prefix else report)
    return tuple(reports)


def collected_ids(result: SandboxResult, prefix: str = "") -> tuple[str, ...]:
    """Return the ids of the tests that a run has found, in the runner's order, whether or not they ran."""
    return tuple(prefix + test for test in _read(result.report)[0].collected)


def _below(report: TestReport, prefix: str) -> TestReport:
    """Return the report of a folder's project as the root sees it."""
    tests = tuple(
        attrs.evolve(t, id=prefix + t.id, file=None if t.file is None else prefix + t.file)
        for t in report.tests
    )
    coverage = {
        prefix + test: {prefix + path: lines for path, lines in files.items()}
        for test, files in report.coverage.items()
    }
    unbuilt = {prefix + folder: words for folder, words in report.unbuilt.items()}
    return attrs.evolve(report, tests=tests, coverage=coverage, unbuilt=unbuilt)


def _report(result: SandboxResult, lines: _Lines, output: str, partial: bool) -> TestReport:
    tests = _judge(lines)
    end, detail = _end(result, lines, output, partial)
    known = {test.id for test in tests}
    broken = tuple(
        TestResult(name or NO_FILE, Outcome.ERROR, file=name.split("::")[0] or None, message=message)
        for name, message in lines.collect_errors.items()
        if name not in known
    )
    return TestReport(
        end=end,
        tests=tests + broken,
        coverage={test: lines.coverage[test] for test in lines.coverage if test in lines.collected},
        runner=lines.runner,
        duration_s=result.duration_s if lines.seconds is None else lines.seconds,
        output=output,
        detail=detail,
        coverage_of="suite" if lines.shared else "test",
        replaced=lines.replaced,
        unbuilt=lines.unbuilt,
        notes=(*lines.notes, *((_SHARED,) if lines.shared else ())),
    )


def _steady(lines: _Lines) -> None:
    """Give tests whose ids the run made anew ids that other runs have too."""
    told = [test.id for test in lines.tests if test.outcome is not Outcome.DESELECTED]
    names = steady_ids(lines.collected, told)
    if not names:
        return
    lines.collected = dict.fromkeys(names.get(test, test) for test in lines.collected)
    lines.tests = [attrs.evolve(test, id=names.get(test.id, test.id)) for test in lines.tests]
    lines.coverage = {names.get(test, test): files for test, files in lines.coverage.items()}


def _read(report: bytes) -> list[_Lines]:
    """Return what each round's lines say; what follows the last round, if anything, is one more."""
    pieces = [_Lines()]
    for raw in report.decode("utf-8", "replace").splitlines():
        try:
            record = json.loads(raw)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        lines = pieces[-1]
        try:
            kind = record["kind"]
            if lines.final and kind not in ("final", "intruder"):
                lines = _Lines()
                pieces.append(lines)
            _take(lines, record)
        except (KeyError, TypeError, ValueError):
            # The secrets keep strangers out: a record that does not fit is the tests' process gone mad.
            lines.n_intruders += 1
    return pieces


def _take(lines: _Lines, record: dict[str, Any]) -> None:
    kind = record["kind"]
    if kind == "hello":
        lines.runner = str(record["runner"])
    elif kind == "collected":
        lines.collected.update(dict.fromkeys(str(i) for i in record["ids"]))
    elif kind == "collectError":
        lines.collect_errors[str(record["id"])] = str(record["message"])
    elif kind == "collectionEnd":
        lines.collection_ended = True
    elif kind == "test":
        lines.tests.append(
            TestResult(
                id=str(record["id"]),
                outcome=Outcome(record["outcome"]),
                duration_s=float(record["duration"]),
                file=record.get("file"),
                line=record.get("line"),
                message=str(record.get("message", "")),
                timed_out=bool(record.get("timedOut")),
            )
        )
    elif kind == "cov":
        files = lines.coverage.setdefault(str(record["id"]), {})
        files.update({str(path): _numbers(text) for path, text in record["files"].items()})
    elif kind == "contexts":
        lines.shared = record["of"] == "suite"
    elif kind == "replaced":
        lines.replaced = tuple(str(name) for name in record["names"])
    elif kind == "note":
        lines.notes[str(record["text"])] = None
    elif kind == "unbuilt":
        lines.unbuilt[str(record["id"])] = str(record["message"])
    elif kind == "end":
        lines.exit = int(record["exit"])
    elif kind == "missing":
        what = str(record["what"])
        lines.missing = str(record.get("why") or f"Neither the project nor the toolbox has {what}.")
    elif kind == "died":
        lines.died = lines.died or str(record["message"])
    elif kind == "intruder":
        lines.n_intruders += 1
    elif kind == "roundEnd":
        lines.final, lines.seconds = True, float(record["seconds"])
    elif kind == "final":
        lines.final = True


def _numbers(ranges: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for piece in ranges.split(","):
        first, _, last = piece.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


def _judge(lines: _Lines) -> tuple[TestResult, ...]:
    """Return one result a test: what was reported twice, or never collected, does not count as passed."""
    found: dict[str, TestResult] = {}
    for test in lines.tests:
        if test.id in found:
            message = "The test was reported more than once."
            found[test.id] = attrs.evolve(found[test.id], outcome=Outcome.ERROR, message=message)
        elif test.id not in lines.collected and test.outcome is not Outcome.DESELECTED:
            message = "The independent collection did not find this test."
            found[test.id] = attrs.evolve(test, outcome=Outcome.ERROR, message=message)
        else:
            found[test.id] = test
    return tuple(found.values())


def _end(result: SandboxResult, lines: _Lines, output: str, partial: bool) -> tuple[RunEnd, str]:
    """Return how the run ended, and one sentence where it did not complete."""
    if lines.missing:
        return RunEnd.RUNNER_MISSING, lines.missing
    if result.timed_out:
        return RunEnd.TIMEOUT, f"The run was stopped at its limit of {result.duration_s:.0f} s."
    if lines.n_intruders:
        return RunEnd.DIED, "Something other than the runner wrote to its report."
    if not lines.final or lines.exit is None:
        why = "memory ran out" if result.out_of_memory else "the tests' process ended before its last record"
        return RunEnd.DIED, f"The run broke off: {why}."
    if lines.died:
        return RunEnd.DIED, f"The run broke off: {lines.died}"
    if lines.collect_errors.keys() == {NO_FILE}:
        return RunEnd.COLLECTION, f"The runner could not start: {_complaint(output)}"
    if lines.collect_errors:
        return RunEnd.COLLECTION, f"Could not be collected: {_first_errors(lines.collect_errors)}."
    if not lines.collection_ended or lines.exit in (3, 4):
        return RunEnd.COLLECTION, f"The runner could not start: {_complaint(output)}"
    if lines.exit not in _ENDED and not (partial and lines.exit == 2):
        return RunEnd.DIED, f"The runner was interrupted (exit code {lines.exit})."
    n_left = len(lines.collected.keys() - {test.id for test in lines.tests})
    if n_left and not partial:
        return RunEnd.DIED, f"The run ended before {n_left} of its {len(lines.collected)} tests."
    return RunEnd.COMPLETE, ""


def _first_errors(errors: dict[str, str]) -> str:
    """Return the first names, and what the first of them complains of."""
    names = sorted(errors)
    told = _gist(errors[names[0]]) if names else ""
    return ", ".join(names[:_MAX_NAMED]) + (f" ({told})" if told else "")


def _gist(message: str) -> str:
    """Return the line of a traceback that says what is wrong: pytest marks it, others begin with it."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    raised = [line for line in lines if _RAISED.match(line)]
    return next(iter([*marked[-1:], *raised[-1:], *lines[:1]]), "")[:_MAX_GIST].rstrip(".")


def _complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    marked = (line for line in lines if line.startswith("ERROR") or _RAISED.match(line))
    return next(marked, lines[-1] if lines else "no output.")[:_MAX_COMPLAINT]
