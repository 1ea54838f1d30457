"""`greenline verify`: evidence for any patch, whoever wrote it; the JSON is one line."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from greenline.cli.console import (
    console,
    evidence_table,
    exit_code,
    progress,
    root_of,
    say,
    verdict_text,
    warn,
)
from greenline.cli.stop import stoppable
from greenline.core.edit import EditSet, Hunk
from greenline.core.error import InvalidInput
from greenline.core.evidence import Evidence
from greenline.core.port import Tree, VerifyRequest
from greenline.verify.patch import patch_bytes, read_patch
from greenline.verify.summary import evidence_json


def run(arguments: argparse.Namespace) -> int:
    """Verify a patch and print its evidence; exit 0 only for `verified`."""
    from greenline.app import make_sandbox, make_verifier
    from greenline.config.settings import load_settings
    from greenline.verify.hunk_coverage import hunks_of

    root = root_of(arguments.root)
    base, edit_set = _patch(arguments, root)
    if not edit_set.changes:
        raise InvalidInput(
            "The patch changes nothing.", remedy="Give a patch with --patch, or edit something."
        )
    settings = load_settings()
    warn(settings.warnings)
    hunks = hunks_of(edit_set)
    request = VerifyRequest(root, base, edit_set, hunks, limits=settings.limits, label="verify")
    verifier = make_verifier(make_sandbox(settings), settings.test_command)
    with stoppable() as cancellation:
        evidence = verifier.verify(request, cancellation, progress)
    if arguments.json:
        print(json.dumps(evidence_json(evidence, hunks, root)))
    else:
        _print(evidence, hunks, root)
    return exit_code(evidence.verdict)


def _patch(arguments: argparse.Namespace, root: str) -> tuple[Tree, EditSet]:
    """Return the base tree and the edits over it."""
    from greenline.guard.gate import Gate
    from greenline.workspace.snapshot import Snapshot

    snapshot = Snapshot((root,))
    gate = Gate((root,))
    if arguments.patch:
        from greenline.edit.apply import edit_set_from_diff

        text = read_patch(sys.stdin.buffer.read() if arguments.patch == "-" else patch_bytes(arguments.patch))
        return snapshot.tree(root, gate), edit_set_from_diff(text, snapshot.read_bytes, root)
    from greenline.workspace.revision import changes_since, staged_changes

    current, listed = snapshot.tree(root, gate), snapshot.list_files(root)
    if arguments.staged:
        base, edit_set = staged_changes(root, current, listed)
    else:
        base, edit_set = changes_since(root, arguments.base or "HEAD", current, listed)
    # Git may track what the gate withholds.
    shown = {path: file for path, file in base.items() if gate.may_stage(path)}
    changes = (c for c in edit_set.changes if gate.may_stage(snapshot.locate(c.path).relative))
    return shown, EditSet(tuple(changes))


def _print(evidence: Evidence, hunks: tuple[Hunk, ...], root: str) -> None:
    out = console()
    out.print(verdict_text(evidence))
    if evidence.detail:
        say(evidence.detail)
    out.print(evidence_table(evidence))
    measured = {item.hunk_id: item for item in evidence.hunks}
    for hunk in hunks:
        place = f"{Path(hunk.path).relative_to(root)}:{hunk.start_line + 1}"
        item = measured.get(hunk.id)
        say(f"  {place}  {item.coverage if item else 'not measured'}")
    for warning in evidence.warnings:
        say(f"  warning: {warning}")
