"""What a person waits for in real editors: hover, code action and keys, idle and while the agent is at work;
and the way of a new user to the first accepted hunk, as the documentation tells it.

The times are taken in the editor: from asking to the window that is shown, from a key to its letter.
"""

from __future__ import annotations

from bench.editors.feel import Feel
from bench.editors.neovim import measure_neovim
from bench.editors.path import Walk, walk_both
from bench.editors.vscode import measure_vscode
from bench.table import Log, Table, Target, milliseconds, quantile

ANSWER_LIMIT_MS = 100.0
KEY_LIMIT_MS = 100.0
WALK_LIMIT_S = 180.0
_HEADERS = ("what", "idle p50", "idle p95", "at work p50", "at work p95", "at work max", "times", "load")


def measure(log: Log) -> Table:
    """Measure both editors, then walk the way of a new user in both."""
    feels = [measure_neovim(log), measure_vscode(log)]
    walks = walk_both(log)
    rows = tuple(row for feel in feels for row in _rows(feel))
    targets = [target for feel in feels for target in _targets(feel)]
    targets += [Target(f"{walk.editor}, new user", walk.seconds, WALK_LIMIT_S, "s") for walk in walks]
    notes = (
        "milliseconds, as the editor's user sees them; every answer was checked",
        "at work: a run of the agent and `greenline verify` were under way at every request",
        *(f"{feel.editor}: {feel.work}" for feel in feels),
        *(_steps(walk) for walk in walks),
    )
    title = "what a person waits for in an editor"
    return Table(title, _HEADERS, rows, tuple(targets), notes)


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
        Target(
            f"{feel.editor} {name} p95 at work",
            quantile(times, 0.95) * 1000,
            KEY_LIMIT_MS if name == "key" else ANSWER_LIMIT_MS,
            "ms",
        )
        for name, times in feel.busy.items()
    ]


def _steps(walk: Walk) -> str:
    steps = ", ".join(f"{name} {seconds:.1f}" for name, seconds in walk.steps)
    return f"{walk.editor}, new user, seconds without downloads: {steps}; load average {walk.load}"
