"""`greenline edit apply`: an edit in any format onto files; all of it, or nothing and why as JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from greenline.cli.console import root_of
from greenline.cli.write import _put
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
    from greenline.edit.apply import edit_set_from_text
    from greenline.edit.format import EditFormat
    from greenline.edit.staging import Staging
    from greenline.workspace.encoding import decode_as
    from greenline.workspace.snapshot import Snapshot

    roots = tuple(dict.fromkeys(root_of(root) for root in arguments.root or ["."]))
    if arguments.encoding is not None:
        decode_as(b"", arguments.encoding)
    data = _read(arguments.edit)
    given = None if arguments.format is None else EditFormat(arguments.format)
    staging = Staging(Snapshot(roots).read_bytes, *roots, encoding=arguments.encoding)
    try:
        changes = edit_set_from_text(_text(data), staging, arguments.path, given).changes
        write_changes(changes)
    except (EditRejected, OutsideWorkspace) as error:
        print(json.dumps(_rejection(error)))
        return REJECTED
    files = [{"path": _shown(change.path, roots), "op": _op(change)} for change in changes]
    print(json.dumps({"status": "applied", "files": files}))
    return 0


def write_changes(changes: Sequence[FileChange]) -> None:
    """Write file changes: compare, write beside, sync, rename; all or nothing.

    Raises `EditRejected` (`stale`, `exists`) before anything is written, and rolls back on any later failure.
    """
    for change in changes:
        if _on_disk(change.path) != change.before:
            raise EditRejected(
                f"{change.path} was changed meanwhile.",
                remedy="Try again.",
                code="exists" if change.before is None else "stale",
                path=change.path,
            )
    modes = {change.path: _mode(change) for change in changes}
    done: list[FileChange] = []
    try:
        for change in changes:
            done.append(change)
            _put(Path(change.path), change.after)
            mode = modes[change.path]
            if change.after is not None and mode is not None:
                Path(change.path).chmod(mode)
    except OSError as error:
        for change in reversed(done):
            with contextlib.suppress(OSError):
                _put(Path(change.path), change.before)
        raise GreenlineError(
            f"{done[-1].path} cannot be written: {error.strerror}; nothing was changed.",
            remedy="See to it that the folder can be written.",
        ) from error


def _on_disk(path: str) -> bytes | None:
    file = Path(path)
    return file.read_bytes() if file.is_file() else None


def _mode(change: FileChange) -> int | None:
    """Return the mode that a file is to have, a moved one that of its old place; None for what it has."""
    if change.mode is not None or change.moved_from is None or change.after is None:
        return change.mode
    return Path(change.moved_from).stat().st_mode & 0o7777


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
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{name} cannot be read: {error.strerror}.", remedy="Name a file with the edit, or -."
        ) from error


def _text(data: bytes) -> str:
    from greenline.workspace.encoding import decode

    try:
        return decode(data).text
    except InvalidInput as error:
        raise EditRejected(f"The edit is no text: {error.message}", remedy="Give it as UTF-8.") from None
