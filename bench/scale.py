"""What an index costs on 10,000, 30,000 and 100,000 made-up files: none of it may grow faster than they do.

Each size is measured in a process of its own: `python -m bench.scale ROOT`.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from bench.live import Vocabulary, write_modules
from bench.table import Log, Table, Target, load, quantile

if TYPE_CHECKING:
    from greenline.index.indexer import Indexer
    from greenline.index.retrieve.retriever import Retriever

SIZES = (10_000, 30_000, 100_000)
_N_FUNCTIONS = 2
_N_SAVES = 40
_N_QUERIES = 60
_TIMEOUT_S = 3 * 3600
_NOISE = 1.15
"""What two runs of the same may differ by on a machine that does other work."""


@attrs.frozen
class Cost:
    """What one size costs."""

    n_files: int
    n_chunks: int
    cold_cpu_s: float
    memory_mb: float
    index_mb: float
    source_mb: float
    rescan_cpu_s: float
    """Of a look at all files where nothing changed."""
    save_cpu_ms: float
    """From a changed file to its hit, at the median."""
    save_p95_cpu_ms: float
    query_cpu_ms: float
    query_p95_cpu_ms: float


def measure(log: Log) -> Table:
    """Measure the sizes one after the other."""
    before = load()
    costs = []
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="greenline-bench-") as folder:
            root = Path(folder, "ws")
            write_modules(root, size, _N_FUNCTIONS)
            log(f"scale: {size} files, load {load()}")
            command = [sys.executable, "-m", "bench.scale", str(root)]
            done = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=_TIMEOUT_S
            )
            costs.append(Cost(**json.loads(done.stdout.rstrip().rpartition(b"\n")[2])))
            log(f"scale: {costs[-1]}")
    return _table(costs, before)


def _table(costs: list[Cost], before: str) -> Table:
    rows = tuple(
        (
            f"{cost.n_files:,} files, {cost.n_chunks:,} chunks",
            f"{cost.cold_cpu_s:.0f}",
            f"{cost.cold_cpu_s / cost.n_files * 1000:.2f}",
            f"{cost.memory_mb:.0f}",
            f"{cost.index_mb:.0f}",
            f"{cost.index_mb / cost.source_mb:.2f}",
            f"{cost.rescan_cpu_s:.2f}",
            f"{cost.save_cpu_ms:.0f} / {cost.save_p95_cpu_ms:.0f}",
            f"{cost.query_cpu_ms:.0f} / {cost.query_p95_cpu_ms:.0f}",
        )
        for cost in costs
    )
    few, many = costs[0], costs[-1]
    limit = many.n_files / few.n_files * _NOISE
    names = {
        "cold_cpu_s": "cold index",
        "memory_mb": "memory",
        "index_mb": "file",
        "rescan_cpu_s": "a look at all files",
        "save_cpu_ms": "a save, median",
        "query_p95_cpu_ms": "a query, p95",
    }
    targets = tuple(
        Target(f"{what}, times the smallest size's", getattr(many, key) / getattr(few, key), limit)
        for key, what in names.items()
    )
    headers = (
        "size",
        "cold CPU s",
        "ms a file",
        "memory MB",
        "disk MB",
        "of source",
        "look CPU s",
        "save CPU ms p50 / p95",
        "query CPU ms p50 / p95",
    )
    notes = (f"load average before and after: {before}, {load()}",)
    return Table("Index: how its cost grows", headers, rows, targets, notes)


def main() -> None:
    """Index one folder and print what that costs, as JSON."""
    # Loaded here, so that the memory is that of a worker.
    from greenline.guard.gate import Gate
    from greenline.index.embed.static_embedder import StaticEmbedder
    from greenline.index.indexer import Indexer
    from greenline.index.retrieve.retriever import Retriever

    root = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        embedder = StaticEmbedder()
        indexer = Indexer(Path(folder, "index.db"), [str(root)], Gate([str(root)]), embedder)
        indexer.scan()
        scanned = time.process_time()
        indexer.scan()
        looked = time.process_time()
        retriever = Retriever(indexer.store, embedder)
        retriever.search("warm up")
        queries = _queries(retriever)
        saves = _saves(root, indexer, retriever)
        stats = indexer.store.stats()
        indexer.close()
    cost = Cost(
        n_files=stats.n_files,
        n_chunks=stats.n_chunks,
        cold_cpu_s=scanned - began,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        index_mb=stats.index_bytes / 1e6,
        source_mb=stats.source_bytes / 1e6,
        rescan_cpu_s=looked - scanned,
        save_cpu_ms=quantile(saves, 0.5),
        save_p95_cpu_ms=quantile(saves, 0.95),
        query_cpu_ms=quantile(queries, 0.5),
        query_p95_cpu_ms=quantile(queries, 0.95),
    )
    print("\n" + json.dumps(attrs.asdict(cost)))


def _queries(retriever: Retriever) -> list[float]:
    vocabulary = Vocabulary(3)
    taken = []
    for _ in range(_N_QUERIES):
        words = " ".join(vocabulary.words(vocabulary.random.randrange(1, 6)))
        began = time.process_time()
        retriever.search(f"how does {words} work")
        taken.append((time.process_time() - began) * 1000)
    return taken


def _saves(root: Path, indexer: Indexer, retriever: Retriever) -> list[float]:
    choice = random.Random(4)
    files = sorted(root.rglob("*.py"))
    taken = []
    for number in range(_N_SAVES):
        path, name = choice.choice(files), f"zephyr{number}quartz"
        path.write_text(f"{path.read_text()}\n\ndef {name}():\n    return {number}\n")
        began = time.process_time()
        indexer.update([str(path)])
        found = retriever.search(name)
        taken.append((time.process_time() - began) * 1000)
        if not found.hits or found.hits[0].chunk.file.path != path.relative_to(root).as_posix():
            raise RuntimeError(f"the save of {path} is not found")
    return taken


if __name__ == "__main__":
    main()
