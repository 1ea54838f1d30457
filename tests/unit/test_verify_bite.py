"""What a verified change's tests are asked beside the verdict, and what is made of their answers."""

from __future__ import annotations

import ast
from typing import cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.bite import Bite, ChangedLines, HunkBite, Mutant
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.evidence import Evidence, HunkEvidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.core.port import Limits, StagedFile, Tree, VerifyRequest
from greenline.mutation.choice import mutants
from greenline.mutation.source import Candidate
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.batch import Trial
from greenline.verify.bite import measure_bite, replies, reply_of
from greenline.verify.detection import projects
from greenline.verify.further import Further, Ground, measured_further, useless
from greenline.verify.hunk_coverage import executed, hunks_of, measure
from greenline.verify.path_rule import PathRule
from greenline.verify.question import MOST_TESTS, Change, Question, questions
from greenline.verify.runs import Suite
from greenline.verify.slower import always_slower, suspicious
from greenline.verify.takeback import TakenBack, taken_back
from greenline.verify.test_change import TestChange
from greenline.verify.tree import apply

ROOT = "/w"
BEFORE = {
    "calc.py": "import os\n\nLIMIT = 3\n\n\ndef low(x):\n    return x < LIMIT\n\n\n"
    "def name(x):\n    return str(x)\n",
    "test_calc.py": "import calc\n",
}
AFTER = {
    "calc.py": "import os\nimport math\n\nLIMIT = 3\n\n\ndef low(x):\n    return x <= LIMIT\n\n\n"
    "def name(x):\n    return str(math.floor(x))\n",
    "test_calc.py": "import calc\n\n\ndef test_new():\n    assert calc.math\n",
}


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def edit_set(before: dict[str, str], after: dict[str, str]) -> EditSet:
    paths = sorted({*before, *after})
    old, new = ({p: files[p].encode() for p in files} for files in (before, after))
    return EditSet(
        tuple(FileChange(f"{ROOT}/{p}", old.get(p), new.get(p)) for p in paths if old.get(p) != new.get(p))
    )


def is_product(path: str) -> bool:
    return PathRule().is_product(path)


def report(**durations: float) -> TestReport:
    tests = tuple(TestResult(name, Outcome.PASSED, seconds) for name, seconds in durations.items())
    return TestReport(RunEnd.COMPLETE, tests)


def change_of(before: dict[str, str], after: dict[str, str], coverage: dict[str, tuple[int, ...]]) -> Change:
    edits, base = edit_set(before, after), tree(before)
    patched = apply(ROOT, base, edits)
    run = attrs.evolve(
        report(**dict.fromkeys(coverage, 0.1)),
        coverage={test: {"calc.py": lines} for test, lines in coverage.items()},
    )
    hunks = hunks_of(edits)
    measured = measure(ROOT, hunks, base, patched, run, run)
    return Change(ROOT, base, patched, edits, hunks, measured, is_product, run)


def hunk_with(hunks: tuple[Hunk, ...], text: str) -> Hunk:
    return next(hunk for hunk in hunks if text in hunk.after)


def test_a_hunk_is_taken_back_with_those_that_need_it_and_tests_stay() -> None:
    edits = edit_set(BEFORE, AFTER)
    hunks = hunks_of(edits)
    user, binder = hunk_with(hunks, "floor"), hunk_with(hunks, "import math")

    back = taken_back(ROOT, edits, hunks, is_product)

    assert back[binder.id].along == (user.id,)
    assert back[user.id].along == ()
    assert set(back) == {hunk.id for hunk in hunks if hunk.path.endswith("/calc.py")}
    without = back[binder.id].contents["calc.py"]
    assert without is not None
    assert b"math" not in without
    assert b"x <= LIMIT" in without
    assert set(back[binder.id].contents) == {"calc.py"}


def test_a_created_file_is_gone_without_its_hunk_and_a_deleted_one_is_back() -> None:
    before, after = {"calc.py": "x = 1\n", "old.py": "y = 1\n"}, {"calc.py": "x = 1\n", "new.py": "z = 1\n"}
    edits = edit_set(before, after)
    hunks = hunks_of(edits)
    patched = apply(ROOT, tree(before), edits)

    back = taken_back(ROOT, edits, hunks, is_product)
    trees = [back[hunk.id].tree(tree(before), patched) for hunk in hunks]

    assert [sorted(found) for found in trees] == [["calc.py"], ["calc.py", "new.py", "old.py"]]
    assert all(back[hunk.id].edits(patched) is None for hunk in hunks)


