"""What an index costs beside the peers: building it, one file, one query, memory and disk."""

from __future__ import annotations

from bench.retrieval import SEMBLE
from bench.retrieval_run import OURS, outcomes
from bench.table import Log, Table, Target, load, quantile

_QUERY_MS = 50.0
_MEMORY_MB = 400.0
_SOURCE_SHARE = 1.5


def measure(log: Log) -> Table:
    """Return the costs of the run that the table `retrieval` is made from."""
    before = load()
    rows = []
    targets = []
    for outcome in outcomes(log):
        name = f"{outcome.asked.name} {outcome.asked.kind}, {outcome.n_files} files"
        for searcher, answer in outcome.answers.items():
            rows.append(
                (
                    name,
                    searcher,
                    f"{answer.index_cpu_s:.2f}",
                    f"{answer.update_s * 1000:.0f}",
                    f"{quantile(answer.query_ms, 0.5):.1f}",
                    f"{quantile(answer.query_ms, 0.95):.1f}",
                    f"{quantile(answer.query_cpu_ms, 0.95):.1f}",
                    f"{answer.memory_mb:.0f}",
                    f"{answer.index_mb:.1f}" if answer.index_mb else "",
                )
            )
        ours = outcome.answers[OURS]
        targets.append(Target(f"{name}: query p95", quantile(ours.query_cpu_ms, 0.95), _QUERY_MS, "CPU ms"))
        targets.append(Target(f"{name}: memory", ours.memory_mb, _MEMORY_MB, "MB"))
        if SEMBLE in outcome.answers:
            limit = outcome.answers[SEMBLE].index_cpu_s
            targets.append(Target(f"{name}: cold index, limit semble's", ours.index_cpu_s, limit, "CPU s"))
        if ours.source_mb > 1:
            targets.append(
                Target(f"{name}: index over source", ours.index_mb / ours.source_mb, _SOURCE_SHARE)
            )
    headers = (
        "set",
        "searcher",
        "cold CPU s",
        "one file ms",
        "query p50 ms",
        "p95 ms",
        "p95 CPU ms",
        "memory MB",
        "disk MB",
    )
    notes = (
        f"load average before and after: {before}, {load()}",
        "greenline's build holds trees, graph and vectors",
    )
    return Table("Index: what it costs", headers, tuple(rows), tuple(targets), notes)
