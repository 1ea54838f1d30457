"""The table "edits": mutated edits with a known right result, ours beside git's and patch's appliers."""

from __future__ import annotations

from bench.edits import PEERS, Score, many_hunks, measure_applier, ours
from bench.edits_mix import block_cases, cases
from bench.table import Log, Table, Target

_SEED = 2026
_N_CASES = 1_100


def measure(log: Log) -> Table:
    """Run every case with every applier."""
    made = list(cases(_SEED, _N_CASES))
    scores: dict[str, Score] = {}
    for name, applier in {"greenline": ours, **PEERS}.items():
        log(f"{len(made)} cases with {name}")
        scores[name] = measure_applier(applier, made)
    blocks = list(block_cases(_SEED, _N_CASES // 4))
    scores["greenline, blocks"] = measure_applier(ours, blocks)
    log("10,000 hunks over 1,000 files")
    hunks_s = many_hunks()
    our = scores["greenline"]
    n_answered, n_rest = sum(our.answered.values()), sum(our.unanswered.values())
    missed = 100 * (1 - our.answered["right"] / n_answered)
    bad = our.answered["wrong"] + our.answered["partial"] + n_rest - our.unanswered["refused"]
    return Table(
        f"edits ({n_answered} with a right answer, {n_rest} without, seed {_SEED})",
        ("applier", "right %", "wrong", "partial", "refused as due", "ms a case"),
        tuple(_row(name, score) for name, score in scores.items()),
        (
            Target("cases with an answer that were not done right", missed, 3.0, "%"),
            Target("silently wrong, partial, or applied without an answer", bad, 0),
            Target("processor time of a case", 1000 * our.cpu_seconds / len(made), 5.0, "ms"),
            Target("10,000 hunks over 1,000 files into an edit set", hunks_s, 2.0, "s"),
        ),
    )


def _row(name: str, score: Score) -> tuple[str, ...]:
    n_answered, n_rest = sum(score.answered.values()), sum(score.unanswered.values())
    return (
        name,
        f"{100 * score.answered['right'] / max(n_answered, 1):.1f}",
        str(score.answered["wrong"]),
        str(score.answered["partial"]),
        f"{score.unanswered['refused']} of {n_rest}",
        f"{1000 * score.seconds / (n_answered + n_rest):.2f}",
    )
