"""Evidence as JUnit XML, which continuous integration shows as a table of tests.

There is no standard; the elements and attributes are those of the schema that Jenkins' JUnit plug-in reads.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from greenline.core.evidence import Evidence, Outcome, TestReport, TestResult, Verdict

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILURES = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.XPASSED: "failure"}
_PASSED = (Outcome.PASSED,)


def evidence_junit(evidence: Evidence) -> str:
    """Return an XML document with two suites: the verdict as one test, and the tests with the change."""
    suites = Xml.Element("testsuites", name="greenline")
    _verdict(suites, evidence)
    if evidence.patched is not None:
        _suite(suites, evidence.patched)
    Xml.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(suites, encoding="unicode") + "\n"


def _verdict(suites: Xml.Element, evidence: Evidence) -> None:
    is_failed = evidence.verdict is not Verdict.VERIFIED
    time = f"{evidence.duration_s:.3f}"
    suite = Xml.SubElement(
        suites,
        "testsuite",
        name="verdict",
        tests="1",
        failures=str(int(is_failed)),
        errors="0",
        skipped="0",
        time=time,
    )
    properties = Xml.SubElement(suite, "properties")
    facts = {
        "verdict": evidence.verdict.value,
        "reason": evidence.reason,
        "engine": evidence.engine,
        "image": evidence.image,
        "command": " ".join(evidence.command),
        "fixed": " ".join(evidence.fixed),
        "selection": "" if evidence.selection is None else evidence.selection.words(),
    }
    for name, value in facts.items():
        if value:
            Xml.SubElement(properties, "property", name=name, value=_clean(value))
    case = Xml.SubElement(suite, "testcase", classname="greenline", name="the change is verified", time=time)
    if is_failed:
        words = f"{evidence.verdict.value} {evidence.reason}".strip()
        failure = Xml.SubElement(case, "failure", message=_clean(words), type=evidence.verdict.value)
        lines = [evidence.detail, *evidence.warnings, *(f"lost: {test}" for test in evidence.lost)]
        lines += [f"flaky: {test}" for test in evidence.flaky]
        failure.text = _clean("\n".join(line for line in lines if line))


def _suite(suites: Xml.Element, report: TestReport) -> None:
    n_errors = report.count(Outcome.ERROR)
    n_failures = report.count(Outcome.FAILED) + report.count(Outcome.XPASSED)
    n_skipped = sum(1 for t in report.tests if t.outcome not in _FAILURES and t.outcome not in _PASSED)
    suite = Xml.SubElement(
        suites,
        "testsuite",
        name="tests with the change",
        tests=str(len(report.tests)),
        failures=str(n_failures),
        errors=str(n_errors),
        skipped=str(n_skipped),
        time=f"{report.duration_s:.3f}",
    )
    for test in report.tests:
        _case(suite, test)
    if report.detail:
        Xml.SubElement(suite, "system-err").text = _clean(report.detail)


def _case(suite: Xml.Element, test: TestResult) -> None:
    holder, _, name = test.id.rpartition("::")
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=_clean(holder or test.file or "tests"),
        name=_clean(name or test.id),
        time=f"{test.duration_s:.3f}",
    )
    if test.file:
        case.set("file", _clean(test.file))
    if test.line:
        case.set("line", str(test.line))
    if test.outcome in _FAILURES:
        lines = [line for line in test.message.splitlines() if line.strip()]
        element = Xml.SubElement(case, _FAILURES[test.outcome], message=_clean(lines[-1] if lines else ""))
        element.text = _clean(test.message)
    elif test.outcome not in _PASSED:
        Xml.SubElement(case, "skipped", message=test.outcome.value)


def _clean(text: str) -> str:
    """Return text that XML 1.0 can hold."""
    return _ILLEGAL.sub("\ufffd", text)
