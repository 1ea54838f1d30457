"""Markdown for hover, explanations and plans; what comes from files or models is shown as plain text."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, Outcome, TestReport, Verdict
from greenline.core.task import Plan, Proposal, Run, RunStory
from greenline.edit.hunk import diff_text
from greenline.verify.summary import bite_lines, bite_of, measured_before

if TYPE_CHECKING:
    from greenline.lsp.shelf import PlacedHunk

_SPECIAL = re.compile(
    r"([\\`*\[\]<>#|~@]"
    # Within a word it is no emphasis, and names are full of it.
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|&(?=#?\w+;)"
    # Of a bare address many make a link.
    r"|:(?=//)|(?<=www)\."
    # Only at its beginning a text can become a list, a rule or a heading's underline.
    r"|^[-+=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|(?<=^\d\d\d)[.)]|(?<=^\d\d\d\d)[.)])",
    re.IGNORECASE,
)
"""What Markdown would not show as it is; no more, since some clients show every backslash."""
_MADE_FIT = re.compile(r"\\([^\sA-Za-z0-9])|&([lg]t);")
_BRACKETS = {"lt": "<", "gt": ">"}
_MAX_DIFF = 8000
_MAX_TESTS = 8


def plain(text: str) -> str:
    """Return untrusted text that Markdown shows as it is: no links, no HTML, one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("\\<", "&lt;").replace("\\>", "&gt;")


def spoken(markdown: str) -> str:
    """Return what `plain` has made fit for Markdown as a message shows it, which knows no Markdown."""
    return _MADE_FIT.sub(lambda found: found[1] or _BRACKETS[found[2]], markdown)


def fenced(text: str, language: str = "") -> str:
    """Return a code block whose fence no run of backticks inside can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def headline(proposal: Proposal) -> str:
    """Return the verdict in a few words, with the name of its reason."""
    return _verdict(proposal, f"({proposal.evidence.reason})" if proposal.evidence.reason else "")


def verdict_words(proposal: Proposal) -> str:
    """Return the verdict in a few words, for messages and questions."""
    return _verdict(proposal, "")


def _verdict(proposal: Proposal, reason: str) -> str:
    evidence = proposal.evidence
    words = {
        Verdict.VERIFIED: "verified",
        Verdict.COULD_NOT_RUN: "untested: the tests could not run",
        Verdict.NOT_RUN: "untested: no test was run",
        Verdict.FLAKY: "flaky tests",
        Verdict.REGRESSED: "breaks a test",
        Verdict.STILL_FAILING: "still failing",
        Verdict.TESTS_ONLY: "changes tests only",
        Verdict.NOT_COVERED: "not covered by a test",
    }[evidence.verdict]
    parts = [words, reason] if reason else [words]
    if evidence.touches_tests:
        parts.append("— touches tests or their configuration")
    if evidence.selection is not None:
        n_run, n_tests = evidence.selection.n_selected, evidence.selection.n_tests
        parts.append(f"— {n_run} of {n_tests} tests ran")
    if evidence.currency == "partial":
        parts.append("— partial: measured on another choice of its hunks or of their lines")
    return " ".join(parts)


def hunk_markdown(item: PlacedHunk) -> str:
    """Return a pending hunk's diff, its why and its evidence."""
    proposal, hunk = item.proposal, item.shown
    lines = [f"**Greenline** · {plain(headline(proposal))}"]
    if item.placed is None:
        lines.append("*Conflicted*: the text that it replaces is gone.")
    if hunk.why:
        lines.append(plain(hunk.why))
    if needed := item.needed():
        places = [plain(place_of(other)) for other in needed[:_MAX_TESTS]]
        more = f" and {len(needed) - _MAX_TESTS} more" if len(needed) > _MAX_TESTS else ""
        lines.append(f"Needs {', '.join(places)}{more}, not accepted yet.")
    if hunk.mode is not None:
        lines.append(f"Sets the mode bits {hunk.mode:o}.")
    lines.append(fenced(_diff(hunk), "diff"))
    lines += _coverage(proposal, hunk)
    lines.append(evidence_markdown(proposal.evidence))
    return "\n\n".join(lines)


