"""`greenline checkpoints`: what was applied and can be undone, newest first."""

from __future__ import annotations

import argparse
import json
import os
import time

from rich.table import Table
from rich.text import Text

from greenline.cli.console import console, known_root, known_settings, limit_of
from greenline.core.visible import visible
from greenline.journal.checkpoint import Checkpoint


def run(arguments: argparse.Namespace) -> int:
    """Print the checkpoints."""
    from greenline.app import open_checkpoints, open_journal
    from greenline.edit.reach import Reach

    limit = limit_of(arguments.limit)
    root = known_root(arguments.root)
    own = open_checkpoints(root, open_journal(root), known_settings(), (root,))
    found = Reach.of(root, own).newest_first(limit)
    if arguments.json:
        print(json.dumps([as_json(item) for item in found]))
        return 0
    if not found:
        print("No checkpoints yet.")
        return 0
    table = Table(header_style="bold")
    # An id that is cut off can be given to no command.
    table.add_column("checkpoint", min_width=17, no_wrap=True)
    for heading in ("when", "state", "files", "why"):
        table.add_column(heading)
    for item in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.created))
        names = ", ".join(os.path.relpath(file.path, root) for file in item.files[:3])
        more = f" and {len(item.files) - 3} more" if len(item.files) > 3 else ""
        table.add_row(item.id, when, _state(item), Text(visible(names + more)), Text(visible(item.reason)))
    console().print(table)
    return 0


def as_json(item: Checkpoint) -> dict[str, object]:
    """Return a checkpoint as JSON; contents are named by their hash."""
    return {
        "checkpointId": item.id,
        "runId": item.run_id,
        "created": item.created,
        "kind": item.kind,
        "place": item.place,
        "state": item.state.value,
        "reason": item.reason,
        "undoneBy": item.undone_by,
        "note": item.note,
        "files": [{"path": f.path, "before": f.before, "after": f.after} for f in item.files],
    }


def _state(item: Checkpoint) -> str:
    return "undone" if item.undone_by is not None else item.state.value
