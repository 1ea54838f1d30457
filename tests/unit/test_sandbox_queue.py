"""The queue before several engines: shares, bounds, engines that fail, and nothing lost or run twice."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from queue_case import CountingSandbox, Runs, queue_of, request, soon

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import SandboxResult
from greenline.sandbox import engine_queue
from greenline.sandbox.queued_sandbox import QueuedSandbox


@settings(max_examples=25)
@given(
    n_engines=st.integers(1, 3),
    slots=st.integers(1, 2),
    wanted=st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("xyz")), min_size=1, max_size=16),
    cancelled=st.sets(st.integers(0, 15)),
    sick_for=st.integers(0, 3),
)
def test_nothing_is_lost_or_comes_twice(
    n_engines: int, slots: int, wanted: list[tuple[str, str]], cancelled: set[int], sick_for: int
) -> None:
    engines = [CountingSandbox(f"e{number}") for number in range(n_engines)]
    sandbox = QueuedSandbox(queue_of(*engines, slots=slots))
    assert sandbox.health().available
    engines[0].sick_for = sick_for
    runs = Runs(sandbox)

    for number, (root, label) in enumerate(wanted):
        token = runs.start(request(root, f"{root}{label}", number))
        if number in cancelled:
            token.cancel()
    runs.join()
    sandbox.close()

    assert len(runs.ended) == len(wanted)
    for (label, command), outcomes in runs.ended.items():
        (outcome,) = outcomes
        if isinstance(outcome, SandboxResult):
            # The result is that of this very request.
            assert outcome.report.decode() == command
            ran_on = [engine.name for engine in engines if (label, command) in engine.ran]
            assert outcome.output.decode() in ran_on
        elif int(command) in cancelled:
            assert isinstance(outcome, Cancelled | SandboxUnavailable)
        else:
            assert isinstance(outcome, SandboxUnavailable)
            assert sick_for
    begun = [run for engine in engines for run in engine.ran]
    if not sick_for:
        assert len(begun) == len(set(begun))
        # All of one verification ran on one engine.
        for label in {label for label, _ in begun}:
            assert sum(any(found == label for found, _ in engine.ran) for engine in engines) == 1
    assert all(engine.most_working <= slots for engine in engines)
    assert all(engine.n_closed == 1 for engine in engines)


def test_verifications_are_spread_over_the_engines() -> None:
    engines = [CountingSandbox("e0", 0.05), CountingSandbox("e1", 0.05)]
    sandbox = QueuedSandbox(queue_of(*engines))
    assert sandbox.health().available
    runs = Runs(sandbox)

    for number in range(8):
        runs.start(request("A", f"v{number}"))
    runs.join()

    assert [len(engine.ran) for engine in engines] == [4, 4]


def test_a_workspace_with_much_to_do_does_not_hold_up_another() -> None:
    engine, idle = CountingSandbox("e0"), CountingSandbox("e1")
    idle.is_sick = True
    engine.hold = threading.Event()
    sandbox = QueuedSandbox(queue_of(engine, idle))
    sandbox.health()
    runs = Runs(sandbox)
    queue = sandbox._queue
    for number in range(6):
        runs.start(request("busy", f"b{number}"))
        assert soon(lambda number=number: len(queue._line) == number)
    runs.start(request("rare", "r0"))
    assert soon(lambda: len(queue._line) == 6)

    engine.hold.set()
    runs.join()

    assert [label for label, _ in engine.ran].index("r0") == 2


def test_runs_that_wait_for_each_other_do_not_stop_the_queue() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    sandbox = QueuedSandbox(queue_of(*engines))
    runs = Runs(sandbox)

    for number in range(8):
        barrier = threading.Barrier(2)

        def meet(_: bytes, barrier: threading.Barrier = barrier) -> None:
            barrier.wait(20)

        for side in range(2):
            runs.start(request(f"w{number % 3}", f"v{number}", side, meet))
    runs.join()

    assert all(isinstance(outcome, SandboxResult) for (outcome,) in runs.ended.values())
    # Containers that wait hold memory, if no place: few must do so at a time.
    assert all(engine.most_held <= 3 for engine in engines)


def test_a_place_is_told_and_whoever_comes_too_late_is_refused() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    for engine in engines:
        engine.hold = threading.Event()
    sandbox = QueuedSandbox(queue_of(*engines, length=2))
    sandbox.health()
    runs, told = Runs(sandbox), dict[str, list[str]]()
    queue = sandbox._queue
    for number in range(4):
        label = f"v{number}"
        runs.start(request("A", label, waiting=told.setdefault(label, []).append))
        assert soon(lambda number=number: len(queue._line) == max(0, number - 1))

    with pytest.raises(SandboxUnavailable) as caught:
        sandbox.run(request("A", "late"), Cancellation())
    # Who is in the queue already is not sent away in the middle.
    runs.start(request("A", "v3", 1))
    for engine in engines:
        engine.hold.set()
    runs.join()

    assert caught.value.message == "The queue is full: 2 verifications wait for 2 engines."
    assert "`queue_length`" in caught.value.remedy
    assert told["v0"] == told["v1"] == []
    assert told["v2"][0] == "Waiting for an engine: place 1 of 1 in the queue."
    assert told["v3"][0] == "Waiting for an engine: place 2 of 2 in the queue."
    assert all(isinstance(outcome, SandboxResult) for (outcome,) in runs.ended.values())


def test_who_cancels_while_waiting_leaves_at_once() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    for engine in engines:
        engine.hold = threading.Event()
    sandbox = QueuedSandbox(queue_of(*engines))
    sandbox.health()
    runs = Runs(sandbox)
    for number in range(2):
        runs.start(request("A", f"v{number}"))
    assert soon(lambda: sum(len(engine.ran) for engine in engines) == 2)
    token = runs.start(request("A", "gone"))
    assert soon(lambda: len(sandbox._queue._line) == 1)

    started = time.monotonic()
    token.cancel()
    assert soon(lambda: ("gone", "0") in runs.ended)
    took_s = time.monotonic() - started
    for engine in engines:
        engine.hold.set()
    runs.join()

    (outcome,) = runs.ended["gone", "0"]
    assert isinstance(outcome, Cancelled)
    assert took_s < 1
    assert ("gone", "0") not in engines[0].ran + engines[1].ran


def test_an_engine_that_fails_is_left_out_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_queue, "_FIRST_OUT_S", 0.2)
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    sandbox = QueuedSandbox(queue_of(*engines))
    assert sandbox.health().available
    engines[0].is_sick = True

    outcomes = [sandbox.run(request("A", f"v{number}"), Cancellation()) for number in range(6)]
    health = sandbox.health()
    tried = len(engines[0].ran)
    engines[0].is_sick = False
    runs = Runs(sandbox)

    def comes_back() -> bool:
        for number in range(2):
            runs.start(request("A", f"w{len(runs.threads)}{number}"))
        return len(engines[0].ran) > tried

    assert {outcome.output for outcome in outcomes} == {b"e1"}
    assert tried == 1
    assert health.available
    assert health.engine == "1 of 2 engines: e1 1.0"
    assert health.notes == ("The engine e0 is left out: e0 is sick. Wait.",)
    assert health.warning == "All is a test."
    assert soon(comes_back)
    runs.join()


def test_a_verification_that_has_begun_stays_or_could_not_run() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    sandbox = QueuedSandbox(queue_of(*engines))
    first = sandbox.run(request("A", "v", 0), Cancellation())
    (used,) = [engine for engine in engines if engine.name == first.output.decode()]
    again = sandbox.run(request("A", "v", 1), Cancellation())
    used.is_sick = True

    with pytest.raises(SandboxUnavailable) as failed:
        sandbox.run(request("A", "v", 2), Cancellation())
    with pytest.raises(SandboxUnavailable) as out:
        sandbox.run(request("A", "v", 3), Cancellation())
    other = sandbox.run(request("A", "w", 0), Cancellation())

    assert first.output == again.output
    assert failed.value.message == f"{used.name} failed."
    assert f"The engine {used.name}, on which this verification began, can be used no more" in str(out.value)
    assert other.output != first.output


def test_both_sides_of_a_verification_move_together() -> None:
    engines = [CountingSandbox("e0", 0.1), CountingSandbox("e1", 0.1)]
    sandbox = QueuedSandbox(queue_of(*engines, slots=2))
    sandbox.health()
    engines[0].is_sick = True
    runs = Runs(sandbox)

    for number in range(2):
        runs.start(request("A", "v", number))
    runs.join()

    assert [outcome.output for (outcome,) in runs.ended.values()] == [b"e1", b"e1"]  # type: ignore[attr-defined]


def test_a_fault_of_the_request_is_none_of_the_engine() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    sandbox = QueuedSandbox(queue_of(*engines))
    sandbox.health()
    for engine in engines:
        # It fails once, and says that it is well.
        engine.sick_for = 1

    outcomes: list[str] = []
    for number in range(3):
        try:
            outcomes.append(sandbox.run(request("A", f"v{number}"), Cancellation()).output.decode())
        except SandboxUnavailable as error:
            outcomes.append(error.message)

    assert sorted(outcomes)[-2:] == ["e0 failed.", "e1 failed."]
    assert all(not engine.is_sick for engine in engines)


def test_where_no_engine_is_left_it_says_so_of_each() -> None:
    engines = [CountingSandbox("e0"), CountingSandbox("e1")]
    for engine in engines:
        engine.is_sick = True
    sandbox = QueuedSandbox(queue_of(*engines))

    with pytest.raises(SandboxUnavailable) as caught:
        sandbox.run(request("A", "v"), Cancellation())
    health = sandbox.health()

    assert caught.value.message == "None of 2 engines can be used. e0: e0 is sick. e1: e1 is sick."
    assert caught.value.remedy == "Wait."
    assert (health.available, health.problem, health.remedy) == (False, caught.value.message, "Wait.")
    assert not engines[0].ran + engines[1].ran


def test_two_sandboxes_of_a_process_share_the_queue() -> None:
    engines = [CountingSandbox("e0", 0.05), CountingSandbox("e1", 0.05)]
    shared = queue_of(*engines)
    first, second = QueuedSandbox(shared), QueuedSandbox(shared)
    runs, others = Runs(first), Runs(second)
    for number in range(4):
        # Labels of different sandboxes have nothing to do with each other.
        runs.start(request("A", "verify", number))
        others.start(request("B", "verify", number))
    runs.join()
    others.join()
    first.close()
    first.close()
    before = [engine.n_closed for engine in engines]
    second.close()

    assert [len(engine.ran) for engine in engines] == [4, 4]
    assert all(engine.most_working == 1 for engine in engines)
    assert (before, [engine.n_closed for engine in engines]) == ([0, 0], [1, 1])
