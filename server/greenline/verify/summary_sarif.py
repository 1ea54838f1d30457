"""Evidence as SARIF 2.1.0, which code hosts show beside the changed lines (OASIS, 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from greenline.core.bite import HunkBite
from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, TestReport, Verdict
from greenline.edit.text import split_lines

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES = {
    "verdict": "The measured verdict of a change is another than verified.",
    "lost-test": "A test that passed without the change does not pass with it.",
    "flaky-test": "A test gives both outcomes on the same text.",
    "missing-test": "A test is gone that still passes on the changed code.",
    "not-covered": "No test that passes executes the changed lines.",
    "idle-hunk": "No test fails when the changed lines are taken back.",
    "survived-mutant": "No test notices a small edit of a changed line.",
}
_ERRORS = (Verdict.REGRESSED, Verdict.STILL_FAILING, Verdict.COULD_NOT_RUN)


def evidence_sarif(evidence: Evidence, hunks: Sequence[Hunk], root: str, version: str) -> dict[str, Any]:
    """Return a SARIF log with one run; without results where the change is verified, covered and bites.

    Paths are relative to `%SRCROOT%`, which is `root`. Regions of hunks are lines of the changed text.
    """
    regions = [
        _location(_relative(h.path, root), *lines) for h, lines in zip(hunks, _lines(hunks), strict=True)
    ]
    results = []
    if evidence.verdict is not Verdict.VERIFIED:
        reason = f" ({evidence.reason})" if evidence.reason else ""
        level = "error" if evidence.verdict in _ERRORS else "warning"
        text = f"{evidence.verdict.value}{reason}: {evidence.detail}"
        results.append(_result("verdict", level, text, regions[:1]))
    for rule, level, tests, words in (
        ("lost-test", "error", evidence.lost, "passed without the change and does not pass with it"),
        ("flaky-test", "warning", evidence.flaky, "passed and failed on the same text"),
        ("missing-test", "note", evidence.missing, "is gone, and still passes on the changed code"),
    ):
        for test in tests:
            message = _message_of(test, evidence.patched)
            where = _places(test, evidence.patched, evidence.base)
            results.append(_result(rule, level, f"{test} {words}.{message}", where))
    measured = {item.hunk_id: item for item in evidence.hunks}
    for hunk, region in zip(hunks, regions, strict=True):
        item = measured.get(hunk.id)
        if item is not None and item.coverage == "notCovered":
            results.append(_result("not-covered", "warning", _RULES["not-covered"], [region]))
        if item is not None and item.bite is not None:
            results += _bite(item.bite, region)
    driver = {
        "name": "Greenline",
        "version": version,
        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"uri": Path(root).as_uri() + "/"}},
        "results": results,
        "properties": {
            "verdict": evidence.verdict.value,
            "reason": evidence.reason,
            **({} if evidence.bite is None else {"bite": evidence.bite.words()}),
            **({} if evidence.selection is None else {"selection": evidence.selection.words()}),
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _bite(bite: HunkBite, region: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what the tests do not notice of one hunk."""
    if bite.state == "idle":
        yield _result("idle-hunk", "note", _RULES["idle-hunk"], [region])
    for mutant in bite.survivors:
        where = _location(mutant.path, mutant.line, mutant.line)
        yield _result("survived-mutant", "note", f"No test notices {mutant.words()}.", [where])


def _result(rule: str, level: str, text: str, locations: Sequence[dict[str, Any]]) -> dict[str, Any]:
    number = list(_RULES).index(rule)
    return {
        "ruleId": rule,
        "ruleIndex": number,
        "level": level,
        "message": {"text": text},
        "locations": list(locations),
    }


def _location(path: str, first: int, last: int) -> dict[str, Any]:
    artifact = {"uri": quote(path, safe="/"), "uriBaseId": "%SRCROOT%"}
    region = {"startLine": first, "endLine": last}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _lines(hunks: Sequence[Hunk]) -> list[tuple[int, int]]:
    """Return each hunk's first and last line in the changed text, from 1; where all is removed, one line."""
    moved: dict[str, int] = {}
    found: dict[str, tuple[int, int]] = {}
    for hunk in sorted(hunks, key=lambda hunk: (hunk.path, hunk.start_line)):
        n_lines = len(split_lines(hunk.after))
        first = hunk.start_line + moved.get(hunk.path, 0) + 1
        found[hunk.id] = first, first + max(n_lines - 1, 0)
        moved[hunk.path] = moved.get(hunk.path, 0) + n_lines - (hunk.end_line - hunk.start_line)
    return [found[hunk.id] for hunk in hunks]


def _places(test: str, *reports: TestReport | None) -> list[dict[str, Any]]:
    for report in reports:
        for result in report.tests if report else ():
            if result.id == test and result.file:
                line = result.line or 1
                return [_location(result.file, line, line)]
    return []


def _message_of(test: str, report: TestReport | None) -> str:
    found = next((t.message for t in report.tests if t.id == test), "") if report else ""
    lines = [line.strip() for line in found.splitlines() if line.strip()]
    return f" {lines[-1]}" if lines else ""


def _relative(path: str, root: str) -> str:
    return Path(path).relative_to(root).as_posix()
