"""Killed or failing at any step of a change: the tree is as before or as after; the journal says which."""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greenline.core.edit import FileChange
from greenline.core.error import GreenlineError
from greenline.edit.undo import named_checkpoints, undo_on_disk
from greenline.edit.write import Occasion, apply_changes, recover
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import CheckpointState, Draft, FileVersions
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal

_STEPS = {f"os.{name}" for name in ("rename", "link", "remove", "mkdir", "rmdir", "chmod", "chown")} | {
    "open"
}
"""What the interpreter announces before it does it; the database's own writes lie between these."""

_REFUSED, _BROKEN = 3, 4
Tree = dict[str, tuple[bytes, int] | None]


class Workspace:
    """A small tree, a change of all kinds of files in it, and the state beside it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.root, self.state = folder / "ws", folder / "state"
        self.root.mkdir()
        for number in range(4):
            self._write(f"edit{number}.txt", b"before\r\n" * (number + 1))
            self._write(f"drop{number}.txt", b"dropped\n")
        (self.root / "edit1.txt").chmod(0o755)
        (self.root / "link.txt").symlink_to("edit3.txt")
        # A file with a second name outside of the tree is overwritten in place.
        self.second = folder / "second.txt"
        os.link(self.root / "edit2.txt", self.second)
        changed: dict[str, bytes | None] = {f"edit{n}.txt": b"after\n" * (n + 1) for n in range(3)}
        changed |= {f"drop{n}.txt": None for n in range(4)}
        changed |= {f"deep/er/new{n}.txt": b"new\n" for n in range(3)}
        changed |= {"link.txt": b"through\n"}
        # A file becomes a folder, and a folder a file.
        self._write("turns", b"a file\n")
        (self.root / "folds" / "in").mkdir(parents=True)
        self._write("folds/in/to.txt", b"in a folder\n")
        changed |= {"turns": None, "turns/x.txt": b"now in it\n"}
        changed |= {"folds/in/to.txt": None, "folds": b"now a file\n"}
        self.changes = [self._change(name, after) for name, after in changed.items()]

    def apply(self) -> None:
        """Make the change."""
        with self.store() as store:
            apply_changes(self.changes, (str(self.root),), store, Occasion("a test"))

    def recover(self) -> tuple[str, ...]:
        """Do what the next start does."""
        with self.store() as store:
            return recover(store)

    def states(self) -> list[CheckpointState]:
        """Return what the journal says."""
        with self.store() as store:
            return [checkpoint.state for checkpoint in store.newest_first()]

    def store(self) -> Opened:
        """Open the checkpoints."""
        return Opened(self.state)

    def tree(self) -> Tree:
        """Return everything in the tree: contents, modes, links and folders."""
        found: Tree = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_symlink():
                found[name] = (os.fsencode(path.readlink()), 0)
            else:
                found[name] = (path.read_bytes(), path.stat().st_mode) if path.is_file() else None
        return found

    def _write(self, name: str, data: bytes) -> None:
        (self.root / name).write_bytes(data)

    def _change(self, name: str, after: bytes | None) -> FileChange:
        path = self.root / name
        return FileChange(str(path), path.read_bytes() if path.is_file() else None, after)


class Opened:
    """An open store that is closed with its block."""

    def __init__(self, state: Path) -> None:
        self._journal = SqliteJournal(state / "journal.db")
        self._store = CheckpointStore(self._journal, BlobStore(state / "blobs"))

    def __enter__(self) -> CheckpointStore:
        return self._store

    def __exit__(self, *_: object) -> None:
        self._journal.close()


def in_child(work: Callable[[], object], at: int, act: Callable[[], None]) -> int:
    """Do work in a process of its own, and `act` before its step number `at`; return how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = _BROKEN
    try:
        sys.addaudithook(_Counter(at, act))
        work()
        code = 0
    except GreenlineError:
        code = _REFUSED
    finally:
        os._exit(code)


class _Counter:
    """Counts steps, and acts before one of them."""

    def __init__(self, at: int, act: Callable[[], None]) -> None:
        self._left, self._act = at, act

    def __call__(self, event: str, _: object) -> None:
        if event in _STEPS:
            self._left -= 1
            if self._left == 0:
                self._act()


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tree, Tree]:
    """Return the tree as before and as after."""
    workspace = Workspace(tmp_path_factory.mktemp("whole") / "0")
    before = workspace.tree()
    workspace.apply()
    return before, workspace.tree()


