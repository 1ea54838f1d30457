"""How well files are found, beside semble, FTS5, bm25s and ripgrep, on queries derived as they are asked."""

from __future__ import annotations

from bench.retrieval_run import OURS, OURS_BM25, Outcome, outcomes
from bench.retrieval_score import mean, paired_interval
from bench.table import Log, Table, Target, load

SEMBLE = "semble"
_LEAD = 1.10


def measure(log: Log) -> Table:
    """Return NDCG@10 by file, with what our vectors add and the interval of that."""
    before = load()
    rows: list[tuple[str, ...]] = []
    targets: list[Target] = []
    notes: list[str] = []
    for outcome in outcomes(log):
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
    notes.append("names hidden: only commits whose subject does not name a file that they change")
    notes.append(f"load average before and after: {before}, {load()}")
    headers = ("set", "searcher", "queries", "NDCG@10", "names hidden", "greenline minus it, 95 %")
    return Table("Retrieval: NDCG@10 by file", headers, tuple(rows), tuple(targets), tuple(notes))


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