def test_hunks_that_do_not_make_up_a_change_are_not_taken_back() -> None:
    edits = edit_set(BEFORE, AFTER)

    assert not taken_back(ROOT, edits, hunks_of(edits)[:1], is_product)


LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "  c\n", "\n", "d"]), max_size=8).map("".join)


@given(LINES, LINES)
def test_a_taken_back_file_is_one_edit_of_the_patched_one(old: str, new: str) -> None:
    patched = {"a.py": StagedFile(old.encode())}

    (edit,) = TakenBack((), {"a.py": new.encode()}).edits(patched) or ()

    assert old.encode()[: edit.start] + edit.replacement + old.encode()[edit.end :] == new.encode()
    assert edit.start in (0, len(old)) or old.encode()[edit.start - 1 : edit.start] in (b"\n", b"\r")


SOURCE = '''from typing import Literal


def total(rows: list[int], kind: Literal[1] = 1) -> int:
    """Return the total."""
    found = 0
    for row in rows:
        if row > 2 and kind == 1:
            found += row * 3
    if not found:
        raise ValueError("no " + "rows")
    return found
'''


def test_mutants_lie_within_the_lines_and_leave_annotations_docstrings_and_messages_alone() -> None:
    wanted = set(range(4, 13))

    found = mutants("a.py", SOURCE.encode(), wanted, 100)

    texts = {SOURCE.encode()[c.start : c.end].decode() for c in found}
    assert {">", "and", "==", "+=", "*", "not found"} <= texts
    assert not {"Literal[1]", '"no "', '"rows"', '"no " + "rows"'} & texts
    assert not any("Return the total" in text for text in texts)
    assert {c.line for c in found} <= wanted - {5}
    places = [(c.start, c.end) for c in found]
    assert max(places.count(place) for place in places) <= 2
    for candidate in found:
        made = SOURCE.encode()[: candidate.start] + candidate.replacement + SOURCE.encode()[candidate.end :]
        ast.parse(made)
        assert made != SOURCE.encode()


def test_mutants_are_spread_over_the_lines() -> None:
    found = mutants("a.py", SOURCE.encode(), range(1, 13), 5)

    assert len({candidate.line for candidate in found}) == 5
    assert found == mutants("a.py", SOURCE.encode(), range(1, 13), 100)[:5]


def test_nothing_is_made_of_what_is_no_python_or_not_changed() -> None:
    assert mutants("a.py", b"def (", {1}, 10) == ()
    assert mutants("a.py", SOURCE.encode(), (), 10) == ()


def test_only_tests_that_execute_a_line_are_asked_about_it() -> None:
    change = change_of(BEFORE, AFTER, {"low": (8,), "name": (12,)})
    hunks = {hunk.id: hunk for hunk in change.hunks}

    asked = questions(change)

    by_text = {hunks[question.hunk_id].after: question.tests for question in asked.hunks}
    assert by_text["    return x <= LIMIT\n"] == ("low",)
    # An import is executed by none; its user is taken back with it.
    assert by_text["import math\n"] == ("name",)
    assert all(question.edits for question in asked.hunks)
    told = {question.mutant.words(): question.tests for question in asked.mutants if question.mutant}
    assert told["calc.py:8: <= → <"] == ("low",)
    assert not asked.is_foreign


def test_another_language_takes_a_container_of_its_own_and_has_no_mutants() -> None:
    change = attrs.evolve(
        change_of({"a.js": "x(1);\n"}, {"a.js": "x(2);\n"}, {}),
        after=attrs.evolve(report(t=0.1), coverage={"t": {"a.js": (1,)}}),
    )

    asked = questions(change)

    assert [(question.tests, question.edits) for question in asked.hunks] == [(("t",), None)]
    assert asked.mutants == ()
    assert asked.is_foreign


def test_of_very_many_tests_the_quickest_are_asked_and_that_is_said() -> None:
    change = change_of(BEFORE, AFTER, {f"t{number}": (8,) for number in range(MOST_TESTS + 5)})
    tests = tuple(
        attrs.evolve(t, duration_s=9.0 if t.id in ("t0", "t3") else 0.1) for t in change.after.tests
    )
    change = attrs.evolve(change, after=attrs.evolve(change.after, tests=tests), fixed=frozenset({"t3"}))

    asked = questions(change)

    assert asked.is_cut
    assert max(len(question.tests) for question in asked.hunks) == MOST_TESTS
    assert asked.mutants[0].tests[0] == "t3"
    assert "t0" not in asked.mutants[0].tests


