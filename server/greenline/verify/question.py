"""What a verified change's tests are asked: to miss a hunk, and to notice mutants of changed lines; pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import attrs

from greenline.core.bite import HunkBite, Mutant
from greenline.core.edit import EditSet, Hunk
from greenline.core.evidence import HunkEvidence, Outcome, TestReport
from greenline.core.port import Tree
from greenline.mutation.choice import mutants
from greenline.mutation.source import Candidate
from greenline.verify.changed_line import PYTHON, code_lines, covered_by
from greenline.verify.hunk_coverage import added_lines, patched_starts
from greenline.verify.takeback import TakenBack, taken_back
from greenline.verify.tree import relative

_A_HUNK = 12
"""How many mutants are made of one hunk's lines."""
_IN_ALL = 80
MOST_TESTS = 300
"""How many tests are asked one question, the quickest of those that execute the lines."""
_SHOWN = 60
"""How many characters of a mutant are shown."""


@attrs.frozen
class Change:
    """A verified change, and what its runs have said."""

    root: str
    base: Tree
    patched: Tree
    edit_set: EditSet
    hunks: tuple[Hunk, ...]
    measured: tuple[HunkEvidence, ...]
    is_product: Callable[[str], bool]
    """Whether a relative path is neither a test nor runner configuration."""
    after: TestReport
    """P."""
    fixed: Collection[str] = ()
    """Tests that fail without the change, or are its own: they are the likeliest to notice."""

    def ordered(self, tests: Collection[str]) -> tuple[str, ...]:
        """Return the tests that pass in P, those that soonest notice something first."""
        duration = {t.id: t.duration_s for t in self.after.tests if t.outcome is Outcome.PASSED}
        found = [test for test in tests if test in duration]
        return tuple(sorted(found, key=lambda test: (test not in self.fixed, duration[test], test)))

    def executing(self, paths: Collection[str]) -> tuple[str, ...]:
        """Return the tests that execute anything in the files, in order."""
        coverage = self.after.coverage
        return self.ordered([t for t, files in coverage.items() if not files.keys().isdisjoint(paths)])


@attrs.frozen
class Question:
    """One text that differs from the patched one, and the tests that may tell."""

    hunk_id: str
    tests: tuple[str, ...]
    edits: tuple[Candidate, ...] | None = None
    """The difference as edits of Python's project; None: it takes a container of its own."""
    back: TakenBack | None = None
    """The hunk that is taken back; None for a mutant."""
    mutant: Mutant | None = None


@attrs.frozen
class Questions:
    """All that one change's tests are asked."""

    hunks: tuple[Question, ...]
    mutants: tuple[Question, ...]
    """Those that come first are of different hunks."""
    unasked: Mapping[str, HunkBite]
    """Ids of the product hunks that nothing is asked about."""
    is_foreign: bool
    """Whether there is code of which no mutants are made."""
    is_cut: bool
    """Whether more tests execute some lines than are asked about them."""


def questions(change: Change) -> Questions:
    """Return what to ask about each hunk of product code."""
    back = taken_back(change.root, change.edit_set, change.hunks, change.is_product)
    measured = {item.hunk_id: item for item in change.measured}
    asked: list[Question] = []
    unasked: dict[str, HunkBite] = {}
    made: list[list[Question]] = []
    is_foreign = False
    starts = patched_starts(change.hunks)
    for hunk in change.hunks:
        path = relative(change.root, hunk.path)
        item = measured.get(hunk.id)
        if not change.is_product(path) or item is None:
            continue
        if item.coverage == "notApplicable":
            unasked[hunk.id] = HunkBite("notMeasured", "noCode")
            continue
        if hunk.id in back:
            asked.append(_without(change, hunk, back[hunk.id], measured))
        else:
            unasked[hunk.id] = HunkBite("notMeasured", "notText")
        made.append(list(_mutants(change, hunk.id, path, added_lines(hunk, starts[hunk.id]))))
        is_foreign = is_foreign or not path.endswith(PYTHON)
    about = (*asked, *tuple(_in_turn(made))[:_IN_ALL])
    is_cut = any(len(question.tests) > MOST_TESTS for question in about)
    short = [attrs.evolve(question, tests=question.tests[:MOST_TESTS]) for question in about]
    return Questions(tuple(short[: len(asked)]), tuple(short[len(asked) :]), unasked, is_foreign, is_cut)


def _without(change: Change, hunk: Hunk, back: TakenBack, measured: Mapping[str, HunkEvidence]) -> Question:
    names = (hunk.id, *back.along)
    tests = {test for name in names if name in measured for test in measured[name].tests}
    # What import executes is in no test's own context, and a file's tests need it all the same.
    executing = change.ordered(tests) or change.executing(back.contents)
    is_python = all(path.endswith(".py") for path in back.contents)
    return Question(hunk.id, executing, back.edits(change.patched) if is_python else None, back)


def _mutants(change: Change, hunk_id: str, path: str, added: Sequence[int]) -> Iterator[Question]:
    file = change.patched.get(path)
    if file is None or not path.endswith(".py"):
        return
    witnesses = code_lines(path, file.content)
    lines = [number for number in added if witnesses.get(number)]
    for candidate in mutants(path, file.content, lines, _A_HUNK):
        tests = covered_by([candidate.line], witnesses, path, change.after.coverage)
        mutant = _shown(candidate, file.content)
        yield Question(hunk_id, change.ordered(tests), (candidate,), mutant=mutant)


def _shown(candidate: Candidate, data: bytes) -> Mutant:
    texts = (data[candidate.start : candidate.end], candidate.replacement)
    before, after = (" ".join(text.decode("utf-8", "replace").split()) for text in texts)
    return Mutant(candidate.path, candidate.line, _short(before), _short(after))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _in_turn(made: Sequence[Sequence[Question]]) -> Iterator[Question]:
    for rank in range(max(map(len, made), default=0)):
        yield from (found[rank] for found in made if rank < len(found))
