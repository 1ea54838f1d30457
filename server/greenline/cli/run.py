"""`greenline run`: plan, edit and verify without an editor; `--apply` writes what is verified."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rich.text import Text

from greenline.cli.answer import answer_questions
from greenline.cli.console import (
    console,
    diff_text,
    evidence_table,
    exit_code,
    hunk_text,
    progress,
    root_of,
    say,
    shown_path,
    verdict_text,
    warn,
)
from greenline.cli.plan import task_of
from greenline.cli.stop import stoppable
from greenline.core.task import Proposal, Run
from greenline.core.visible import visible
from greenline.core.wire import to_json
from greenline.journal.checkpoint_store import CheckpointStore


def run(arguments: argparse.Namespace) -> int:
    """Print the proposal with its evidence; exit 0 only where it is verified."""
    from greenline.app import make_agent, open_checkpoints, open_journal
    from greenline.config.settings import load_settings
    from greenline.workspace.snapshot import Snapshot

    root = root_of(arguments.root)
    task = task_of(arguments.request, root)
    journal = open_journal(root)
    settings = load_settings()
    warn(settings.warnings)
    # Whatever a crash left half made is settled before the agent reads the files.
    store = open_checkpoints(root, journal, settings, (root,))
    agent = make_agent(settings, journal)
    answer_questions(agent)
    progress("planning and verifying in the sandbox")
    with stoppable() as cancellation:
        item = journal.run(agent.execute(task, Snapshot((root,)), cancellation))
    proposal = item.proposal
    if proposal is None:
        if arguments.json:
            print(
                json.dumps({"runId": item.id, "state": item.state.value, "note": item.note, "proposal": None})
            )
        print(f"greenline: no proposal: {visible(item.note)}", file=sys.stderr)
        return 1
    verified = proposal.evidence.is_vouched_for
    apply = arguments.apply_unverified or (arguments.apply and verified)
    # Afterwards the files are no longer what the hunks were made against.
    diffs = [hunk_text(hunk, root) for hunk in proposal.hunks]
    written: list[str] = []
    if apply:
        written = apply_proposal(proposal, root, store)
    if arguments.json:
        value = {
            "runId": item.id,
            "verdict": proposal.evidence.verdict.value,
            "applied": bool(written),
            "files": written,
            "proposal": to_json(proposal),
        }
        print(json.dumps(value))
    else:
        _print(item, diffs, written, root, asked=arguments.apply)
    return 0 if arguments.apply_unverified else exit_code(proposal.evidence)


def apply_proposal(proposal: Proposal, root: str, store: CheckpointStore) -> list[str]:
    """Write the hunks of a proposal over the files that they were made against; return the paths written.

    All or none, with a checkpoint; raises `EditRejected` where a file is another one by now.
    """
    from greenline.edit.change import changes_from_hunks, marks_of
    from greenline.edit.held import read_bytes
    from greenline.edit.write import Occasion, apply_changes

    changes = changes_from_hunks(proposal.hunks, read_bytes)
    reason = f"applied {proposal.summary or proposal.id}"
    marks = marks_of(proposal.id, proposal.hunks, os.path.realpath)
    apply_changes(changes, (root,), store, Occasion(reason, proposal.run_id, marks=marks))
    return [change.path for change in changes]


def _print(item: Run, diffs: list[Text], written: list[str], root: str, *, asked: bool) -> None:
    proposal = item.proposal
    assert proposal is not None
    out = console()
    out.print(verdict_text(proposal.evidence))
    if proposal.evidence.detail:
        say(proposal.evidence.detail)
    out.print(evidence_table(proposal.evidence))
    for hunk, diff in zip(proposal.hunks, diffs, strict=True):
        place = f"{shown_path(hunk.path, root)}:{hunk.start_line + 1}"
        say(f"{place}  {hunk.why}")
        out.print(diff)
    for number, alternative in enumerate(proposal.alternatives, 1):
        out.print(f"another fix that the whole suite passes ({number}):")
        out.print(diff_text(alternative))
    if written:
        say("written: " + ", ".join(written))
        say(f"to take this back: greenline undo {item.id}")
    elif asked:
        out.print("nothing was written: the verdict is not `verified` by the whole suite")
    say(f"run {item.id}")
