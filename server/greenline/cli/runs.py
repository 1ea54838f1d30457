"""`greenline runs`: the runs of a workspace, newest first."""

from __future__ import annotations

import argparse
import json
import time

from rich.table import Table

from greenline.cli.console import console, root_of
from greenline.core.error import InvalidInput


def run(arguments: argparse.Namespace) -> int:
    """Print the runs."""
    from greenline.app import open_journal

    if arguments.limit < 1:
        raise InvalidInput(f"--limit {arguments.limit} is too small.", remedy="Give a number from 1 on.")
    found = open_journal(root_of(arguments.root)).runs(arguments.limit)
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
    for heading in ("run", "when", "state", "verdict", "request"):
        table.add_column(heading)
    for item in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.created))
        verdict = item.proposal.evidence.verdict.value if item.proposal else ""
        table.add_row(item.id, when, item.state.value, verdict, item.task.request)
    console().print(table)
    return 0