def accepted_markdown(proposal: Proposal, hunk: Hunk, when: str) -> str:
    """Return what was accepted, and what was measured then; `when` is a date for people."""
    lines = [f"**Greenline** · accepted {when} · {plain(headline(proposal))}"]
    if hunk.why:
        lines.append(plain(hunk.why))
    lines.append(fenced(_diff(hunk), "diff"))
    lines += _coverage(proposal, hunk)
    lines.append(evidence_markdown(proposal.evidence))
    return "\n\n".join(lines)


def story_markdown(run_id: str, story: RunStory, entry: int | None) -> str:
    """Return what a change was asked for, which step of the plan it belongs to, and what its run cost."""
    lines = []
    step = next((e for e in story.plan.entries if e.number == entry), None) if story.plan else None
    if step is not None:
        lines.append(f"Step {step.number} of the plan: {plain(step.intent)}")
    cost = "no model was asked" if story.spent_usd is None else f"${story.spent_usd:.2f}"
    lines.append(f"Run `{run_id}` ({cost}): {plain(story.request)}")
    return "\n\n".join(lines)


def _coverage(proposal: Proposal, hunk: Hunk) -> list[str]:
    measured = next((e for e in proposal.evidence.hunks if e.hunk_id == hunk.id), None)
    if measured is not None and measured.coverage == "covered":
        shown = ", ".join(plain(t) for t in measured.tests[:_MAX_TESTS])
        more = f" and {len(measured.tests) - _MAX_TESTS} more" if len(measured.tests) > _MAX_TESTS else ""
        lines = [f"Covered by {len(measured.tests)} tests: {shown}{more}"]
    elif measured is not None and measured.coverage == "notCovered":
        lines = ["No test executes these lines."]
    else:
        lines = []
    said = bite_of(measured)
    return [*lines, plain(f"Bite: {said.removeprefix(', ')}")] if said else lines


def place_of(hunk: Hunk) -> str:
    """Return where a hunk is, for people: the file's name and its first line."""
    return f"{PurePosixPath(hunk.path).name}:{hunk.start_line + 1}"


def evidence_markdown(evidence: Evidence) -> str:
    """Return what the sandbox measured as a table."""
    lines = [plain(evidence.detail)] if evidence.detail else []
    rows = [("base", evidence.base), ("patched", evidence.patched)]
    measured = [(name, report) for name, report in rows if report is not None]
    if measured:
        lines.append(
            "\n".join(
                [
                    "| run | passed | failed | errors | skipped | seconds |",
                    "| --- | --- | --- | --- | --- | --- |",
                ]
                + [_row(name, report) for name, report in measured]
            )
        )
    if evidence.fixed:
        lines.append("Fixed: " + ", ".join(plain(t) for t in evidence.fixed[:_MAX_TESTS]))
    if evidence.lost:
        lines.append("Lost: " + ", ".join(plain(t) for t in evidence.lost[:_MAX_TESTS]))
    lines += [plain(line) for line in bite_lines(evidence)]
    lines += [plain(warning) for warning in evidence.warnings]
    return "\n\n".join(lines)


def plan_markdown(run: Run, plan: Plan) -> str:
    """Return a plan as a document to read."""
    lines = [f"# Plan: {plain(run.task.request)}", f"Run `{run.id}`, version {plan.version}."]
    if plan.risk:
        lines.append(f"Risk: {plain(plan.risk)}")
    if plan.score is not None:
        lines.append(f"The critic's score: {plan.score} of 10.")
    lines += [f"The critic: {plain(remark)}" for remark in plan.remarks]
    for entry in plan.entries:
        body = [f"{entry.number}. {plain(entry.intent)} ({entry.status.value})"]
        body += [f"   - file {plain(path)}" for path in entry.files]
        body += [f"   - check {plain(check)}" for check in entry.checks]
        lines.append("\n".join(body))
    lines.append("Execute it with the command `greenline.server.execute` and the run's id.")
    return "\n\n".join(lines) + "\n"


def _row(name: str, report: TestReport) -> str:
    counts = [report.count(o) for o in (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED)]
    cells = [f"{name}{measured_before(report)}", *map(str, counts), f"{report.duration_s:.1f}"]
    return f"| {' | '.join(cells)} |"


def _diff(hunk: Hunk) -> str:
    before = None if hunk.op == "create" else hunk.before
    after = None if hunk.op == "delete" else hunk.after
    lines = diff_text(hunk.path, before, after).split("\n")[2:]
    text = "\n".join(line for line in lines if not line.startswith("@@ "))
    return text if len(text) <= _MAX_DIFF else text[:_MAX_DIFF] + "\n…"
