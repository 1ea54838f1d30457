"""Evidence in the forms that other programs read."""

from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from greenline.core.bite import Bite, ChangedLines, HunkBite, Mutant
from greenline.core.edit import Hunk
from greenline.core.evidence import (
    Evidence,
    HunkEvidence,
    Outcome,
    RunEnd,
    TestReport,
    TestResult,
    Verdict,
)
from greenline.core.task import Proposal
from greenline.lsp.render import hunk_markdown, plain, spoken
from greenline.lsp.shelf import PlacedHunk
from greenline.verify.summary import bite_lines, evidence_json
from greenline.verify.summary_junit import evidence_junit
from greenline.verify.summary_markdown import escape, evidence_markdown
from greenline.verify.summary_sarif import evidence_sarif

ROOT = "/w"


def hunk(name: str, path: str, start: int, end: int, after: str) -> Hunk:
    return Hunk(name, f"{ROOT}/{path}", "edit", start, end, "x\n" * (end - start), after, "")


HUNKS = (
    hunk("h1", "a b.py", 0, 0, "one\ntwo\n"),
    hunk("h2", "a b.py", 4, 6, "new"),
    hunk("h3", "c.py", 9, 10, ""),
)
LOST = TestResult(
    "tests/test_a.py::test_x[1]", Outcome.FAILED, 0.25, "tests/test_a.py", 7, "a\nassert 1 == 2\n"
)
EVIDENCE = Evidence(
    Verdict.REGRESSED,
    "lost",
    "1 test is lost.",
    base=TestReport(RunEnd.COMPLETE, (TestResult(LOST.id, Outcome.PASSED),)),
    patched=TestReport(
        RunEnd.COMPLETE,
        (
            LOST,
            TestResult("tests/test_a.py::test_y", Outcome.SKIPPED),
            TestResult("t.T.test_z", Outcome.PASSED),
        ),
    ),
    lost=(LOST.id,),
    flaky=("tests/test_b.py::test_coin",),
    hunks=(HunkEvidence("h1", "covered", (LOST.id,)), HunkEvidence("h2", "notCovered")),
)


def test_sarif_names_lost_tests_and_lines_that_no_test_executes() -> None:
    log = json.loads(json.dumps(evidence_sarif(EVIDENCE, HUNKS, ROOT, "1.0")))

    (run,) = log["runs"]
    places = [
        (
            r["ruleId"],
            r["level"],
            *(loc["physicalLocation"]["artifactLocation"]["uri"] for loc in r["locations"]),
        )
        for r in run["results"]
    ]
    assert places == [
        ("verdict", "error", "a%20b.py"),
        ("lost-test", "error", "tests/test_a.py"),
        ("flaky-test", "warning"),
        ("not-covered", "warning", "a%20b.py"),
    ]
    assert "assert 1 == 2" in run["results"][1]["message"]["text"]
    # Two lines were put in above: what was line 5 of the base is line 7 now.
    assert run["results"][3]["locations"][0]["physicalLocation"]["region"] == {"startLine": 7, "endLine": 7}
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[r["ruleIndex"]] == r["ruleId"] for r in run["results"])


def test_sarif_of_a_verified_change_has_no_result() -> None:
    evidence = Evidence(Verdict.VERIFIED, "", "", hunks=(HunkEvidence("h1", "covered"),))

    assert evidence_sarif(evidence, HUNKS, ROOT, "1.0")["runs"][0]["results"] == []


BITTEN = Evidence(
    Verdict.VERIFIED,
    "",
    "",
    hunks=(
        HunkEvidence("h1", "covered", ("t",), HunkBite("bites", tests=("t",), n_mutants=2, n_killed=1)),
        HunkEvidence(
            "h2",
            "covered",
            ("t",),
            HunkBite("idle", "noTestFails", n_mutants=1, survivors=(Mutant("a b.py", 8, "*", "+"),)),
        ),
        HunkEvidence("h3", "notApplicable", (), HunkBite("notMeasured", "noCode")),
    ),
    changed_lines=ChangedLines(2, 3),
    bite=Bite(2, 1, 0, 3, 1, 4, "The time of 9 s for it was over."),
)
WORDS = "1 of 2 hunks bite; 1 of 3 mutants killed; 4 not tried"


def test_sarif_notes_what_no_test_notices() -> None:
    (run,) = evidence_sarif(BITTEN, HUNKS, ROOT, "1.0")["runs"]

    notes = [(r["ruleId"], r["level"], r["message"]["text"]) for r in run["results"]]
    assert notes == [
        ("idle-hunk", "note", "No test fails when the changed lines are taken back."),
        ("survived-mutant", "note", "No test notices a b.py:8: * → +."),
    ]
    region = run["results"][1]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 8, "endLine": 8}
    assert run["properties"]["bite"] == WORDS


