"""The bounds, the intent and the hand of the user, each alone."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from greenline.agent.control import Answer, RunControl
from greenline.agent.intent import asks_for_repair, test_names
from greenline.agent.limits import CallCounter, Meter
from greenline.agent.prompts import prompt
from greenline.core.agent_port import Question
from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, NoModel, NotFound
from greenline.core.port import ToolRequest, Usage
from greenline.process.line import error_of, failure_of, line_of

LOOP_CASE = Path(__file__).parents[1] / "data" / "agent" / "cases" / "62-same-call-loop"


@pytest.mark.parametrize(
    "request_text",
    [
        "make failing tests pass",
        "Make the failing tests pass",
        "fix the failing test",
        "fix the bug",
        "Fix the bug in cart.py",
        "the tests fail, please fix them",
        "tests/test_cart.py::test_total",
        "fix tests/test_cart.py::TestCart::test_total[1-2]",
        "fix test_total",
        "tests.test_cart.CartTest.test_total",
        "get the suite green again: make it pass",
        "the tests fail and I do not know why: fix them",
        "fix what makes the tests fail and do not touch the tests",
    ],
)
def test_request_about_failing_tests_is_for_the_repair_engine(request_text: str) -> None:
    assert asks_for_repair(request_text)


@pytest.mark.parametrize(
    "request_text",
    [
        "add a discount to the cart",
        "write tests for the cart that pass",
        "Add a test test_total to tests/test_cart.py",
        "rename total to sum",
        "explain this function",
        "implement what tests/test_cart.py::test_total asks for",
        "do not change anything, only tell me which tests fail",
        "don't edit any file; why do the tests fail?",
        "which tests fail?",
        "please list the failing tests",
        "delete all failing tests",
        "skip the failing tests",
        "make the tests fail",
        "make the failing tests pass and add OAuth login",
        "fix the failing test, then also refactor the cart",
    ],
)
def test_request_for_something_new_needs_a_model(request_text: str) -> None:
    assert not asks_for_repair(request_text)


def test_names_of_tests_are_found_in_order() -> None:
    text = "fix tests/test_a.py::TestB::test_c[1-x] and test_d"

    assert test_names(text) == ("tests/test_a.py::TestB::test_c[1-x]", "test_d")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Make the failing test test_b in /w/tests/test_a.py pass.", ("test_b",)),
        ("make tests/test_a.py pass", ("test_a",)),
        ("make test_a.py and test_c.py pass", ("test_a", "test_c")),
    ],
)
def test_the_file_of_a_named_test_names_no_others(text: str, names: tuple[str, ...]) -> None:
    assert test_names(text) == names


def test_a_name_is_found_behind_punctuation() -> None:
    text = r"see ./pkg.mod.test_x, (tests/a.py::test_b), -tests\\c.py::T::test_d"

    assert test_names(text) == ("pkg.mod.test_x", "tests/a.py::test_b", r"-tests\\c.py::T::test_d")


@pytest.mark.parametrize("piece", ["x", "a.", "x_", "fix ", "make tests ", "a::", "a.b::c[", "a/"])
def test_a_pasted_log_is_read_at_once(piece: str) -> None:
    request = piece * 100_000

    assert isinstance(asks_for_repair(request), bool)


@pytest.mark.parametrize("name", ["calls.jsonl", "calls_ok.jsonl"])
def test_same_call_with_the_same_result_is_circular(name: str) -> None:
    counter = CallCounter(3)
    executed = 0
    for line in (LOOP_CASE / name).read_text().splitlines():
        call = json.loads(line)
        request = ToolRequest(str(executed), call["tool"], call["args"])
        if counter.is_circular(request):
            break
        counter.count(request, call["result"], "nothing staged")
        executed += 1

    assert executed == json.loads((LOOP_CASE / "expected.json").read_text())[name]["executed"]


def test_same_result_after_a_new_edit_is_no_circle() -> None:
    counter = CallCounter(2)
    tests = ToolRequest("1", "run_tests", {})
    for state in range(5):
        assert not counter.is_circular(tests)
        counter.count(tests, "1 failed", state)


def test_undoing_and_redoing_is_a_circle() -> None:
    counter = CallCounter(2)
    executed = 0
    for step in range(20):
        request = ToolRequest("1", "edit_file", {"to": step % 2})
        if counter.is_circular(request):
            break
        executed += 1
        counter.count(request, "changed", step % 2)

    assert executed < 10


def test_meter_is_exhausted_at_its_cap() -> None:
    meter, free = Meter(0.1), Meter(None)
    for _ in range(2):
        meter.add(Usage(cost_usd=0.05))
        free.add(Usage(cost_usd=5.0))

    assert meter.is_exhausted
    assert not free.is_exhausted


def test_every_prompt_is_shipped() -> None:
    for name in ("plan", "critic", "execute", "reflect"):
        assert len(prompt(name)) > 200


def test_domain_error_keeps_its_class_across_the_pipe() -> None:
    error = error_of(failure_of(NoModel("None is named.", remedy="Name one.")))

    assert isinstance(error, NoModel)
    assert (error.message, error.remedy, error.code) == ("None is named.", "Name one.", "noModel")
    assert line_of({"text": "\ud800\n"}) == b'{"text":"\\ud800\\n"}\n'


def _in_thread(action: object) -> threading.Thread:
    thread = threading.Thread(target=action)  # type: ignore[arg-type]
    thread.start()
    return thread


def test_question_waits_for_its_answer() -> None:
    control = RunControl("run-1", Cancellation())
    announced = threading.Event()
    answers: list[Answer] = []
    thread = _in_thread(lambda: answers.extend(control.ask((Question("q1", "?"),), announced.set)))
    assert announced.wait(5)

    with pytest.raises(NotFound):
        control.answer("q2", Answer("no"))
    control.answer("q1", Answer("yes", "please"))
    thread.join(5)

    assert answers == [Answer("yes", "please")]


def test_cancel_wakes_a_waiting_question_and_a_pause() -> None:
    control = RunControl("run-1", Cancellation())
    raised: list[str] = []
    asked, paused = threading.Event(), threading.Event()

    def ask() -> None:
        try:
            control.ask((Question("q1", "?"),), asked.set)
        except Cancelled:
            raised.append("ask")

    def stand() -> None:
        try:
            control.safe_point(paused.set, lambda: raised.append("resumed"))
        except Cancelled:
            raised.append("pause")

    control.pause(0.0)
    threads = [_in_thread(ask), _in_thread(stand)]
    assert asked.wait(5)
    assert paused.wait(5)

    control.cancellation.cancel()
    for thread in threads:
        thread.join(5)

    assert sorted(raised) == ["ask", "pause"]


def test_pause_holds_until_resumed() -> None:
    control = RunControl("run-1", Cancellation())
    steps: list[str] = []
    paused = threading.Event()
    control.pause(0.0)

    def on_pause() -> None:
        steps.append("paused")
        paused.set()

    thread = _in_thread(lambda: control.safe_point(on_pause, lambda: steps.append("resumed")))
    assert paused.wait(5)
    control.pause(5.0)
    assert steps == ["paused"]

    control.resume(5.0)
    thread.join(5)

    assert steps == ["paused", "resumed"]
