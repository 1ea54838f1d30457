"""`greenline undo [RUN|CHECKPOINT]`: take back what was applied to the files on the disk."""

from __future__ import annotations

import argparse
import json
import sys

from greenline.cli.console import known_root, known_settings, say
from greenline.core.error import EditRejected, GreenlineError
from greenline.core.visible import visible
from greenline.edit.restore import UndoConflict
from greenline.edit.undo import Undone, undo_on_disk


def run(arguments: argparse.Namespace) -> int:
    """Print what was restored; exit 1 with a line for each conflict where something was not."""
    from greenline.app import open_checkpoints, open_journal
    from greenline.edit.reach import Reach

    root = known_root(arguments.root)
    own = open_checkpoints(root, open_journal(root), known_settings(), (root,))
    store, checkpoints = Reach.of(root, own).named(arguments.name)
    try:
        undone = undo_on_disk(store, checkpoints)
    except EditRejected as error:
        # Another process was first; the command line is as good as it was.
        raise GreenlineError(error.message, remedy="Run `greenline undo` again.", code=error.code) from error
    if arguments.json:
        print(json.dumps(as_json(undone)))
    else:
        for path in undone.restored:
            say(f"restored {path}")
        if undone.restored and any(checkpoint.kind == "undo" for checkpoint in checkpoints):
            print("This took back an undo: what it had undone is there again.")
        if undone.checkpoint is not None:
            print(f"to take this back: greenline undo {undone.checkpoint.id}")
        elif not undone.conflicts:
            print("Nothing to restore: every file is as it was before.")
            print(f"{', '.join(undone.by_hand)} counts as undone from now on.")
    for conflict in undone.conflicts:
        print(f"greenline: {visible(_line(conflict))}", file=sys.stderr)
    return 1 if undone.conflicts else 0


def as_json(undone: Undone) -> dict[str, object]:
    """Return the outcome as the command's JSON value; lines count from 1."""
    return {
        "restored": list(undone.restored),
        "conflicts": [
            {"path": c.path, "line": None if c.line is None else c.line + 1, "reason": c.reason}
            for c in undone.conflicts
        ],
        "checkpointId": None if undone.checkpoint is None else undone.checkpoint.id,
        "takenBackByHand": list(undone.by_hand),
    }


def _line(conflict: UndoConflict) -> str:
    place = conflict.path if conflict.line is None else f"{conflict.path}:{conflict.line + 1}"
    return f"conflict: {place}: {conflict.reason}"
