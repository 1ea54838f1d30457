"""`greenline show RUN`: one run with its plan, its proposal and all its events."""

from __future__ import annotations

import argparse
import json
import time

from greenline.cli.console import console, evidence_table, hunk_text, root_of, say, shown_path, verdict_text
from greenline.core.error import InvalidInput, NotFound
from greenline.core.event import Event
from greenline.core.port import Journal
from greenline.core.task import Run
from greenline.core.wire import to_json


def run(arguments: argparse.Namespace) -> int:
    """Print the run."""
    from greenline.app import open_journal

    root = root_of(arguments.root)
    journal = open_journal(root)
    item = find_run(journal, arguments.run)
    events = list(journal.events(item.id))
    if arguments.json:
        print(json.dumps({"run": to_json(item), "events": to_json(events)}))
        return 0
    say(f"{item.id}  {item.state.value}  “{item.task.request}”")
    if item.note:
        say(item.note)
    for entry in item.plan.entries if item.plan else ():
        say(f"  {entry.number}. {entry.intent} [{entry.status.value}]")
    if item.proposal:
        _print_proposal(item, root)
    for event in events:
        say(_line(event))
    return 0


def find_run(journal: Journal, given: str) -> Run:
    """Return a run by its id or a unique beginning of it; raises `NotFound`, `InvalidInput`."""
    try:
        return journal.run(given)
    except NotFound:
        matching = [item for item in journal.runs(1000) if given and item.id.startswith(given)]
    if not matching:
        raise NotFound(f"There is no run {given!r} here.", remedy="`greenline runs` lists them.")
    if len(matching) > 1:
        raise InvalidInput(f"{given!r} fits {len(matching)} runs.", remedy="Give more of the id.")
    return matching[0]


def _print_proposal(item: Run, root: str) -> None:
    assert item.proposal is not None
    out = console()
    out.print(verdict_text(item.proposal.evidence))
    out.print(evidence_table(item.proposal.evidence))
    for hunk in item.proposal.hunks:
        place = f"{shown_path(hunk.path, root)}:{hunk.start_line + 1}"
        say(f"{hunk.id}  {hunk.state.value}  {place}")
        out.print(hunk_text(hunk, root))


def _line(event: Event) -> str:
    when = time.strftime("%H:%M:%S", time.localtime(event.time))
    data = json.dumps(event.data, ensure_ascii=False)
    return f"{event.seq:4} {when} {event.kind.value:10} {data[:300]}"
