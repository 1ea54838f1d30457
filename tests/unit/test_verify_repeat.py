"""What the repeats in B's and P's own containers are taken to show."""

from __future__ import annotations

import json
import threading

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import SandboxResult
from greenline.verify.repeat import KNOWN_REPEATS, Meeting, Suspects, judge
from greenline.verify.report import parse, parse_rounds

P, F = Outcome.PASSED, Outcome.FAILED


def report(**tests: Outcome) -> TestReport:
    return TestReport(RunEnd.COMPLETE, tuple(TestResult(name, outcome) for name, outcome in tests.items()))


def rounds(*outcomes: Outcome) -> tuple[TestReport, ...]:
    return tuple(report(a=outcome, same=P) for outcome in outcomes)


@pytest.mark.parametrize(
    ("base", "patched", "expected"),
    [
        (rounds(F, F, F), rounds(P, P, P), Suspects()),
        (rounds(F, F, F), rounds(P, P, F), Suspects(flaky=("a",))),
        (rounds(F, P, F), rounds(P, P, P), Suspects(flaky=("a",), on_base=("a",))),
        (rounds(F, F, F), rounds(P, F, F), Suspects(open=("a",))),
        (rounds(F, F, F), rounds(P, P), Suspects(open=("a",))),
        (rounds(F), rounds(P), Suspects(open=("a",))),
        (rounds(P, F, P), rounds(P, F, P), Suspects()),
    ],
)
def test_repeats_are_judged(
    base: tuple[TestReport, ...], patched: tuple[TestReport, ...], expected: Suspects
) -> None:
    assert judge((base, patched)) == expected


def test_a_repeat_that_broke_off_shows_nothing() -> None:
    broken = TestReport(RunEnd.DIED)

    assert judge((rounds(F, F, F), (*rounds(P), broken, broken))) == Suspects(open=("a",))


def test_a_side_that_did_not_complete_leaves_nothing_to_repeat() -> None:
    assert judge((rounds(F), (TestReport(RunEnd.TIMEOUT),))) == Suspects()


def lines(*records: dict[str, object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def first_round(outcome: str) -> bytes:
    return lines(
        {"kind": "hello", "runner": "pytest"},
        {"kind": "collected", "ids": ["a"]},
        {"kind": "collectionEnd", "exit": 0},
        {"kind": "test", "id": "a", "outcome": outcome, "duration": 0.0},
        {"kind": "end", "exit": 0},
        {"kind": "roundEnd", "status": 0, "seconds": 1.5},
    )


def test_sides_that_differ_are_asked_twice_each() -> None:
    meeting = Meeting(lambda _: None)
    asked: dict[str, list[bytes | None]] = {}

    def side(name: str, outcome: str) -> None:
        ask = meeting.followup(name)
        asked[name] = [ask(first_round(outcome)) for _ in range(3)]

    threads = [threading.Thread(target=side, args=pair) for pair in (("B", "failed"), ("P", "passed"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert asked == {name: [b'["a"]\n', b'["a"]\n', None] for name in ("B", "P")}


def test_a_test_that_is_known_to_be_flaky_is_asked_for_more_often() -> None:
    meeting = Meeting(lambda _: None, frozenset({"a", "elsewhere"}))
    asked: list[bytes | None] = []
    other = threading.Thread(target=lambda: meeting.followup("B")(first_round("failed")))
    other.start()

    ask = meeting.followup("P")
    asked += [ask(first_round("passed")) for _ in range(KNOWN_REPEATS + 1)]
    other.join(10)

    assert asked == [b'["a"]\n'] * KNOWN_REPEATS + [None]


def test_a_side_without_a_container_learns_what_ends_otherwise() -> None:
    meeting = Meeting(lambda _: None)
    asked: list[bytes | None] = []
    other = threading.Thread(target=lambda: asked.append(meeting.followup("P")(first_round("passed"))))
    other.start()

    found = meeting.differences("B", report(a=F, gone=P))
    other.join(10)

    assert found == ("a", "gone")
    assert asked == [b'["a"]\n']


def test_a_side_that_is_measured_anew_meets_what_the_other_reported() -> None:
    meeting = Meeting(lambda _: None)
    other = threading.Thread(target=lambda: meeting.followup("P")(first_round("passed")))
    other.start()
    assert meeting.differences("B", report(a=P)) == ()
    other.join(10)

    assert meeting.anew("B").followup("B")(first_round("failed")) == b'["a"]\n'


def test_a_side_whose_other_has_left_differs_in_nothing() -> None:
    meeting = Meeting(lambda _: None)
    meeting.leave("P")

    assert meeting.differences("B", report(a=P)) == ()


def test_a_repeat_that_was_not_asked_for_a_test_says_nothing_of_it() -> None:
    without = report(same=P)

    assert judge((rounds(P, P, P), (*rounds(F), without, without))) == Suspects(open=("a",))


def test_a_side_whose_other_has_left_is_asked_nothing() -> None:
    meeting = Meeting(lambda _: None)
    meeting.leave("P")

    assert meeting.followup("B")(first_round("failed")) is None


def test_a_later_round_is_judged_by_the_first_ones_collection() -> None:
    more = lines(
        {"kind": "test", "id": "a", "outcome": "passed", "duration": 0.0},
        {"kind": "test", "id": "made up", "outcome": "passed", "duration": 0.0},
        {"kind": "end", "exit": 0},
        {"kind": "roundEnd", "status": 0, "seconds": 0.5},
        {"kind": "final", "status": 0},
    )

    first, second = parse_rounds(SandboxResult(0, False, b"", first_round("failed") + more, 9.0))

    assert (first.outcome_of("a"), first.duration_s) == (F, 1.5)
    assert (second.outcome_of("a"), second.outcome_of("made up")) == (P, Outcome.ERROR)


def test_a_limit_is_told_of_the_round_that_it_ended() -> None:
    result = SandboxResult(137, True, b"", first_round("failed") + lines({"kind": "end", "exit": 0}), 300.0)

    assert [r.end for r in parse_rounds(result)] == [RunEnd.COMPLETE, RunEnd.TIMEOUT]
    assert parse(result).end is RunEnd.COMPLETE