EMPTY: tuple[Candidate, ...] = ()
CONTROL = (EMPTY, ("a", "b"))
ASKED = Question("h", ("a", "b"))


@pytest.mark.parametrize(
    ("control", "trial", "answer"),
    [
        (Trial(frozenset("ab"), whole=True), Trial(frozenset("ab"), whole=True), "unnoticed"),
        (Trial(frozenset("ab"), whole=True), Trial(frozenset("b"), whole=False, bad=("a",)), "noticed"),
        (Trial(frozenset("ab"), whole=True), Trial(frozenset(), False, True, bad=("a",)), "noticed"),
        (Trial(frozenset("ab"), whole=True), Trial(frozenset(), False, bad=("process",)), "noticed"),
        (Trial(frozenset("b"), False, bad=("a",)), Trial(frozenset("b"), False, bad=("a",)), "unsound"),
        (
            Trial(frozenset("b"), False, True, bad=("a",)),
            Trial(frozenset(), False, True, bad=("a",)),
            "unsound",
        ),
        (Trial(frozenset("b"), whole=True), Trial(frozenset(), False, bad=("a",)), "unsound"),
        (Trial(frozenset("a"), False, bad=("b",)), Trial(frozenset(), False, bad=("a", "b")), "noticed"),
        (Trial(frozenset("ab"), whole=True), Trial(frozenset(), whole=False), "unsound"),
        (Trial(frozenset("ab"), whole=True), None, "time"),
        (None, Trial(frozenset(), False, bad=("a",)), "time"),
    ],
)
def test_a_test_notices_only_what_it_does_not_say_of_the_text_as_it_is(
    control: Trial | None, trial: Trial | None, answer: str
) -> None:
    trials = {place: found for place, found in enumerate((control, trial)) if found is not None}

    (reply,) = replies([CONTROL], [ASKED], trials)

    assert reply.answer == answer


@pytest.mark.parametrize(
    ("control", "run", "answer"),
    [
        ({"a": Outcome.PASSED}, {"a": Outcome.FAILED}, "noticed"),
        ({"a": Outcome.PASSED}, {"a": Outcome.PASSED}, "unnoticed"),
        ({"a": Outcome.FAILED}, {"a": Outcome.FAILED}, "unsound"),
        ({"a": Outcome.PASSED}, {}, "unnoticed"),
        ({"a": Outcome.PASSED}, None, "time"),
    ],
)
def test_a_run_of_its_own_is_compared_with_one_of_the_text_as_it_is(
    control: dict[str, Outcome], run: dict[str, Outcome] | None, answer: str
) -> None:
    def of(outcomes: dict[str, Outcome]) -> TestReport:
        return TestReport(RunEnd.COMPLETE, tuple(TestResult(t, o) for t, o in outcomes.items()))

    assert reply_of(of(control), ("a",), None if run is None else of(run)).answer == answer


def test_a_text_that_cannot_be_collected_is_noticed() -> None:
    assert reply_of(report(a=0.1), ("a",), TestReport(RunEnd.COLLECTION)).tests == ("a",)


@pytest.mark.parametrize(
    ("bite", "words"),
    [
        (Bite(4, 3, 0, 9, 7), "3 of 4 hunks bite; 7 of 9 mutants killed"),
        (Bite(1, 1, 0, 1, 0), "1 of 1 hunk bites; 0 of 1 mutant killed"),
        (
            Bite(2, 1, 1, 3, 3, 4),
            "1 of 2 hunks bite; 1 hunk not measured; 3 of 3 mutants killed; 4 not tried",
        ),
        (Bite(0, 0, 2, 0, 0, 5), "2 hunks not measured; no mutant tried"),
        (Bite(), "no hunk could be measured"),
    ],
)
def test_bite_is_counts_and_no_percentage(bite: Bite, words: str) -> None:
    assert bite.words() == words


def test_the_bite_of_several_projects_is_their_sum() -> None:
    one, two = Bite(1, 1, 0, 2, 1, 0, "slow"), Bite(2, 0, 1, 3, 3, 4, "slow", 1.0)

    assert Bite.together([one, None, two]) == Bite(3, 1, 1, 5, 4, 4, "slow", 1.0)
    assert Bite.together([None]) is None


def test_changed_lines_are_counted_where_a_test_could_execute_them() -> None:
    change = change_of(BEFORE, AFTER, {"low": (8,)})

    lines = executed(ROOT, change.hunks, change.patched, change.after, is_product)

    assert lines == ChangedLines(1, 2)
    assert lines.is_below(51)
    assert not lines.is_below(50)
    assert not ChangedLines(0, 0).is_below(100)


