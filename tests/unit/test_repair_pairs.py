"""Pairs come from all three sources, however many there are of the first."""

from __future__ import annotations

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
