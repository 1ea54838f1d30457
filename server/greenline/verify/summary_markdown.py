"""Evidence as Markdown, for a comment on a pull request or a job's summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, Outcome, TestReport, Verdict
from greenline.verify.summary import bite_lines, bite_of, lines_words, measured_before

_MAX_NAMES = 20
_MAX_HUNKS = 50
_SIGN = {Verdict.VERIFIED: "✅", Verdict.REGRESSED: "❌", Verdict.STILL_FAILING: "❌"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!~@&])")
_COVERAGE = {
    "covered": "executed",
    "notCovered": "**executed by no test**",
    "notApplicable": "not product code",
}


def evidence_markdown(evidence: Evidence, hunks: Sequence[Hunk], root: str) -> str:
    """Return GitHub-flavoured Markdown; names and messages, which are untrusted, are escaped."""
    reason = f" ({escape(evidence.reason)})" if evidence.reason else ""
    lines = [f"## {_SIGN.get(evidence.verdict, '⚠️')} Greenline: {evidence.verdict.value}{reason}", ""]
    lines += [escape(evidence.detail), ""] if evidence.detail else []
    lines += [f"> ⚠️ {escape(warning)}" for warning in evidence.warnings]
    lines += [""] if evidence.warnings else []
    lines += _reports(evidence)
    for title, tests in (
        ("Fixed", evidence.fixed),
        ("Lost", evidence.lost),
        ("Flaky", evidence.flaky),
        ("Renamed or removed", evidence.missing),
    ):
        lines += _names(title, tests)
    lines += _hunks(evidence, hunks, root)
    lines += _bite(evidence)
    facts = [evidence.engine, evidence.image[:19], f"{evidence.duration_s:.1f} s"]
    lines += [f"<sub>Measured with {escape(', '.join(fact for fact in facts if fact))}.</sub>", ""]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line; mentions and HTML are none."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("\\@", "@\u200b").replace("\\&", "&amp;")


def _reports(evidence: Evidence) -> list[str]:
    rows = [
        ("without the change", evidence.base),
        ("**with the change**", evidence.patched),
        ("new tests without it", evidence.new_tests),
        ("old tests with it", evidence.old_tests),
    ]
    if all(report is None for _, report in rows):
        return []
    titles = "| tests | passed | failed | errors | skipped | end | seconds |"
    head = [titles, "| --- |" + " ---: |" * 4 + " --- | ---: |"]
    return [*head, *(_row(name, report) for name, report in rows if report is not None), ""]


def _row(name: str, report: TestReport) -> str:
    counts = (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED)
    cells = [str(report.count(outcome)) for outcome in counts]
    name += measured_before(report)
    return f"| {name} | {' | '.join(cells)} | {report.end.value} | {report.duration_s:.2f} |"


def _names(title: str, tests: Sequence[str]) -> list[str]:
    if not tests:
        return []
    shown = [f"- {escape(test)}" for test in tests[:_MAX_NAMES]]
    more = [f"- … and {len(tests) - _MAX_NAMES} more"] if len(tests) > _MAX_NAMES else []
    return [f"**{title}**", "", *shown, *more, ""]


def _bite(evidence: Evidence) -> list[str]:
    said = [words] if (words := lines_words(evidence)) else []
    first, *rest = bite_lines(evidence) or ("",)
    said += [escape(first)] if first else []
    lines = [f"- {line}" for line in said] + [f"  - {escape(line)}" for line in rest]
    return [*lines, ""] if lines else []


def _hunks(evidence: Evidence, hunks: Sequence[Hunk], root: str) -> list[str]:
    measured = {item.hunk_id: item for item in evidence.hunks}
    if not measured:
        return []
    lines = ["| change | its lines | by |", "| --- | --- | ---: |"]
    for hunk in hunks[:_MAX_HUNKS]:
        item = measured.get(hunk.id)
        place = f"{Path(hunk.path).relative_to(root).as_posix()}:{hunk.start_line + 1}"
        coverage = _COVERAGE[item.coverage] if item else "not measured"
        n_tests = f"{len(item.tests)} tests" if item and item.tests else ""
        lines.append(f"| {escape(place)} | {coverage}{escape(bite_of(item))} | {n_tests} |")
    if len(hunks) > _MAX_HUNKS:
        lines.append(f"| … and {len(hunks) - _MAX_HUNKS} more | | |")
    return [*lines, ""]
