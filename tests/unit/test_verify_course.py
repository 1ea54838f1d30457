"""What is known and kept of a suite, and which tests stand for it or come first."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import attrs
import pytest
from suite_case import CALC, FILES, LOW, NOTHING, PRICE, TWICE, UPPER, ground, measured, report, staged

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, RunEnd, Verdict
from greenline.core.port import Limits, StagedFile
from greenline.core.selection import Selection
from greenline.core.task import Proposal
from greenline.lsp.render import headline
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.affected import Ground
from greenline.verify.course import Course, ends, told
from greenline.verify.known_suite import KnownSuite, KnownTest
from greenline.verify.project import Project
from greenline.verify.runs import Suite
from greenline.verify.suite_memory import KEPT_S, SuiteMemory


def test_a_run_that_was_stopped_tells_what_ended_and_of_a_choice_what_was_running() -> None:
    collected = (LOW, TWICE, PRICE, UPPER)
    stopped = report(LOW, end=RunEnd.TIMEOUT, whole_s=6.0)

    known = NOTHING.after_whole(stopped, staged(FILES), collected, 7.0)

    durations = [test.duration_s for test in known.tests.values()]
    assert (list(known.tests), durations) == ([*collected], [1.0, None, None, None])
    assert known.is_longer(6.0) and known.is_longer(3.0) and not known.is_longer(6.5)
    again = known.after_some(report(TWICE, end=RunEnd.TIMEOUT, whole_s=6.0), staged(FILES), (TWICE, PRICE))
    assert (again.tests[TWICE].duration_s, again.tests[PRICE].duration_s) == (1.0, 5.0)
    some = known.after_some(report(PRICE, seconds=0.5), staged(FILES), ())
    assert (some.tests[PRICE].duration_s, some.is_longer(6.0)) == (0.5, True)
    assert set(some.files) == {"calc.py", "shop.py"}
    assert not some.after_whole(report(*collected), staged(FILES), (), 8.0).is_longer(9.0)


@pytest.mark.parametrize("end", [RunEnd.COLLECTION, RunEnd.DIED, RunEnd.UNAVAILABLE])
def test_a_run_that_broke_off_tells_nothing(end: RunEnd) -> None:
    known = measured()

    assert known.after_whole(report(LOW, end=end), staged(FILES), (LOW,), 1.0) is known
    assert known.after_some(report(LOW, end=end), staged(FILES), (LOW,)) is known


PROJECT = Project("python", "pytest", "", ())


def test_what_is_known_of_a_suite_is_kept_for_each_project(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())

    assert memory.get("/p", PROJECT) == measured()
    assert memory.get("/p", attrs.evolve(PROJECT, folder="api")) == NOTHING


def test_what_a_dead_process_left_half_written_is_dropped_after_an_hour(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, NOTHING)
    old, young = tmp_path / "suites" / ".new-old", tmp_path / "suites" / ".new-young"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (1.0, 1.0))

    memory.put("/p", PROJECT, measured())

    assert (old.exists(), young.exists()) == (False, True)
    assert memory.get("/p", PROJECT) == measured()


def test_that_a_suite_is_too_long_is_believed_for_a_week(tmp_path: Path) -> None:
    long = NOTHING.after_whole(report(LOW, end=RunEnd.TIMEOUT), staged(FILES), (LOW, TWICE), 10.0)
    SuiteMemory(lambda _: tmp_path).put("/p", PROJECT, long)

    def at(seconds: float) -> KnownSuite:
        return SuiteMemory(lambda _: tmp_path, now=lambda: seconds).get("/p", PROJECT)

    assert at(10.0 + KEPT_S).is_longer(9.0)
    assert not at(11.0 + KEPT_S).is_longer(9.0)
    assert at(11.0 + KEPT_S).tests == long.tests


@pytest.mark.parametrize(
    "data", [b"", b"junk", zlib.compress(b"[]"), zlib.compress(b'{"format": 1, "tests": [3]}')]
)
def test_a_damaged_file_says_nothing(data: bytes, tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())
    (path,) = (tmp_path / "suites").iterdir()
    path.write_bytes(data)

    assert memory.get("/p", PROJECT) == NOTHING


def test_what_is_too_large_loses_who_executes_what_first(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())
    (path,) = (tmp_path / "suites").iterdir()
    attrs.evolve(memory, quota_bytes=path.stat().st_size - 1).put("/p", PROJECT, measured())
    kept = memory.get("/p", PROJECT)

    assert (kept.tests, kept.files) == (measured().tests, {})


LONG = NOTHING.after_whole(report(LOW, end=RunEnd.TIMEOUT), staged(FILES), (LOW, TWICE, PRICE, UPPER), 0.0)
NOWHERE = DockerSandbox(SandboxSettings(docker_host="unix:///nowhere/docker.sock"))


def course(asked: Ground, known: KnownSuite, *projects: Project, wall_s: float = 5.0) -> Course:
    limits = Limits(wall_s=wall_s)
    suite = Suite(NOWHERE, "/p", projects or (PROJECT,), "", limits, Cancellation())
    return Course(suite, asked, None, 0.0, known)


SMALL = ground({"word.py": "def upper(text):\n    return text\n"})


def test_the_affected_tests_stand_for_a_suite_that_is_known_to_be_too_long() -> None:
    asked = course(SMALL, measured(), wall_s=8.0)
    choice = asked.instead(0.6)

    assert (asked.is_too_long, asked.obstacle) == (True, "")
    assert choice is not None
    assert choice.names == (UPPER,)
    assert asked.suite_of(choice).selected == (UPPER,)
    assert asked.suite_of(None).selected == ()
    assert not course(SMALL, measured(), wall_s=9.5).is_too_long


def test_a_change_of_the_configuration_or_of_several_projects_is_no_reason_to_run_fewer_tests() -> None:
    configured = course(ground({"pytest.ini": "[pytest]\n", "word.py": ""}), measured())
    several = course(SMALL, measured(), PROJECT, attrs.evolve(PROJECT, kind="node", folder="web"))

    for asked, words in ((configured, "configuration"), (several, "several projects")):
        assert words in asked.obstacle
        assert (asked.instead(0.6), asked.first(0.0)) == (None, None)


@pytest.mark.parametrize(
    ("patch", "checks"),
    [
        # Nothing that is known has to do with the change.
        ({"notes.txt": "more\n"}, ()),
        # All tests are affected and would fit, so that the suite itself must be what does not end.
        ({"calc.py": CALC + "\n", "word.py": "def upper(text):\n    return text\n"}, ()),
        # The tests that the change itself touches do not fit.
        ({"tests/test_calc.py": "import calc\n"}, ()),
        # Nor does what the plan is to be judged by.
        ({"word.py": ""}, (TWICE,)),
    ],
)
def test_tests_that_would_prove_too_little_stand_for_no_suite(
    patch: dict[str, str | None], checks: tuple[str, ...]
) -> None:
    slow = attrs.evolve(LONG, files=measured().files)
    if "tests/test_calc.py" in patch or checks:
        slow = attrs.evolve(slow, tests={**slow.tests, TWICE: KnownTest("tests/test_calc.py", 60.0)})
    else:
        slow = attrs.evolve(slow, tests=measured().tests)

    assert course(attrs.evolve(ground(patch), checks=checks), slow, wall_s=9.0).instead(0.6) is None


def test_the_affected_tests_run_first_only_where_they_are_few_and_the_suite_is_long() -> None:
    known = attrs.evolve(measured(), whole_s=30.0)
    first = course(SMALL, known, wall_s=60.0).first(20.0)

    assert first is not None and first.names == (UPPER,)
    assert course(SMALL, known, wall_s=60.0).first(40.0) is None
    assert course(SMALL, attrs.evolve(known, whole_s=4.0), wall_s=60.0).first(1.0) is None
    # What the affected tests take can be little though they are all there are.
    every = ground({path: f"{FILES[path]}\nN = 1\n" for path in ("calc.py", "word.py", "shop.py")})
    assert course(every, known, wall_s=60.0).first(20.0) is None
    assert course(SMALL, attrs.evolve(known, whole_s=None), wall_s=60.0).first(1.0) is None


def test_what_is_said_of_a_choice_counts_only_what_ran() -> None:
    choice = course(SMALL, measured(), wall_s=8.0).instead(0.6)
    assert choice is not None
    evidence = Evidence(Verdict.VERIFIED, "", "Good.", patched=report(UPPER))

    said = told(evidence, choice, "suiteTooLong", 8.0)

    assert said.selection == Selection("affected", "suiteTooLong", 1, 4, 0, {"lines": 1}, 8.0)
    assert said.detail == "Good. Only 1 of 4 tests ran."
    none = told(attrs.evolve(evidence, patched=None), choice, "failedFirst", 8.0)
    assert none.selection is not None
    assert (none.selection.n_selected, none.is_vouched_for) == (0, False)
    assert ends(attrs.evolve(evidence, verdict=Verdict.STILL_FAILING)) and not ends(evidence)


def test_a_headline_says_that_only_a_part_of_the_tests_ran() -> None:
    selection = Selection("affected", "suiteTooLong", 1, 40)
    part = Evidence(Verdict.VERIFIED, "", "Good.", selection=selection)

    assert headline(Proposal("p", "r", (), part)) == "verified — 1 of 40 tests ran"


def test_what_an_earlier_run_told_is_not_taken_in_again(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())
    asked = Course.of(course(SMALL, NOTHING).suite, SMALL, memory, 0.0)

    asked.learn(attrs.evolve(report(LOW), measured_at=1.0), (), None)
    assert (asked.known, memory.get("/p", PROJECT)) == (measured(), measured())

    asked.learn(report(LOW), (), None)
    assert set(asked.known.tests) == {LOW}
    assert memory.get("/p", PROJECT) == asked.known


def test_no_bytecode_is_staged_beside_its_text() -> None:
    tree = {
        **staged(FILES),
        "__pycache__/calc.cpython-311.pyc": StagedFile(b"\0"),
        "old.pyc": StagedFile(b"\0"),
    }
    suite = Suite(NOWHERE, "/p", (PROJECT,), "", Limits(), Cancellation())

    request = suite.request_in_rounds(tree, lambda _: None)

    assert request is not None
    assert request.tree.keys() == {*FILES, "old.pyc"}