def test_markdown_and_lines_say_the_bite_in_counts() -> None:
    text = evidence_markdown(BITTEN, HUNKS, ROOT)

    assert "- 2 of 3 changed lines are executed by tests." in text
    assert f"- {WORDS} (The time of 9 s for it was over.)" in text
    assert "  - no test notices a b.py:8: \\* → +" in text
    assert "| a b.py:1 | executed, bites (t fails without it), 1 of 2 mutants killed |" in text
    assert "| a b.py:5 | executed, no test misses it, 0 of 1 mutants killed |" in text
    assert "| c.py:10 | not product code |" in text
    assert bite_lines(BITTEN)[1] == "no test notices a b.py:8: * → +"


def test_json_of_a_change_whose_bite_was_not_asked_for_has_none() -> None:
    value = evidence_json(EVIDENCE, HUNKS, ROOT)
    bitten = evidence_json(BITTEN, HUNKS, ROOT)

    assert (value["bite"], value["changedLines"], value["hunks"][0]["bite"]) == (None, None, None)
    assert bitten["bite"]["nMutantsLeft"] == 4
    assert bitten["hunks"][1]["bite"]["survivors"][0]["before"] == "*"


def test_junit_counts_what_it_holds() -> None:
    suites = Xml.fromstring(evidence_junit(EVIDENCE))

    verdict, tests = suites.findall("testsuite")
    assert (
        verdict.findtext("testcase/failure")
        == f"1 test is lost.\nlost: {LOST.id}\nflaky: tests/test_b.py::test_coin"
    )
    assert (tests.get("tests"), tests.get("failures"), tests.get("skipped")) == ("3", "1", "1")
    assert len(tests.findall("testcase")) == 3
    assert [case.get("name") for case in tests.iter("testcase")] == ["test_x[1]", "test_y", "t.T.test_z"]


def test_junit_of_what_could_not_run_is_a_failure() -> None:
    suites = Xml.fromstring(
        evidence_junit(Evidence(Verdict.COULD_NOT_RUN, "sandboxUnavailable", "No engine."))
    )

    assert [case.find("failure") is not None for case in suites.iter("testcase")] == [True]


@given(st.text(), st.text())
def test_junit_is_xml_whatever_tests_say(name: str, message: str) -> None:
    test = TestResult(name or "t", Outcome.FAILED, message=message)
    report = TestReport(RunEnd.COMPLETE, (test,), detail=message)

    Xml.fromstring(
        evidence_junit(Evidence(Verdict.REGRESSED, name, message, patched=report)).encode("utf-8", "replace")
    )


def test_markdown_shows_the_verdict_the_tests_and_the_lines() -> None:
    text = evidence_markdown(EVIDENCE, HUNKS, ROOT)

    assert text.startswith("## ❌ Greenline: regressed (lost)\n")
    assert "| **with the change** | 1 | 1 | 0 | 1 | complete |" in text
    assert "| a b.py:5 | **executed by no test** |  |" in text


@pytest.mark.parametrize("text", ["<img src=x>", "@team", "a|b", "`x`", "# x\n\n# y", "[a](b)", "&lt;"])
def test_markdown_of_untrusted_text_is_text(text: str) -> None:
    shown = escape(text)

    assert "\n" not in shown
    assert not re.search(r"(?<!\\)[<>|`\[\]#]", shown)
    assert "@t" not in shown
    assert "&lt;" not in shown


def test_a_hover_says_the_bite_of_its_hunk_and_of_the_whole_as_plain_text() -> None:
    proposal = Proposal("p", "r", HUNKS, BITTEN)
    first, second, third = (hunk_markdown(PlacedHunk(proposal, hunk, hunk, hunk)) for hunk in HUNKS)

    assert "Bite: bites (t fails without it), 1 of 2 mutants killed" in first
    assert "Bite: no test misses it" in second
    assert "Bite" not in third
    assert all(WORDS in text for text in (first, second, third))
    assert "\\* → +" in first


@given(st.text(alphabet=r"ab1 _*.-+=#<>&;lt:/@~|`[]()\\!{}w"))
@example(r"line 1 of a\b/tree_one.py <b> [x](y)")
@example("&lt; \\<")
def test_what_is_made_fit_for_markdown_is_said_as_it_was(text: str) -> None:
    assert spoken(plain(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "tests/test_shop.py::test_a",
        "verified: 13 tests pass, 1 of them failed (before).",
        "a-b, 1.5 + 2 = 3!",
    ],
)
def test_what_markdown_shows_as_it_is_has_no_backslashes(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    "text",
    ["__init__", "- a", "+ a", "1. a", "---", "&amp;", "_a_", "*a*", "~~a~~", "[a](b)", "# a", "> a", "`a`"],
)
def test_what_markdown_would_show_otherwise_is_made_fit(text: str) -> None:
    markdown = MarkdownIt().enable("strikethrough")
    shown = markdown.render(plain(text))

    assert markdown.render(text) != shown == f"<p>{html.escape(text, quote=False)}</p>\n"


@pytest.mark.parametrize("text", ["https://a.b", "www.a.b", "a@b.c"])
def test_a_bare_address_becomes_no_link(text: str) -> None:
    assert "\\" in plain(text)
