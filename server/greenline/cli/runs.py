"""`greenline runs`: the runs of a workspace, newest first."""

from __future__ import annotations

import argparse
import json
import time

from rich.table import Table
from rich.text import Text

from greenline.cli.console import console, limit_of, root_of
from greenline.core.visible import visible


def run(arguments: argparse.Namespace) -> int:
    """Print the runs."""
    from greenline.app import open_journal

    found = open_journal(root_of(arguments.root)).runs(limit_of(arguments.limit))
    if arguments.json:
        rows = [
            {
                "runId": item.id,
                "state": item.state.value,
                "created": item.created,
                "request": item.task.request,
                "verdict": item.proposal.evidence.verdict.value if item.proposal else None,
            }
            for item in found
        ]
        print(json.dumps(rows))
        return 0
    if not found:
        print("No runs yet.")
        return 0
    table = Table(header_style="bold")
    # An id that is cut off can be given to no command.
    table.add_column("run", min_width=18, no_wrap=True)
    for heading in ("when", "state", "verdict", "request"):
        table.add_column(heading)
    for item in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.created))
        verdict = item.proposal.evidence.verdict.value if item.proposal else ""
        table.add_row(item.id, when, item.state.value, verdict, Text(visible(item.task.request)))
    console().print(table)
    return 0
