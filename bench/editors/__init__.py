"""What a person waits for in a real editor: hover, code action and keys, idle and while the agent is at work.

The times are taken in the editor: from asking to the window that is shown, from a key to its letter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from bench.editors.feel import Feel, NotMeasured
from bench.editors.neovim import measure_neovim
from bench.editors.vscode import measure_vscode
from bench.table import Log, Table, Target, milliseconds, quantile

LIMIT_MS = 100.0
EDITORS: Mapping[str, Callable[[Log], Sequence[Feel]]] = {
    "Neovim": measure_neovim,
    "VS Code": measure_vscode,
}
_HEADERS = ("what", "idle p50", "idle p95", "at work p50", "at work p95", "at work max", "times", "load")


def measure(log: Log) -> Table:
    """Measure every editor; one that cannot be measured is said, and misses its target."""
    feels: list[Feel] = []
    targets: list[Target] = []
    notes = [
        "milliseconds, as the editor's user sees them; every answer was checked",
        "at work: a run of the agent and `greenline verify` were under way at every request",
    ]
    for name, measure_editor in EDITORS.items():
        try:
            measured = measure_editor(log)
        except Exception as error:  # noqa: BLE001
            # One editor that cannot be measured must not cost the other.
            notes.append(f"{name}: not measured: {error}")
            targets.append(Target(f"{name} p95 at work", math.nan, LIMIT_MS, "ms"))
            continue
        feels += measured
        targets += [target for feel in measured for target in _targets(feel)]
        notes += [f"{feel.editor}: {feel.work}" for feel in measured]
    if not feels:
        raise NotMeasured("; ".join(notes[2:]))
    rows = tuple(row for feel in feels for row in _rows(feel))
    return Table("what a person waits for in an editor", _HEADERS, rows, tuple(targets), tuple(notes))


def _rows(feel: Feel) -> list[tuple[str, ...]]:
    rows = []
    for name, idle in feel.idle.items():
        busy = feel.busy[name]
        figures = [quantile(times, share) for times in (idle, busy) for share in (0.5, 0.95)]
        cells = [milliseconds(figure) for figure in (*figures, max(busy))]
        rows.append((f"{feel.editor} {name}", *cells, f"{len(idle)}+{len(busy)}", feel.load))
    return rows


def _targets(feel: Feel) -> list[Target]:
    if feel.is_control:
        return []
    return [
        Target(f"{feel.editor} {name} p95 at work", quantile(times, 0.95) * 1000, LIMIT_MS, "ms")
        for name, times in feel.busy.items()
    ]
