"""Which tests are asked about which mutants on both sides of a patch, and what their answers show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import pytest

from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.core.port import StagedFile, Tree
from greenline.mutation.probe import Place, Probe, places, probes
from greenline.mutation.source import Candidate, Source
from greenline.verify.deaf import Suspect, deaf, read_answers, suspects, with_deaf, words
from greenline.verify.steady import Asked, Sides, asked_of

TEXT = """LIMIT = 3


def low(x):
    if x < LIMIT:
        return True
    return False


class Shelf:
    def put(self, name):
        self.last = name
        print(name)

    def names(self):
        async_name = [self.last]
        return async_name
"""
EXECUTED = (5, 6, 7, 12, 13, 16, 17)


def made(text: str, lines: Sequence[int]) -> dict[str, tuple[Probe, ...]]:
    return {place.name: found for place, found in probes(Source("a.py", text.encode()), lines).items()}


def changed(function: str, value: object) -> object:
    """Return what a function of one argument returns once its returned value is another one."""
    text = f"def f(x):\n    {function}\n"
    probe = made(text, [2])["f"][0]
    space: dict[str, object] = {}
    exec(probe.applied(text.encode()).decode(), space)
    return space["f"](value)  # type: ignore[operator]


def test_functions_and_methods_that_stand_in_no_other_are_found() -> None:
    assert [place.name for place in places(Source("a.py", TEXT.encode()))] == ["low", "put", "names"]


def test_the_first_mutant_of_a_function_changes_all_that_it_returns() -> None:
    first = made(TEXT, EXECUTED)["low"][0]

    assert [edit.line for edit in first.edits] == [6, 7] and first.is_coarse
    assert first.lines == {6, 7}
    compile(first.applied(TEXT.encode()), "a.py", "exec")


def test_a_function_that_returns_nothing_loses_a_call_before_a_local_name() -> None:
    found = made(TEXT, EXECUTED)["put"]

    assert [edit.operator for probe in found for edit in probe.edits] == ["removed statement"] * 2
    assert made(TEXT, EXECUTED)["names"][0].is_coarse


def test_no_mutant_is_made_of_lines_that_no_test_executes() -> None:
    assert [edit.line for edit in made(TEXT, (7,))["low"][0].edits] == [7]
    assert made(TEXT, ()) == {}


@pytest.mark.parametrize(
    "value", [True, 0, 1.5, "text", "", b"x", [], [1], (), (1, 2), {}, {"a": 1}, {1}, None, frozenset()]
)
def test_what_is_returned_instead_differs_and_is_of_the_same_kind(value: object) -> None:
    other = changed("return x", value)

    assert other != value
    assert value is None or type(other) is type(value)


def test_any_expression_can_be_returned_otherwise() -> None:
    assert changed("return x, 1", 2) == (1, None)
    assert changed("return (yield x) if x is None else x", 2)
    assert changed("return [y for y in x if (z := y)]", [1, 2]) == [2]


def report(outcomes: Mapping[str, str], coverage: Mapping[str, Sequence[int]] | None = None) -> TestReport:
    tests = tuple(
        TestResult(test, Outcome(outcome), file=test.split("::")[0]) for test, outcome in outcomes.items()
    )
    lines = {test: {"a.py": tuple(found)} for test, found in (coverage or {}).items()}
    return TestReport(RunEnd.COMPLETE, tests, lines)


OLD: Tree = {"a.py": StagedFile(TEXT.encode()), "test_a.py": StagedFile(b"def test_low(): ...\n")}
NEW: Tree = {**OLD, "conftest.py": StagedFile(b"import a\n\na.names = None\n")}
COVERAGE = {
    "test_a.py::test_low": (5, 6),
    "test_a.py::test_all": EXECUTED,
    "test_a.py::test_other": (12, 13),
}
SIDES = Sides(
    report(dict.fromkeys(COVERAGE, "passed"), COVERAGE),
    report({**dict.fromkeys(COVERAGE, "passed"), "test_a.py::test_new": "passed"}),
    OLD,
    NEW,
    lambda path: path == "a.py",
    (),
)


def test_only_tests_that_pass_on_both_sides_and_say_what_they_said_are_steady() -> None:
    sides = attrs.evolve(
        SIDES,
        old=report({"a": "passed", "b": "passed", "c": "passed", "d": "failed", "e": "xpassed"}),
        new=report({"a": "passed", "b": "failed", "c": "passed", "d": "passed", "f": "passed"}),
        rewritten={"c"},
    )

    assert (sides.steady(), sides.own(), sides.added_to()) == (("a", "c"), ("c", "f"), {"c"})
    assert attrs.evolve(sides, loosened={"c"}).steady() == ("a",)


def test_each_function_and_each_test_is_asked_about() -> None:
    asked = asked_of(SIDES, 5.0)

    assert {place.name for _, place in asked.spots} == {"low", "put", "names"}
    assert set(asked.tests) == set(COVERAGE)
    for test, numbers in asked.tests.items():
        assert all(asked.probes[n].lines.intersection(COVERAGE[test]) for n in numbers)


def test_what_the_patch_names_is_asked_about_first_and_the_time_ends_it() -> None:
    asked = asked_of(SIDES, 0.15)

    assert {place.name for _, place in asked.spots} == {"names"}
    assert asked_of(SIDES, 0.0) == Asked()


def test_nothing_is_asked_about_tests_or_text_that_is_no_python() -> None:
    broken = {**OLD, "a.py": StagedFile(b"def low(:\n")}

    assert asked_of(attrs.evolve(SIDES, is_product=lambda path: False), 5.0) == Asked()
    assert asked_of(attrs.evolve(SIDES, old_tree=broken), 5.0) == Asked()


def probe(operator: str, line: int = 5) -> Probe:
    return Probe((Candidate("a.py", 0, 1, b"", operator, line, 1.0),), frozenset({line}))


COARSE = probe("returned something else")
SPOT = ("a.py", Place("low", 5, 7))
ASKED = Asked((COARSE, probe("a", 6), probe("b", 7)), (SPOT, SPOT, SPOT), {"t": (0, 1, 2)})


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param(("failed", "passed", "passed"), ("passed",) * 3, 5, id="another value"),
        pytest.param(("failed", "passed", "passed"), ("skipped",) * 3, 5, id="skipped"),
        pytest.param(("failed", "failed", "passed"), ("passed", "failed", "passed"), 5, id="coarse alone"),
        pytest.param(("failed", "failed", "passed"), ("failed", "passed", "passed"), 0, id="one of two"),
        pytest.param(("passed", "failed", "failed"), ("passed", "passed", "failed"), 0, id="a small one"),
        pytest.param(("passed", "failed", "error"), ("passed", "passed", "error"), 6, id="all assertions"),
        pytest.param(("passed", "error", "passed"), ("passed",) * 3, 6, id="errors where none asserts"),
        pytest.param(("hung", "died", "passed"), ("passed",) * 3, 0, id="no answer"),
        pytest.param(("failed", "passed", "passed"), ("hung", "passed", "passed"), 0, id="does not end"),
        pytest.param(("passed",) * 3, ("failed",) * 3, 0, id="notices more"),
    ],
)
def test_a_test_is_suspected_by_what_it_missed(old: Sequence[str], new: Sequence[str], line: int) -> None:
    before = {("t", n): outcome for n, outcome in enumerate(old)} | {("t", -1): "passed"}
    after = {("t", n): outcome for n, outcome in enumerate(new)}

    found = suspects(ASKED, before, after)

    assert [suspect.probe.line for suspect in found] == ([line] if line else [])
    assert suspects(ASKED, {**before, ("t", -1): "failed"}, after) == ()
    assert suspects(ASKED, before, {}) == ()


def test_a_test_is_deaf_only_where_all_runs_say_so() -> None:
    fails, passes = report({"t": "failed", "u": "failed"}), report({"t": "passed", "u": "failed"})

    assert deaf(("t", "u"), (fails, fails), (passes, passes)) == ("t",)
    assert deaf(("t",), (fails, passes), (passes, passes)) == ()
    assert deaf(("t",), (fails, fails), (passes, fails)) == ()
    assert deaf(("t",), (fails,), (report({}),)) == ()
    assert deaf(("t",), (attrs.evolve(fails, end=RunEnd.TIMEOUT),), (passes,)) == ()


def test_a_line_that_cannot_be_read_and_one_that_comes_twice_say_nothing() -> None:
    line = b'{"kind": "notice", "test": "t", "index": %d, "outcome": "%s"}\n'
    lines = line % (0, b"failed") + line % (1, b"failed") + line % (1, b"passed") + b"no\n[]\n"

    assert read_answers(lines) == {("t", 0): "failed"}


def test_the_words_name_the_tests_and_the_line() -> None:
    many = words(Suspect(COARSE, ("a", "b", "c", "d")))

    assert words(Suspect(COARSE, ("a",))).endswith(" a no longer notices a change of a.py:5.")
    assert many.endswith(" a, b, c and 1 more no longer notice a change of a.py:5.")


@pytest.mark.parametrize(
    ("verdict", "old"), [(Verdict.VERIFIED, None), (Verdict.TESTS_ONLY, report({"t": "passed"}))]
)
def test_nothing_is_asked_without_a_change_of_tests_or_for_another_verdict(
    verdict: Verdict, old: TestReport | None
) -> None:
    evidence = Evidence(verdict, "", "", patched=report({"t": "passed"}), old_tests=old)

    assert with_deaf(evidence, None, lambda _: None) is evidence  # type: ignore[arg-type]
