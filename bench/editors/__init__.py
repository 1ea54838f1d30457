"""What a person waits for in a real editor: hover, code action and keys, idle and while the agent is at work.

The times are taken in the editor: from asking to the window that is shown, from a key to its letter.
"""

from __future__ import annotations

from bench.editors.feel import Feel
from bench.editors.neovim import measure_neovim
from bench.table import Log, Table, Target, milliseconds, quantile

LIMIT_MS = 100.0
_HEADERS = ("what", "idle p50", "idle p95", "at work p50", "at work p95", "at work max", "times", "load")


def measure(log: Log) -> Table:
    """Measure Neovim."""
    feel = measure_neovim(log)
    notes = (
        "milliseconds, as the editor's user sees them; every answer was checked",
        "at work: a run of the agent and `greenline verify` were under way at every request",
        f"{feel.editor}: {feel.work}",
    )
    title = "what a person waits for in an editor"
    return Table(title, _HEADERS, tuple(_rows(feel)), tuple(_targets(feel)), notes)


def _rows(feel: Feel) -> list[tuple[str, ...]]:
    rows = []
    for name, idle in feel.idle.items():
        busy = feel.busy[name]
        figures = [quantile(times, share) for times in (idle, busy) for share in (0.5, 0.95)]
        cells = [milliseconds(figure) for figure in (*figures, max(busy))]
        rows.append((f"{feel.editor} {name}", *cells, f"{len(idle)}+{len(busy)}", feel.load))
    return rows


def _targets(feel: Feel) -> list[Target]:
    return [
        Target(f"{feel.editor} {name} p95 at work", quantile(times, 0.95) * 1000, LIMIT_MS, "ms")
        for name, times in feel.busy.items()
    ]
