"""Pairs come from all three sources, however many there are of the first."""

from __future__ import annotations

import time
import unittest.mock
from collections.abc import Sequence

from greenline.core.cancel import Cancellation
from greenline.core.evidence import RunEnd, TestReport
from greenline.mutation.source import Candidate
from greenline.repair.fix import Fix
from greenline.repair.search import Search
from greenline.repair.trial import Bench, timing
from greenline.sandbox.docker_sandbox import DockerSandbox
from greenline.verify.batch import Trial


def _single(number: int) -> tuple[Candidate, float]:
    return Candidate("m.py", 10 * number, 10 * number + 1, b"x", "kind", number, 0.5), 1.0 / (number + 1)


def _search() -> Search:
    report = TestReport(RunEnd.COMPLETE)
    bench = Bench(DockerSandbox(), "/m", {}, "pytest", timing(report, (), 4.0), {}, 1.0, "test")
    return Search(bench, {}, {}, Cancellation(), lambda _: None, 0.0)


def test_the_likeliest_pair_is_among_the_first_of_its_kind() -> None:
    pairs = list(_search()._pairs([_single(number) for number in range(30)]))

    assert [edit.line for edit in pairs[0].edits] == [0, 1]
    assert len(pairs) == len({frozenset(pair.edits) for pair in pairs}) == 30 * 29 // 2


def test_a_pair_that_mended_a_part_makes_no_larger_one() -> None:
    search = _search()
    (one, _), (other, _) = singles = [_single(number) for number in range(2)]
    helps = Trial(frozenset({"test"}), False)
    search._partial += [(Fix(edits, 1.0), helps) for edits in [(one,), (one, other), (other,)]]

    assert [set(pair.edits) for pair in search._pairs(singles)] == [{one, other}]


def test_what_else_an_edit_of_a_pair_could_be_is_tried() -> None:
    search = _search()
    search.deadline = time.monotonic() + 60
    usual, odd, rival, elsewhere = (
        Candidate("m.py", start, start + 1, text, "kind", line, 0.5)
        for start, line, text in ((0, 1, b"x"), (90, 9, b"y"), (90, 9, b"z"), (40, 5, b"z"))
    )
    search._offered |= dict.fromkeys((usual, odd, rival, elsewhere), 0.5)
    tried: list[frozenset[Candidate]] = []

    def run(edits: Sequence[Sequence[Candidate]], *_: object) -> list[Trial]:
        tried.extend(map(frozenset, edits))
        return [Trial(frozenset({"test"}), True) for _ in edits]

    with unittest.mock.patch.object(Bench, "run", lambda self, *rest: run(*rest)):
        found = search._beside([Fix((usual, odd), 0.25)])

    assert tried == [frozenset((usual, rival))]
    assert [fix.score for fix in found] == [0.25]
    assert search._beside([Fix((usual,), 0.5)]) == []
