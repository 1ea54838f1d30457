"""The search: single edits in the order of their promise, then pairs, within a time budget."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.port import Progress, Tree
from greenline.mutation.operator import candidates
from greenline.mutation.source import Candidate, Source
from greenline.repair.behind import steps
from greenline.repair.fix import Fix, overlap
from greenline.repair.spread import names_tested, spread
from greenline.repair.trial import Bench
from greenline.verify.batch import Look, Trial

_MAX_SINGLES = 4000
_MAX_PAIRS = (1000, 1500, 3000)
"""Of edits that each mend some of the tests, of one such and any other, and of the likeliest of all."""
_MAX_BEHIND = 1500
"""Of one edit that mends some of the tests and one at a place that is suspicious only then."""
_MAX_BESIDE = 600
_NEAR = 2
"""How many lines away another edit may be that does the same as one of a pair: a guard has several places."""
_BATCH = 2000
_PATIENCE = 10.0
_MAX_AGAIN = 40
_AGAIN = 0.25
"""The share of the time left that those may take which are tried again."""
SETTLE_S = 5.0
"""How long the search goes on after the first fix, to learn whether others pass too."""


@attrs.frozen
class Found:
    """What a search came to."""

    fixes: tuple[Fix, ...]
    """Best first."""
    n_tried: int
    n_candidates: int
    looks: Mapping[Fix, Look] = attrs.field(factory=dict)
    """What fixes do near the tests, where that was seen."""
    partial: tuple[tuple[Fix, frozenset[str]], ...] = ()
    """Edits that make some of the failing tests pass, with those."""
    n_refused: int = 0
    """Fixes that pass every test and are not among `fixes`, since the user rejected them."""


@attrs.define
class Search:
    """One search over one tree."""

    bench: Bench
    tree: Tree
    suspicion: Mapping[tuple[str, int], float]
    cancellation: Cancellation
    progress: Progress
    deadline: float
    """On `time.monotonic`."""
    is_refused: Callable[[Fix], bool] = lambda _: False
    """Whether the user has rejected a fix already."""
    hold: Callable[[], None] = lambda: None
    """Stands still while the user has paused the run; asked between batches, and not part of the budget."""
    look_behind: Callable[[Fix], Mapping[tuple[str, int], float]] = lambda _: {}
    """Return which lines of the base are suspicious once a fix of some tests is made."""
    n_tried: int = 0
    _n_refused: int = 0
    _partial: list[tuple[Fix, Trial]] = attrs.field(factory=list)
    _looks: dict[Fix, Look] = attrs.field(factory=dict)
    _hung: list[Fix] = attrs.field(factory=list)
    _seen: set[frozenset[Candidate]] = attrs.field(factory=set)
    """What was tried, or waits for its turn: the ways in which pairs are made overlap."""
    _completing: list[Fix] = attrs.field(factory=list)
    """Pairs that mend all failing tests between them and wait for their turn, ahead of everything else."""
    _offered: dict[Candidate, float] = attrs.field(factory=dict)
    """Single edits with their scores, of which pairs are made."""

    def run(self) -> Found:
        """Return the fixes that pass every test in the batches; raises `Cancelled`."""
        singles = self.singles(self.suspicion)
        fixes = self._try(Fix((c,), s) for c, s in singles)
        if not fixes and self._hung and time.monotonic() < self.deadline:
            fixes = self._again()
        if not fixes:
            fixes = self._behind()
        if not fixes and time.monotonic() < self.deadline:
            self.progress("no single edit is enough; trying pairs")
            fixes = self._try(self._pairs(singles))
        fixes += self._beside(fixes)
        ranked = sorted(fixes, key=lambda fix: (len(fix.edits), -fix.score, fix.size))
        partial = tuple((f, trial.passed) for f, trial in self._partial if not self.is_refused(f))
        return Found(tuple(ranked), self.n_tried, len(singles), self._looks, partial, self._n_refused)

    def singles(self, suspicion: Mapping[tuple[str, int], float]) -> list[tuple[Candidate, float]]:
        """Return single edits of suspicious lines with their scores, best first."""
        by_file: dict[str, dict[int, float]] = {}
        for (file, line), score in suspicion.items():
            by_file.setdefault(file, {})[line] = score
        tested = names_tested(self.tree, self.bench.timing.failing)
        found: list[tuple[Candidate, float]] = []
        for file, own in by_file.items():
            self.cancellation.raise_if_cancelled()
            try:
                source = Source(file, self.tree[file].content)
            except (SyntaxError, ValueError, KeyError):
                continue
            lines = spread(source, own, tested)
            for candidate in candidates(source, set(lines)):
                found.append((candidate, _suspicion(lines, candidate.line) * candidate.prior))
        found.sort(key=lambda item: (-item[1], item[0].path, item[0].start, item[0].replacement))
        self._offered = dict(found) | self._offered
        return found[:_MAX_SINGLES]

    def _try(self, wanted: Iterator[Fix]) -> list[Fix]:
        """Try fixes batch by batch; once one passes, go on only for `SETTLE_S`."""
        passing: list[Fix] = []
        deadline = self.deadline
        size = _BATCH
        while time.monotonic() < deadline:
            deadline += self._held()
            batch, self._completing = self._completing[:size], self._completing[size:]
            batch += itertools.islice(wanted, size - len(batch))
            if not batch:
                break
            self.cancellation.raise_if_cancelled()
            trials = self.bench.run(
                [fix.edits for fix in batch], max(1.0, deadline - time.monotonic()), self.cancellation
            )
            for fix, trial in zip(batch, trials, strict=True):
                if trial is None:
                    continue
                self.n_tried += 1
                if trial.whole and self.is_refused(fix):
                    self._n_refused += 1
                    continue
                if trial.look is not None:
                    self._looks[fix] = trial.look
                if trial.hung and len(fix.edits) == 1:
                    self._hung.append(fix)
                if trial.whole:
                    passing.append(fix)
                elif trial.passed:
                    self._complete(fix, trial)
                    self._partial.append((fix, trial))
            self.progress(f"{self.n_tried} candidates tried, {len(passing)} pass every test")
            if passing:
                deadline = min(deadline, time.monotonic() + SETTLE_S)
        return passing

    def _behind(self) -> list[Fix]:
        """Try pairs of an edit that mends some of the tests and one where the others fail after it."""
        partial = [(fix, trial.passed) for fix, trial in self._partial if not self.is_refused(fix)]
        for step in steps(partial):
            self._held()
            if time.monotonic() >= self.deadline:
                break
            self.progress("an edit mends some of the tests; looking where the others fail then")
            singles = self.singles(self.look_behind(step))
            pairs = (
                Fix((*step.edits, edit), step.score * score)
                for edit, score in singles
                if not overlap(step.edits[0], edit)
            )
            fixes = self._try(itertools.islice(filter(self._is_new, pairs), _MAX_BEHIND))
            if fixes:
                return fixes
        return []

    def _beside(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Try what else each edit of the best pair could be: pairs pass long before all edits were tried."""
        pairs = [fix for fix in fixes if len(fix.edits) == 2]
        if not pairs:
            return []
        one, other = max(pairs, key=lambda fix: fix.score).edits
        rivals = (
            Fix((kept, edit), self._offered[kept] * score)
            for left, kept in ((one, other), (other, one))
            for edit, score in self._offered.items()
            if edit.path == left.path and abs(edit.line - left.line) <= _NEAR
            if edit != left and not overlap(kept, edit)
        )
        self.progress("a pair passes; trying what else either edit could be")
        likeliest = sorted(rivals, key=lambda fix: -fix.score)[:_MAX_BESIDE]
        return self._try(filter(self._is_new, likeliest))

    def _held(self) -> float:
        """Stand still while paused; return for how many seconds, by which every deadline moves."""
        began = time.monotonic()
        self.hold()
        held_s = time.monotonic() - began
        self.deadline += held_s
        return held_s

    def _again(self) -> list[Fix]:
        """Try once more, with patience, those in which a test did not end: it may only be slow."""
        self._held()
        likely = sorted(self._hung, key=lambda fix: -fix.score)[:_MAX_AGAIN]
        wall_s = _AGAIN * (self.deadline - time.monotonic())
        self.progress(f"trying {len(likely)} again whose tests did not end")
        trials = self.bench.run([fix.edits for fix in likely], wall_s, self.cancellation, _PATIENCE)
        tried = zip(likely, trials, strict=True)
        return [f for f, trial in tried if trial is not None and trial.whole and not self.is_refused(f)]

    def _complete(self, fix: Fix, trial: Trial) -> None:
        """Queue the pairs of an edit that mends some tests with earlier ones that mend the others."""
        for other, known in self._partial:
            edits = (*other.edits, *fix.edits)
            if (
                trial.passed | known.passed >= set(self.bench.timing.failing)
                and len(edits) == 2
                and not overlap(*edits)
            ):
                pair = Fix(edits, fix.score * other.score)
                if self._is_new(pair):
                    self._completing.append(pair)

    def _is_new(self, fix: Fix) -> bool:
        """Return whether these edits were not put on the way before, and remember them."""
        key = frozenset(fix.edits)
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def _pairs(self, singles: Sequence[tuple[Candidate, float]]) -> Iterator[Fix]:
        """Yield pairs: first of edits that each mend some of the tests, then of the best singles."""
        # A pair that mends some of the tests is no half of one that mends them all.
        helpful = [fix for fix, _ in self._partial if len(fix.edits) == 1]
        best = [Fix((c,), s) for c, s in singles[:120]]
        orders: list[tuple[Sequence[Fix], Sequence[Fix]]] = [
            (helpful, helpful),
            (helpful, best),
            (best, best),
        ]
        for (left, right), most in zip(orders, _MAX_PAIRS, strict=True):
            pairs = sorted(itertools.product(left, right), key=lambda pair: -pair[0].score * pair[1].score)
            joined = (
                Fix((*one.edits, *other.edits), one.score * other.score)
                for one, other in pairs
                if not overlap(*one.edits, *other.edits)
            )
            yield from itertools.islice(filter(self._is_new, joined), most)


def _suspicion(lines: Mapping[int, float], line: int) -> float:
    """Return a line's own suspiciousness; an edit between statements takes its neighbourhood's."""
    near = (lines.get(line + d, 0.0) for d in (0, 1, -1))
    return max(s * w for s, w in zip(near, (1.0, 0.7, 0.7), strict=True)) or 0.05
