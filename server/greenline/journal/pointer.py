"""Which other journals hold changes of a workspace: one small file for each, in the workspace's state folder.

Invariant: a pointer is on the disk before the first byte of a change that another root's journal records.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from greenline.journal.blob import sync_folder
from greenline.workspace.root import relative_to
from greenline.workspace.state import state_folder, state_path

_FOLDER = "elsewhere"


@attrs.frozen
class Pointers:
    """The journals that a workspace's pointers lead to."""

    journals: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    """One sentence for each pointer that leads nowhere."""
    stale: tuple[Path, ...] = ()
    """The pointers whose journals are gone."""


def lies_in(path: str, root: str) -> bool:
    """Return whether a file lies in a root, links resolved."""
    return relative_to(os.path.realpath(path), os.path.realpath(root)) is not None


def point_to(journal: Path, roots: Iterable[str], paths: Iterable[str]) -> None:
    """Let every root that holds one of these files know of the journal; on the disk on return.

    Raises `OSError`.
    """
    files = [os.path.realpath(path) for path in paths]
    place = journal.absolute()
    for root in roots:
        real = os.path.realpath(root)
        if any(relative_to(file, real) is not None for file in files):
            folder = state_folder(root)
            if folder.resolve() != place.parent.resolve():
                _write(folder, place)


def pointers_of(root: str) -> Pointers:
    """Return where else changes of the workspace at `root` are recorded."""
    journals: list[Path] = []
    problems: list[str] = []
    stale: list[Path] = []
    for file in sorted((state_path(root) / _FOLDER).glob("*.json")):
        try:
            journal = Path(json.loads(file.read_bytes())["journal"])
        except (OSError, ValueError, KeyError, TypeError):
            problems.append(
                f"{file} is damaged: a change over several folders that it tells of cannot be found."
                " Run `greenline checkpoints` in the other folders of the workspace, then remove it."
            )
            continue
        if journal.is_file():
            journals.append(journal)
        else:
            problems.append(f"The journal {journal} is gone, and with it the changes over several folders.")
            stale.append(file)
    return Pointers(tuple(journals), tuple(problems), tuple(stale))


def forget(pointers: Pointers) -> None:
    """Remove the pointers whose journals are gone."""
    for file in pointers.stale:
        with contextlib.suppress(OSError):
            file.unlink()


def _write(state: Path, journal: Path) -> None:
    folder = state / _FOLDER
    data = json.dumps({"journal": str(journal)}).encode()
    file = folder / f"{hashlib.sha256(os.fsencode(journal)).hexdigest()[:16]}.json"
    with contextlib.suppress(OSError):
        if file.read_bytes() == data:
            return
    folder.mkdir(mode=0o700, exist_ok=True)
    temporary = file.with_suffix(f".{os.getpid()}.tmp")
    with temporary.open("wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    temporary.replace(file)
    sync_folder(folder)
    sync_folder(state)
