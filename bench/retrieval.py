"""How well files are found, beside semble, FTS5, bm25s and ripgrep, on queries derived as they are asked."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from bench.retrieval_run import OURS, OURS_BM25, Outcome, outcomes
from bench.retrieval_score import mean, paired_interval
from bench.table import Log, Table, Target, load

SEMBLE = "semble"
_LEAD = 1.10


def measure(log: Log) -> Table:
    """Return NDCG@10 by file, with what our vectors add and the interval of that."""
    before = load()
    found = outcomes(log)
    rows: list[tuple[str, ...]] = []
    targets: list[Target] = []
    notes: list[str] = []
    for outcome in found:
        asked = outcome.asked
        for name, answer in outcome.answers.items():
            hidden = [
                s
                for s, q in zip(answer.scores, asked.asked, strict=True)
                if asked.kind == "commits" and not q.names_file
            ]
            rows.append(
                (
                    f"{asked.name} {asked.kind}, {outcome.n_files} files",
                    name,
                    str(len(asked.asked)),
                    f"{mean(answer.scores):.3f}",
                    f"{mean(hidden):.3f}" if hidden else "",
                    _against(outcome, name),
                )
            )
        targets += _targets(outcome)
    for pool in _pools(found):
        rows += [
            (pool.name, name, str(len(scores)), f"{mean(scores):.3f}", "", pool.against(name))
            for name, scores in pool.scores.items()
        ]
        if pool.in_words:
            low, _ = paired_interval(pool.scores[OURS], pool.scores[OURS_BM25])
            targets.append(Target(f"{pool.name}: lower end of what vectors add, negated", -low, 0.0))
    notes.append("names hidden: only commits whose subject does not name a file that they change")
    notes.append("pooled: every query counts once, whatever set it is of")
    notes.append(f"load average before and after: {before}, {load()}")
    headers = ("set", "searcher", "queries", "NDCG@10", "names hidden", "greenline minus it, 95 %")
    return Table("Retrieval: NDCG@10 by file", headers, tuple(rows), tuple(targets), tuple(notes))


@attrs.frozen
class Pool:
    """The queries of several sets together: a single set is often too small to tell anything."""

    name: str
    in_words: bool
    scores: dict[str, tuple[float, ...]]
    """Searcher → NDCG@10 of each query, in the same order for all."""

    def against(self, name: str) -> str:
        """Return the interval of our lead over a searcher."""
        if name == OURS:
            return ""
        low, high = paired_interval(self.scores[OURS], self.scores[name])
        return f"{low:+.3f} … {high:+.3f}"


def _pools(found: Sequence[Outcome]) -> list[Pool]:
    """Pool the sets of each kind, and what is asked in words, where there are several."""
    pools = []
    for kinds in (("commits",), ("docstrings",), ("questions",), ("docstrings", "questions")):
        chosen = [outcome for outcome in found if outcome.asked.kind in kinds]
        if len(chosen) < 2 or len({outcome.asked.kind for outcome in chosen}) < len(kinds):
            continue
        shared = [name for name in chosen[0].answers if all(name in o.answers for o in chosen)]
        scores = {name: tuple(s for o in chosen for s in o.answers[name].scores) for name in shared}
        name = f"{len(chosen)} sets of {' and '.join(kinds)} pooled"
        pools.append(Pool(name, "commits" not in kinds, scores))
    return pools


def _against(outcome: Outcome, name: str) -> str:
    if name == OURS:
        return ""
    low, high = paired_interval(outcome.answers[OURS].scores, outcome.answers[name].scores)
    return f"{low:+.3f} … {high:+.3f}"


def _targets(outcome: Outcome) -> list[Target]:
    """Return the targets; a target is kept by being small, so ratios are of the peer's score to ours."""
    ours = mean(outcome.answers[OURS].scores) or 1e-9
    is_commits = outcome.asked.kind == "commits"
    name = f"{outcome.asked.name} {outcome.asked.kind}"
    found = []
    if SEMBLE in outcome.answers:
        lead = _LEAD if is_commits else 1.0
        theirs = mean(outcome.answers[SEMBLE].scores)
        found.append(Target(f"{name}: {lead:.2f} times semble, over ours", lead * theirs / ours, 1.0))
    low, _ = paired_interval(outcome.answers[OURS].scores, outcome.answers[OURS_BM25].scores)
    difference = mean(outcome.answers[OURS_BM25].scores) - mean(outcome.answers[OURS].scores)
    if is_commits:
        found.append(Target(f"{name}: what vectors cost", difference, 0.0))
    else:
        found.append(Target(f"{name}: lower end of what vectors add, negated", -low, 0.0))
    return found
