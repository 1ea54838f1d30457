"""How much of a verified change its tests notice: each hunk taken back alone, and mutants of its lines.

Bounded by a time; what it has not come to is counted as that. What is said here is beside the verdict and
never part of it: in a batch the project's code shares a process with what answers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import attrs

from greenline.core.bite import Bite, HunkBite, Mutant
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import HunkEvidence, Outcome, RunEnd, TestReport
from greenline.core.port import Progress, Tree
from greenline.mutation.source import Candidate
from greenline.verify.batch import Asked, Batch, Timing, Trial
from greenline.verify.question import MOST_TESTS, Change, Question, Questions, questions
from greenline.verify.runs import Suite

_SPARE_S = 0.5
_TIMES = 5.0
"""How much longer than in P a test may take before it counts as one that does not end."""
_MANY = 16
"""How many questions are worth a second container."""
_START_S = 2.0
"""What a container takes before its first test, roughly."""
_NAMED = 5
_BROKEN = (Outcome.FAILED, Outcome.ERROR)

Answer = Literal["noticed", "unnoticed", "time", "unsound", "died"]


@attrs.frozen
class Reply:
    """What the tests said to one question."""

    answer: Answer
    tests: tuple[str, ...] = ()
    """Some of those that noticed."""


_LATE = Reply("time")


def measure_bite(
    change: Change, suite: Suite, budget_s: float, n_parallel: int, progress: Progress
) -> tuple[tuple[HunkEvidence, ...], Bite]:
    """Return the hunks' evidence with their bite, and the sum; takes little longer than the budget.

    A sick sandbox is a reason in the sum; only `Cancelled` leaves.
    """
    began = time.monotonic()
    asked = questions(change)
    everything = (*asked.hunks, *asked.mutants)
    if any(question.tests for question in everything):
        n_mutants = f" and trying {len(asked.mutants)} mutants" if asked.mutants else ""
        progress(f"Taking {len(asked.hunks)} hunks back one by one{n_mutants}.")
    inquiry = _Inquiry(change, suite, began + budget_s, n_parallel)
    problem = ""
    try:
        replies = inquiry.ask(everything)
    except SandboxUnavailable as error:
        replies, problem = [_LATE] * len(everything), str(error)
    answered = list(zip(everything, replies, strict=True))
    found = {**asked.unasked, **_by_hunk(answered)}
    hunks = tuple(attrs.evolve(item, bite=found.get(item.hunk_id)) for item in change.measured)
    total = _total(found, answered, _reason(asked, replies, budget_s, problem))
    return hunks, attrs.evolve(total, duration_s=round(time.monotonic() - began, 3))


@attrs.frozen
class _Inquiry:
    """Asks in batches where it can, and in containers of their own where it must."""

    change: Change
    suite: Suite
    deadline: float
    """On `time.monotonic`."""
    n_parallel: int

    def ask(self, asked: Sequence[Question]) -> list[Reply]:
        """Return a reply to each question; one that no test can answer is unnoticed."""
        replies = [Reply("unnoticed") if not question.tests else _LATE for question in asked]
        together = [n for n, question in enumerate(asked) if question.tests and question.edits is not None]
        n_shares = self.n_parallel if len(together) > _MANY else 1
        shares = [share for start in range(n_shares) if (share := together[start::n_shares])]
        with ThreadPoolExecutor(self.n_parallel, thread_name_prefix="bite") as pool:
            found = pool.map(lambda share: self._batch([asked[n] for n in share]), shares)
            for share, answers in zip(shares, found, strict=True):
                for place, reply in zip(share, answers, strict=True):
                    replies[place] = reply
        alone = [n for n, question in enumerate(asked) if question.tests and question.edits is None]
        if alone:
            for place, reply in zip(alone, self._each([asked[n] for n in alone]), strict=True):
                replies[place] = reply
        return replies

    def _batch(self, asked: Sequence[Question]) -> list[Reply]:
        """Ask in one container, which first runs the tests over the text as it is."""
        wall_s = self.deadline - time.monotonic() - _START_S
        runner = next((p.runner for p in self.suite.projects if p.kind == "python"), "")
        if wall_s <= 0 or not runner:
            return [_LATE] * len(asked)
        controls = _controls(asked)
        batch = Batch(
            self.suite.sandbox,
            self.suite.root,
            self.change.patched,
            runner,
            timing(self.change.after, controls[0][1], wall_s),
            self.suite.label,
            limits=self.suite.limits,
        )
        candidates = [*(edits for edits, _ in controls), *(question.edits or () for question in asked)]
        tests = [*(tests for _, tests in controls), *(question.tests for question in asked)]
        trials = batch.run(Asked(candidates, tests, len(controls)), wall_s, self.suite.cancellation)
        if not trials and time.monotonic() < self.deadline:
            return [Reply("died")] * len(asked)
        return replies(controls, asked, trials)

    def _each(self, asked: Sequence[Question]) -> list[Reply]:
        """Ask in a container for each question, and one for the text as it is."""
        tests = tuple(dict.fromkeys(test for question in asked for test in question.tests))
        texts: list[tuple[Tree, tuple[str, ...]]] = [(self.change.patched, tests)]
        for question in asked:
            assert question.back is not None
            texts.append((question.back.tree(self.change.base, self.change.patched), question.tests))
        with ThreadPoolExecutor(self.n_parallel, thread_name_prefix="bite") as pool:
            control, *reports = pool.map(lambda text: self._run(*text), texts)
        if control is None or control.end is not RunEnd.COMPLETE:
            return [_LATE if control is None else Reply("unsound")] * len(asked)
        return [reply_of(control, q.tests, report) for q, report in zip(asked, reports, strict=True)]

    def _run(self, tree: Tree, tests: tuple[str, ...]) -> TestReport | None:
        """Run tests over one text; None where the time is not enough for it.

        Raises `SandboxUnavailable`: that the time was over would be the wrong reason.
        """
        left_s = self.deadline - time.monotonic()
        whole_s = self.suite.limits.wall_s
        if left_s < _START_S:
            return None
        limits = attrs.evolve(self.suite.limits, wall_s=min(whole_s, left_s))
        report = attrs.evolve(self.suite, limits=limits).run(tree, tests, coverage=False)
        if report.end is RunEnd.UNAVAILABLE:
            raise SandboxUnavailable(report.detail)
        return None if report.end is RunEnd.TIMEOUT and left_s < whole_s else report


def timing(report: TestReport, tests: Sequence[str], wall_s: float) -> Timing:
    """Return limits that tests which pass as they do in P do not come near."""
    limits = {test.id: round(_SPARE_S + _TIMES * test.duration_s, 3) for test in report.tests}
    own = [limits.get(test, _SPARE_S) for test in tests]
    timeout_s = max(4.0, min(wall_s / 2, sum(own)))
    return Timing((), (), limits, _SPARE_S, test_s=max(2.0, 2 * max(own, default=0.0)), timeout_s=timeout_s)


def _controls(asked: Sequence[Question]) -> list[tuple[tuple[Candidate, ...], tuple[str, ...]]]:
    """Return edits that change nothing, with all tests: none at all, and one for each file.

    A file is put in place, so that it is tried as its mutants are: some are imported anew.
    """
    by_path: dict[str, dict[str, None]] = {}
    for question in asked:
        for edit in question.edits or ():
            by_path.setdefault(edit.path, {}).update(dict.fromkeys(question.tests))
    everything = tuple(dict.fromkeys(test for tests in by_path.values() for test in tests))
    empty = ((Candidate(path, 0, 0, b"", "control", 1, 1.0),) for path in by_path)
    return [((), everything), *zip(empty, map(tuple, by_path.values()), strict=True)]


def replies(
    controls: Sequence[tuple[Sequence[Candidate], Sequence[str]]],
    asked: Sequence[Question],
    trials: Mapping[int, Trial],
) -> list[Reply]:
    """Return what a batch's trials, the controls' first, say to each question.

    A test notices a text only where it passes each control, and so ends there.
    """
    unsound: set[str] = set()
    for place, (_, tests) in enumerate(controls):
        control = trials.get(place)
        if control is None:
            return [_LATE] * len(asked)
        unsound.update(control.bad, set(tests) - control.passed)
    return [_judged(trials.get(place), unsound) for place, _ in enumerate(asked, len(controls))]


def _judged(trial: Trial | None, unsound: set[str]) -> Reply:
    if trial is None:
        return _LATE
    if trial.whole:
        return Reply("unnoticed")
    noticed = tuple(test for test in trial.bad if test not in unsound)
    return Reply("noticed", noticed[:_NAMED]) if noticed else Reply("unsound")


def reply_of(control: TestReport, tests: Sequence[str], report: TestReport | None) -> Reply:
    """Return what a run of its own says to one question, beside a run over the text as it is."""
    if report is None:
        return _LATE
    sound = [test for test in tests if control.outcome_of(test) is Outcome.PASSED]
    if report.end is not RunEnd.COMPLETE:
        # It cannot be collected, dies or does not end: whatever passes with the hunk is lost without it.
        return Reply("noticed", tuple(sound[:_NAMED])) if sound else Reply("unsound")
    failing = tuple(test for test in sound if report.outcome_of(test) in _BROKEN)
    if failing:
        return Reply("noticed", failing[:_NAMED])
    return Reply("unnoticed") if sound else Reply("unsound")


def _by_hunk(answered: Sequence[tuple[Question, Reply]]) -> dict[str, HunkBite]:
    found: dict[str, HunkBite] = {}
    for question, reply in answered:
        if question.back is not None:
            known = found.get(question.hunk_id, HunkBite("notMeasured"))
            found[question.hunk_id] = _hunk_bite(known, question, reply)
        elif reply.answer in ("noticed", "unnoticed"):
            known = found.get(question.hunk_id, HunkBite("notMeasured", "notText"))
            killed = reply.answer == "noticed"
            lived: tuple[Mutant, ...] = () if killed or question.mutant is None else (question.mutant,)
            found[question.hunk_id] = attrs.evolve(
                known,
                n_mutants=known.n_mutants + 1,
                n_killed=known.n_killed + killed,
                survivors=(*known.survivors, *lived)[:_NAMED],
            )
    return found


def _hunk_bite(known: HunkBite, question: Question, reply: Reply) -> HunkBite:
    along = question.back.along if question.back is not None else ()
    if reply.answer == "noticed":
        tests = tuple(test for test in reply.tests if test in question.tests) or question.tests[:1]
        return attrs.evolve(known, state="bites", tests=tests, taken_along=along)
    if reply.answer == "unnoticed":
        reason = "noTestFails" if question.tests else "noTestExecutes"
        return attrs.evolve(known, state="idle", reason=reason, taken_along=along)
    return attrs.evolve(known, state="notMeasured", reason=reply.answer, taken_along=along)


def _total(found: Mapping[str, HunkBite], answered: Sequence[tuple[Question, Reply]], reason: str) -> Bite:
    counted = [bite for bite in found.values() if bite.reason != "noCode"]
    n_mutants = sum(1 for question, _ in answered if question.back is None)
    n_decided = sum(bite.n_mutants for bite in counted)
    return Bite(
        n_hunks=sum(1 for bite in counted if bite.state != "notMeasured"),
        n_biting=sum(1 for bite in counted if bite.state == "bites"),
        n_hunks_left=sum(1 for bite in counted if bite.state == "notMeasured"),
        n_mutants=n_decided,
        n_killed=sum(bite.n_killed for bite in counted),
        n_mutants_left=n_mutants - n_decided,
        reason=reason,
    )


def _reason(asked: Questions, replies: Sequence[Reply], budget_s: float, problem: str) -> str:
    answers = {reply.answer for reply in replies}
    said = []
    if problem:
        said.append(problem)
    elif "time" in answers:
        said.append(f"The time of {budget_s:.0f} s for it was over.")
    if "unsound" in answers:
        said.append("Some tests do not pass alone on the changed text, so they can tell nothing.")
    if "died" in answers:
        said.append("The tests' process ended before it could be asked.")
    if asked.is_cut:
        said.append(f"Of more than {MOST_TESTS} tests that execute a line, the quickest were asked.")
    if asked.is_foreign:
        said.append("Mutants are made of Python only.")
    return " ".join(said)
