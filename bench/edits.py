"""The table "edits": mutated edits with a known right result, ours beside its peers, and what edits cost."""

from __future__ import annotations

from contextlib import ExitStack

from bench.edits_accept import accepts
from bench.edits_aider import NotInstalled, aider
from bench.edits_applier import PEERS, Apply, Score, measure_applier, ours
from bench.edits_cost import many_hunks
from bench.edits_mix import block_cases, cases
from bench.table import Log, Table, Target, load, median, milliseconds

_SEED = 2026
_N_CASES = 1_100
_N_LINES = 50_000


def measure(log: Log) -> Table:
    """Run every case with every applier."""
    made = list(cases(_SEED, _N_CASES))
    blocks = list(block_cases(_SEED, _N_CASES // 4))
    scores: dict[str, Score] = {}
    notes: list[str] = []
    with ExitStack() as stack:
        appliers: dict[str, Apply] = {"greenline": ours, **PEERS}
        in_blocks: dict[str, Apply] = {"greenline, blocks": ours}
        try:
            log("setting aider up beside the repository")
            host = stack.enter_context(aider(log))
            appliers["aider, udiff"] = host.diff
            in_blocks["aider, blocks"] = host.blocks
            notes.append(f"aider: {host.version}")
        except NotInstalled as error:
            notes.append(f"aider: not run: {error}")
        for name, applier in appliers.items():
            log(f"{len(made)} cases with {name}")
            scores[name] = measure_applier(applier, made)
        for name, applier in in_blocks.items():
            log(f"{len(blocks)} cases with {name}")
            scores[name] = measure_applier(applier, blocks)
    log("10,000 hunks over 1,000 files")
    hunks_s = many_hunks()
    log(f"accepts in a file of {_N_LINES:,} lines")
    times = accepts(_N_LINES)
    seconds = [item.seconds for item in times]
    cpu_s = median([item.cpu_seconds for item in times])
    notes.append(
        f"{len(times)} accepts in a file of {_N_LINES:,} lines, at the server: median"
        f" {milliseconds(median(seconds))} ms ({milliseconds(cpu_s)} ms of processor time), longest"
        f" {milliseconds(max(seconds))} ms; load average {load()}"
    )
    return _table(scores, len(made), hunks_s, median(seconds), notes)


def _table(scores: dict[str, Score], n_made: int, hunks_s: float, accept_s: float, notes: list[str]) -> Table:
    our = scores["greenline"]
    n_answered, n_rest = sum(our.answered.values()), sum(our.unanswered.values())
    missed = 100 * (1 - our.answered["right"] / n_answered)
    bad = our.answered["wrong"] + our.answered["partial"] + n_rest - our.unanswered["refused"]
    return Table(
        f"edits ({n_answered} with a right answer, {n_rest} without, seed {_SEED})",
        ("applier", "cases", "right %", "wrong", "partial", "refused as due", "ms a case"),
        tuple(_row(name, score) for name, score in scores.items()),
        (
            Target("cases with an answer that were not done right", missed, 3.0, "%"),
            Target("silently wrong, partial, or applied without an answer", bad, 0),
            Target("processor time of a case", 1000 * our.cpu_seconds / n_made, 5.0, "ms"),
            Target("10,000 hunks over 1,000 files into an edit set", hunks_s, 2.0, "s"),
            Target("an accept in a file of 50,000 lines, at the server", 1000 * accept_s, 50.0, "ms"),
        ),
        tuple(notes),
    )


def _row(name: str, score: Score) -> tuple[str, ...]:
    n_answered, n_rest = sum(score.answered.values()), sum(score.unanswered.values())
    return (
        name,
        str(n_answered + n_rest),
        f"{100 * score.answered['right'] / max(n_answered, 1):.1f}",
        str(score.answered["wrong"]),
        str(score.answered["partial"]),
        f"{score.unanswered['refused']} of {n_rest}",
        f"{1000 * score.seconds / (n_answered + n_rest):.2f}",
    )