def settled(workspace: Workspace, whole: tuple[Tree, Tree]) -> str:
    """Check that the tree and the journal agree; return which of the two it is."""
    states, tree = workspace.states(), workspace.tree()
    assert workspace.second.read_bytes() == (workspace.root / "edit2.txt").read_bytes()
    if states == [CheckpointState.DONE]:
        assert tree == whole[1]
        return "after"
    assert states in ([], [CheckpointState.ROLLED_BACK])
    assert tree == whole[0]
    return "before"


def test_killed_at_every_step_and_again_while_it_recovers(tmp_path: Path, whole: tuple[Tree, Tree]) -> None:
    chance = random.Random(1)
    outcomes: list[str] = []
    while True:
        workspace = Workspace(tmp_path / f"{len(outcomes)}")
        if not os.WIFSIGNALED(in_child(workspace.apply, len(outcomes) + 1, kill_self)):
            break
        if chance.random() < 0.3:
            in_child(workspace.recover, chance.randint(1, 30), kill_self)

        assert workspace.recover() == ()
        outcomes.append(settled(workspace, whole))

    assert len(outcomes) >= 100
    assert set(outcomes) == {"before", "after"}
    assert settled(workspace, whole) == "after"


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_moment(tmp_path: Path, whole: tuple[Tree, Tree], seed: int) -> None:
    chance = random.Random(seed)
    for number in range(20):
        workspace = Workspace(tmp_path / f"{number}")
        child = os.fork()
        if child == 0:
            try:
                workspace.apply()
            finally:
                os._exit(0)
        time.sleep(chance.uniform(0.0, 0.08))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

        assert workspace.recover() == ()
        settled(workspace, whole)


def test_a_full_disk_changes_nothing(tmp_path: Path, whole: tuple[Tree, Tree]) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ends: set[int] = set()
    for step in range(1, 140, 5):
        workspace = Workspace(tmp_path / f"{step}")
        status = os.waitstatus_to_exitcode(in_child(workspace.apply, step, fail))
        ends.add(status)
        workspace.recover()

        assert settled(workspace, whole) == ("after" if status == 0 else "before")

    assert ends == {0, _REFUSED}


def test_a_change_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "0")
    ready, proceed = os.pipe(), os.pipe()

    def wait() -> None:
        os.write(ready[1], b".")
        os.read(proceed[0], 1)

    child = os.fork()
    if child == 0:
        try:
            sys.addaudithook(_Counter(60, wait))
            workspace.apply()
        finally:
            os._exit(0)
    os.read(ready[0], 1)
    half_made = workspace.tree()

    assert workspace.recover() == ()
    assert workspace.states() == [CheckpointState.INTENT]
    assert workspace.tree() == half_made
    os.write(proceed[1], b".")
    os.waitpid(child, 0)
    assert workspace.states() == [CheckpointState.DONE]
    for end in (*ready, *proceed):
        os.close(end)


def crashed_half_way(folder: Path) -> Workspace:
    """Return a workspace in which two of the edited files are written and the rest is not."""
    for step in range(60, 240):
        workspace = Workspace(folder / f"{step}")
        assert os.WIFSIGNALED(in_child(workspace.apply, step, kill_self))
        if (workspace.root / "edit1.txt").read_bytes().startswith(b"after"):
            assert (workspace.root / "edit2.txt").read_bytes().startswith(b"before")
            return workspace
    raise AssertionError("no step lies between the two files")


def test_a_file_that_somebody_else_changed_meanwhile_is_left_alone_and_named(tmp_path: Path) -> None:
    workspace = crashed_half_way(tmp_path)
    mine = workspace.root / "edit0.txt"
    (workspace.root / "edit0.txt").write_bytes(b"mine\n")

    (problem,) = workspace.recover()

    with workspace.store() as store:
        (checkpoint,) = store.newest_first()
    assert checkpoint.state is CheckpointState.ROLLED_BACK
    assert "edit0.txt" in checkpoint.note
    assert problem.endswith(f"It was rolled back. Left alone, for they were changed since: {mine}.")
    assert (workspace.root / "edit0.txt").read_bytes() == b"mine\n"
    assert (workspace.root / "edit1.txt").read_bytes().startswith(b"before")


