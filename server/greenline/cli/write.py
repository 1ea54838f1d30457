"""Writing accepted hunks to disk without an editor: compare, write beside, sync, rename; all or nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import EditRejected
from greenline.edit.hunk import apply_hunks
from greenline.edit.text import text_hash
from greenline.workspace.encoding import TextFile, decode, encode


@attrs.frozen
class _Planned:
    path: Path
    before: bytes | None
    after: bytes | None


def write_hunks(hunks: Iterable[Hunk]) -> list[str]:
    """Write hunks over the files that they were made against; return the paths written.

    Raises `EditRejected` (`stale`, `exists`) before anything is written, and rolls back on any later failure.
    """
    by_path: dict[str, list[Hunk]] = {}
    for hunk in hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    planned = [_plan(Path(path), items) for path, items in sorted(by_path.items())]
    done: list[_Planned] = []
    try:
        for item in planned:
            done.append(item)
            _put(item.path, item.after)
    except OSError as error:
        for item in reversed(done):
            with contextlib.suppress(OSError):
                _put(item.path, item.before)
        raise EditRejected(
            f"{done[-1].path} cannot be written: {error.strerror}; nothing was changed."
        ) from error
    return [str(item.path) for item in planned]


def _plan(path: Path, hunks: list[Hunk]) -> _Planned:
    path = path.resolve()
    before = path.read_bytes() if path.exists() else None
    creates = hunks[0].op == "create"
    if creates and before is not None:
        raise EditRejected(f"{path} exists by now.", remedy="Run the request again.", code="exists")
    if not creates and (before is None or text_hash(decode(before).text) != hunks[0].base_hash):
        raise EditRejected(
            f"{path} was changed since the run.", remedy="Run the request again.", code="stale"
        )
    if hunks[0].op == "delete":
        return _Planned(path, before, None)
    file = TextFile("") if before is None else decode(before)
    after = encode(attrs.evolve(file, text=apply_hunks(file.text, hunks)))
    return _Planned(path, before, after)


def _put(path: Path, content: bytes | None) -> None:
    """Replace a file in one step, keeping mode and owner; None removes it."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.stat() if path.exists() else None
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            Path(name).chmod(old.st_mode & 0o7777)
            with contextlib.suppress(PermissionError):
                os.chown(name, old.st_uid, old.st_gid)
        else:
            Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