@pytest.mark.parametrize(
    ("base_s", "patched_s", "is_suspect"),
    [(0.1, 1.3, True), (0.1, 1.05, False), (1.0, 2.9, False), (0.0, 1.1, True), (2.0, 6.5, True)],
)
def test_a_test_is_suspicious_past_three_times_and_a_second_more(
    base_s: float, patched_s: float, is_suspect: bool
) -> None:
    found = suspicious(report(a=base_s), report(a=patched_s), frozenset())

    assert found == (("a",) if is_suspect else ())
    assert suspicious(report(a=base_s), report(a=patched_s), frozenset("a")) == ()


@attrs.frozen
class Steady:
    """A suite whose only test takes as long as its tree says."""

    def run(self, tree: Tree, tests: object, *, coverage: bool) -> TestReport:
        return report(a=float(tree["seconds"].content))


def test_durations_are_compared_of_runs_that_were_measured_alike() -> None:
    base, patched = ({"seconds": StagedFile(text)} for text in (b"1.0", b"4.0"))
    request = VerifyRequest(ROOT, base, EditSet(()))
    suite = cast("Suite", Steady())
    ground = Ground(request, suite, PathRule.of(base, patched), patched, (), TestChange(), 2)
    # Coverage took the base two and a half times as long.
    evidence = Evidence(Verdict.VERIFIED, "", "", base=report(a=2.5), patched=report(a=4.0))
    alike = attrs.evolve(ground, timed=(report(a=1.0), report(a=4.0)))

    seen = [measured_further(evidence, g, Further(), lambda _: None).warnings for g in (ground, alike)]

    assert [len(warnings) for warnings in seen] == [0, 1]


def test_a_test_is_slower_only_where_all_of_its_runs_are() -> None:
    base, slow, once = [report(a=0.1)] * 3, [report(a=2.0)] * 3, [report(a=2.0), report(a=0.2), report(a=2.0)]

    (found,) = always_slower(("a",), base, slow)

    assert (found.base_s, found.patched_s) == (0.1, 2.0)
    assert "at least 2.00 s with the change and at most 0.10 s without it" in found.words()
    assert always_slower(("a",), base, once) == ()
    assert always_slower(("a",), base, [*slow[:2], TestReport(RunEnd.TIMEOUT)]) == ()


def test_a_new_test_that_passes_on_the_base_is_told_apart_from_one_that_was_there() -> None:
    seen = Evidence(
        Verdict.VERIFIED,
        "",
        "",
        base=report(old=0),
        patched=report(old=0, new=0, good=0),
        new_tests=report(old=0, new=0),
    )
    change = TestChange(changed=frozenset({"old", "new", "good"}))

    assert useless(seen, change) == ("new",)
    assert useless(attrs.evolve(seen, verdict=Verdict.TESTS_ONLY), change) == ()


def test_a_survivor_says_where_and_what() -> None:
    bite = HunkBite("idle", "noTestFails", survivors=(Mutant("a.py", 3, "x = 1", ""),))
    item = HunkEvidence("h", "covered", (), bite)

    assert item.bite is not None
    assert item.bite.survivors[0].words() == "a.py:3: x = 1 → nothing"


def test_an_engine_that_is_gone_is_the_reason_and_not_the_time() -> None:
    before = {
        "package.json": '{"scripts": {"test": "node --test"}}',
        "calc.js": "exports.low = (x) => x < 3;\n",
    }
    edits = edit_set(before, {**before, "calc.js": "exports.low = (x) => x <= 3;\n"})
    base, hunks = tree(before), hunks_of(edits)
    run = attrs.evolve(report(low=0.1), coverage={"low": {"calc.js": (1,)}})
    measured = tuple(HunkEvidence(hunk.id, "covered", ("low",)) for hunk in hunks)
    change = Change(ROOT, base, apply(ROOT, base, edits), edits, hunks, measured, is_product, run)
    sandbox = DockerSandbox(SandboxSettings(docker_host="unix:///nowhere/docker.sock"))
    suite = Suite(sandbox, ROOT, projects(base), "test", Limits(), Cancellation())

    _, bite = measure_bite(change, suite, 60.0, 2, lambda _: None)

    assert (bite.n_hunks, bite.n_hunks_left) == (0, 1)
    assert bite.reason.startswith("No container engine answers at unix:///nowhere/docker.sock")
    assert "The time" not in bite.reason