def test_a_change_that_was_written_is_finished_though_one_file_was_changed_since(
    tmp_path: Path, whole: tuple[Tree, Tree]
) -> None:
    workspace = Workspace(tmp_path / "0")

    def written_and_killed() -> None:
        CheckpointStore.finish = lambda *_, **__: kill_self()  # type: ignore[method-assign, assignment]
        workspace.apply()

    assert os.WIFSIGNALED(in_child(written_and_killed, -1, kill_self))
    mine = workspace.root / "edit0.txt"
    mine.write_bytes(b"after\nmine\n")

    (problem,) = workspace.recover()

    assert workspace.states() == [CheckpointState.DONE]
    assert f"Left alone, for they were changed since: {mine}." in problem
    mine.write_bytes(b"after\n")
    assert workspace.tree() == whole[1]


def test_a_change_is_brought_to_an_end_by_one_process(tmp_path: Path) -> None:
    workspace = crashed_half_way(tmp_path)
    with workspace.store() as one, workspace.store() as other:
        (checkpoint,) = other.left_behind()

        assert one.claim(checkpoint)
        assert not other.claim(checkpoint)
        assert recover(other) == ()
        assert workspace.states() == [CheckpointState.INTENT]

        one.abandon(checkpoint, "")
        assert recover(other) == ()
    assert workspace.states() == [CheckpointState.ROLLED_BACK]


def damage(workspace: Workspace, name: str) -> str:
    """Spoil what the newest change kept of a file; return the blob's name."""
    with workspace.store() as store:
        (checkpoint,) = store.newest_first()
        before = next(f.before for f in checkpoint.files if f.path.endswith(name)) or ""
        store.blobs.path(before).write_bytes(b"damaged")
    return before


def test_a_change_whose_way_back_is_damaged_is_carried_through(
    tmp_path: Path, whole: tuple[Tree, Tree]
) -> None:
    workspace = crashed_half_way(tmp_path)
    damaged = damage(workspace, "edit0.txt")

    assert workspace.recover() == ()

    assert settled(workspace, whole) == "after"
    with workspace.store() as store:
        assert str(store.blobs.path(damaged)) in store.newest_first()[0].note


def test_a_folder_that_was_to_become_a_file_is_carried_through(
    tmp_path: Path, whole: tuple[Tree, Tree]
) -> None:
    for step in range(60, 240):
        workspace = Workspace(tmp_path / f"{step}")
        assert os.WIFSIGNALED(in_child(workspace.apply, step, kill_self))
        if not (workspace.root / "turns").exists():
            break
    assert (workspace.root / "folds").is_dir()
    damage(workspace, "turns")

    assert workspace.recover() == ()
    assert settled(workspace, whole) == "after"


def test_where_both_ways_are_damaged_the_change_waits_and_is_named(tmp_path: Path) -> None:
    workspace = crashed_half_way(tmp_path)
    with workspace.store() as store:
        (checkpoint,) = store.newest_first()
        by_name = {Path(f.path).name: f for f in checkpoint.files}
        contents = {
            name: store.blobs.get(name) for f in checkpoint.files for name in (f.before, f.after) if name
        }
        lost = [by_name["edit0.txt"].before or "", by_name["edit2.txt"].after or ""]
        for name in lost:
            store.blobs.path(name).write_bytes(b"damaged")

    (problem,) = workspace.recover()
    assert str(store.blobs.path(lost[1])) in problem
    assert workspace.states() == [CheckpointState.INTENT]
    with workspace.store() as store:
        for name in lost:
            store.blobs.put(contents[name])
    assert workspace.recover() == ()
    assert workspace.states() == [CheckpointState.ROLLED_BACK]


def test_an_edit_that_an_editor_never_answered_can_be_undone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "0")
    path = workspace.root / "edit0.txt"
    before = path.read_bytes()
    versions = FileVersions(str(path), before, b"after\n", encoding="utf-8+")

    def begin() -> None:
        with workspace.store() as store:
            store.begin(Draft("accept", "editor", "accepted", (versions,), (str(workspace.root),)))
        kill_self()

    assert os.WIFSIGNALED(in_child(begin, -1, kill_self))
    path.write_bytes(b"after\nuser\n")
    workspace.recover()

    assert workspace.states() == [CheckpointState.UNCONFIRMED]
    with workspace.store() as store:
        assert undo_on_disk(store, named_checkpoints(store, None)).conflicts == ()
    assert path.read_bytes() == before + b"user\n"
