"""How long a server takes to answer `initialize`, and how much memory it holds then."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bench.lsp_client import Client
from bench.peer import BASE, OURS, commands
from bench.table import Log, Table, Target, load, median

ROUNDS = 9
_SETTLE_S = 1.0
"""How long a server may work on what follows `initialized` before its memory is read."""


def measure(log: Log) -> Table:
    """Start the servers in turn, so that a busy moment of the machine meets all of them."""
    servers = commands()
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    memory: dict[str, list[float]] = {name: [] for name in servers}
    with tempfile.TemporaryDirectory(prefix="greenline-bench-") as folder:
        root = Path(folder, "workspace")
        root.mkdir()
        environment = {**os.environ, "GREENLINE_STATE_DIR": str(Path(folder, "state"))}
        for number in range(ROUNDS + 1):
            for name, command in servers.items():
                with Client(command, root, environment) as client:
                    answered_s = client.initialize(root)
                    client.pump(_SETTLE_S)
                    held_mb = client.memory_mb()
                # The first round fills the disk cache and is not counted.
                if number:
                    seconds[name].append(answered_s)
                    memory[name].append(held_mb)
            log(f"start: round {number} of {ROUNDS}, load {load()}")
    return _table(seconds, memory)


def _table(seconds: dict[str, list[float]], memory: dict[str, list[float]]) -> Table:
    base = median(seconds[BASE]) if BASE in seconds else float("nan")
    rows = tuple(
        (
            name,
            f"{median(taken) * 1000:.0f}",
            f"{min(taken) * 1000:.0f}",
            f"{max(taken) * 1000:.0f}",
            f"{median(taken) / base:.2f}",
            f"{median(memory[name]):.0f}",
        )
        for name, taken in seconds.items()
    )
    pairs = [ours / peer for ours, peer in zip(seconds[OURS], seconds.get(BASE, ()), strict=False)]
    ratio = median(seconds[OURS]) / base
    notes = (f"load average {load()}", f"{ROUNDS} rounds, servers in turn") + (
        (f"median of the rounds' own ratios: {median(pairs):.2f}",) if pairs else ()
    )
    return Table(
        "initialize answered, and memory one second later",
        ("server", "median ms", "min ms", "max ms", f"x {BASE}", "memory MB"),
        rows,
        (
            Target(f"initialize, times {BASE}", ratio, 1.1),
            Target("memory of the front", max(memory[OURS]), 100, "MB"),
        ),
        notes,
    )
