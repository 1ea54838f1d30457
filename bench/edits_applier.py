"""The appliers that the table "edits" compares, and the judge of what each did: ours, git's and patch's."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from bench.edits_case import Case, Tree
from greenline.core.error import EditRejected, InvalidInput, OutsideWorkspace
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

Apply = Callable[[Path, str], bool]
"""Applies an edit to a folder; returns whether it says that it did."""


@attrs.define
class Score:
    """What one applier did with all cases."""

    answered: Counter[str] = attrs.field(factory=Counter)
    unanswered: Counter[str] = attrs.field(factory=Counter)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of this process; a program's own are not in it."""
    by_kind: dict[str, Counter[str]] = attrs.field(factory=dict)


def measure_applier(apply: Apply, made: Sequence[Case]) -> Score:
    """Run all cases in fresh folders."""
    score = Score()
    for case in made:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "root"
            folder.mkdir()
            for path, data in case.before.items():
                (folder / path).write_bytes(data)
            started, cpu_started = time.perf_counter(), time.process_time()
            claimed = apply(folder, case.edit)
            score.seconds += time.perf_counter() - started
            score.cpu_seconds += time.process_time() - cpu_started
            outcome = judge(case, {path: read(folder / path) for path in case.before}, claimed=claimed)
        (score.unanswered if case.after is None else score.answered)[outcome] += 1
        score.by_kind.setdefault(case.kind, Counter())[outcome] += 1
    return score


def judge(case: Case, found: Tree, *, claimed: bool) -> str:
    """Return what an applier did: `right`, `refused`, `wrong`, or `partial` where it failed and wrote."""
    if found == case.before and not claimed:
        return "refused"
    if case.after is not None and found == case.after and claimed:
        return "right"
    return "wrong" if claimed else "partial"


def read(path: Path) -> bytes:
    """Return a file's bytes; nothing where it is gone."""
    return path.read_bytes() if path.exists() else b""


def ours(folder: Path, edit: str) -> bool:
    """Apply as `greenline edit apply` does."""
    root = str(folder)
    try:
        changes = edit_set_from_text(edit, Staging(Snapshot((root,)).read_bytes, root)).changes
        for change in changes:
            _write(Path(change.path), change.after)
    except (EditRejected, InvalidInput, OutsideWorkspace):
        return False
    return True


def _write(path: Path, data: bytes | None) -> None:
    """Write as the peers do, without a checkpoint or a sync: the edit is measured, and not the disk."""
    if data is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _program(*command: str) -> Apply:
    def apply(folder: Path, edit: str) -> bool:
        done = subprocess.run(
            command,
            cwd=folder,
            input=edit.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    return apply


PEERS: dict[str, Apply] = {
    "git apply --recount": _program("git", "apply", "--recount", "-"),
    "git apply, lenient": _program("git", "apply", "--recount", "--ignore-whitespace", "-C1", "-"),
    "patch -p1": _program("patch", "-p1", "-f", "-s", "--no-backup-if-mismatch", "-r", "-"),
    "patch -l -F3": _program("patch", "-p1", "-f", "-s", "-l", "-F3", "--no-backup-if-mismatch", "-r", "-"),
}
