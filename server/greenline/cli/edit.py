"""`greenline edit apply`: an edit in any format onto files; all of it, or nothing and why as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from greenline.cli.console import known_settings, root_of, warn
from greenline.cli.stream import piped_bytes
from greenline.core.edit import FileChange
from greenline.core.error import EditRejected, GreenlineError, InvalidInput, OutsideWorkspace

REJECTED = 3
CODES = (
    "no-match",
    "ambiguous",
    "ambiguous-block",
    "elision",
    "not-utf8",
    "unencodable",
    "outside-workspace",
    "ambiguous-root",
    "exists",
    "missing",
    "unreadable",
    "stale",
    "malformed",
)
"""What a program can find in `code`."""
_PUBLISHED = {
    "protected": "outside-workspace",
    "binary": "not-utf8",
    "link": "malformed",
    "conflict": "stale",
}


def run(arguments: argparse.Namespace) -> int:
    """Apply an edit and print one JSON object; exit 3 where it is rejected."""
    from greenline.app import open_checkpoints, open_journal
    from greenline.edit.apply import edit_set_from_text
    from greenline.edit.format import EditFormat
    from greenline.edit.reach import settle
    from greenline.edit.staging import Staging
    from greenline.edit.write import Occasion, apply_changes
    from greenline.workspace.encoding import decode_as
    from greenline.workspace.snapshot import Snapshot

    roots = tuple(dict.fromkeys(root_of(root) for root in arguments.root or ["."]))
    if arguments.encoding is not None:
        decode_as(b"", arguments.encoding)
    data = _read(arguments.edit)
    given = None if arguments.format is None else EditFormat(arguments.format)
    # A change that was cut short is no text to edit.
    warn(settle(roots))
    staging = Staging(Snapshot(roots).read_bytes, *roots, encoding=arguments.encoding)
    try:
        changes = edit_set_from_text(_text(data), staging, arguments.path, given).changes
        if changes:
            # The journal of the first root keeps the checkpoint, wherever the files lie.
            store = open_checkpoints(roots[0], open_journal(roots[0]), known_settings())
            apply_changes(changes, roots, store, Occasion(f"edit apply {arguments.edit}"))
    except (EditRejected, OutsideWorkspace) as error:
        print(json.dumps(_rejection(error)))
        return REJECTED
    if not changes:
        warn(["The edit changes nothing: every file is as it asks for."])
    files = [{"path": _shown(change.path, roots), "op": _op(change)} for change in changes]
    print(json.dumps({"status": "applied", "files": files}))
    return 0


def _op(change: FileChange) -> str:
    if change.after is None:
        return "delete"
    return "create" if change.before is None else "update"


def _rejection(error: GreenlineError) -> dict[str, object]:
    path = error.path if isinstance(error, EditRejected) else None
    lines = error.lines if isinstance(error, EditRejected) else ()
    code = _PUBLISHED.get(error.code, error.code)
    return {
        "status": "rejected",
        "code": code if code in CODES else EditRejected.code,
        "message": str(error),
        "candidates": [{"path": path, "line": line} for line in lines],
    }


def _shown(path: str, roots: Sequence[str]) -> str:
    """Return a path relative to the only root; with several, as it is."""
    return str(Path(path).relative_to(roots[0])) if len(roots) == 1 else path


def _read(name: str) -> bytes:
    from greenline.verify.patch import patch_bytes

    if name == "-":
        return piped_bytes()
    return patch_bytes(name, "Name a file with the edit, or -.")


def _text(data: bytes) -> str:
    from greenline.workspace.encoding import decode

    try:
        return decode(data).text
    except InvalidInput as error:
        raise EditRejected(f"The edit is no text: {error.message}", remedy="Give it as UTF-8.") from None
