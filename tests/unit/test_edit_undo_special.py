"""Undo where a file of the change is no file any more, or was given other mode bits since."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from greenline.app import open_checkpoints, open_journal
from greenline.cli import main
from greenline.cli import undo as command
from greenline.config.settings import Settings
from greenline.core.edit import FileChange
from greenline.core.error import EditRejected
from greenline.edit.held import NotWritten, read_bytes
from greenline.edit.undo import Undone, named_checkpoints, undo_on_disk
from greenline.edit.write import Occasion, apply_changes, recover
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import Draft, FileVersions
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.workspace.snapshot import Snapshot


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail where something keeps this thread for ever."""

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).write_bytes(b"1\n")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    opened = CheckpointStore(SqliteJournal(tmp_path / "journal.db"), BlobStore(tmp_path / "blobs"))
    yield opened
    opened.journal.close()


def apply(root: Path, store: CheckpointStore, mode: int | None = None) -> None:
    changes = [FileChange(str(root / name), b"1\n", b"2\n", mode=mode) for name in ("a", "b")]
    apply_changes(changes, (str(root),), store, Occasion("a test"))


def undo(store: CheckpointStore) -> Undone:
    with within(10):
        return undo_on_disk(store, named_checkpoints(store, None))


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


def make_socket(path: Path) -> None:
    own = os.open(path.parent, os.O_RDONLY)
    # The name of a socket must be short.
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{own}/{path.name}")
    os.close(own)


KINDS = (make_pipe, make_device, make_socket)


@pytest.mark.parametrize("make", KINDS)
def test_what_is_no_file_any_more_is_a_conflict(
    root: Path, store: CheckpointStore, make: Callable[[Path], None]
) -> None:
    apply(root, store)
    (root / "a").unlink()
    make(root / "a")

    undone = undo(store)

    assert [conflict.path for conflict in undone.conflicts] == [str(root / "a")]
    assert "no regular file" in undone.conflicts[0].reason
    assert undone.restored == (str(root / "b"),)
    assert (root / "b").read_bytes() == b"1\n"


@pytest.mark.parametrize("make", KINDS)
def test_a_change_that_died_is_brought_to_an_end_beside_what_is_no_file(
    root: Path, store: CheckpointStore, make: Callable[[Path], None]
) -> None:
    versions = tuple(FileVersions(str(root / name), b"1\n", b"2\n") for name in ("a", "b"))
    store.begin(Draft("apply", "disk", "a test", versions, (str(root),), None, (), (), ()))
    with store.journal.transaction() as connection:
        connection.execute("UPDATE checkpoints SET owner = ''")
    (root / "a").unlink()
    make(root / "a")
    (root / "b").write_bytes(b"2\n")

    with within(10):
        (told,) = recover(store)

    assert str(root / "a") in told
    assert (root / "b").read_bytes() == b"2\n"


@pytest.mark.parametrize("make", KINDS)
def test_no_reader_waits_for_what_is_no_file(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "c")
    path = str(root / "c")

    with within(10):
        assert Snapshot((str(root),)).read_bytes(path) is None
        with pytest.raises(NotWritten, match="no regular file"):
            read_bytes(path)


def test_a_file_that_became_a_link_out_of_the_workspace_is_a_conflict(
    root: Path, store: CheckpointStore, tmp_path: Path
) -> None:
    apply(root, store)
    (tmp_path / "outside").write_bytes(b"2\n")
    (root / "a").unlink()
    (root / "a").symlink_to(tmp_path / "outside")

    undone = undo(store)

    assert [conflict.path for conflict in undone.conflicts] == [str(root / "a")]
    assert "outside the workspace" in undone.conflicts[0].reason
    assert undone.restored == (str(root / "b"),)
    assert (tmp_path / "outside").read_bytes() == b"2\n"


def test_mode_bits_that_the_user_changed_since_stay(root: Path, store: CheckpointStore) -> None:
    apply(root, store, mode=0o755)
    (root / "a").chmod(0o700)

    undone = undo(store)

    assert [conflict.path for conflict in undone.conflicts] == [str(root / "a")]
    assert "mode bits" in undone.conflicts[0].reason
    assert undone.restored == (str(root / "a"), str(root / "b"))
    assert [(root / name).read_bytes() for name in ("a", "b")] == [b"1\n", b"1\n"]
    assert (root / "a").stat().st_mode & 0o777 == 0o700
    assert (root / "b").stat().st_mode & 0o777 == 0o644


def test_an_undo_that_died_once_its_files_were_written_leaves_no_empty_folder(
    root: Path, store: CheckpointStore
) -> None:
    path = root / "new" / "inner" / "c"
    change = FileChange(str(path), None, b"1\n")
    taken = apply_changes([change], (str(root),), store, Occasion("a test"))
    versions = (FileVersions(str(path), b"1\n", None, 0o644),)
    store.begin(Draft("undo", "disk", "a test", versions, (str(root),), None, (), (), (taken.id,)))
    with store.journal.transaction() as connection:
        connection.execute("UPDATE checkpoints SET owner = '' WHERE kind = 'undo'")
    path.unlink()

    recover(store)

    assert sorted(item.name for item in root.iterdir()) == ["a", "b"]
    assert store.get(taken.id).undone_by is not None


def test_an_undo_that_loses_against_another_process_failed(
    root: Path, store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose(*_: object) -> Undone:
        raise EditRejected("It was changed since.", code="stale")

    monkeypatch.setattr(command, "undo_on_disk", lose)
    mine = open_checkpoints(str(root), open_journal(str(root)), Settings())
    apply(root, mine)

    assert main(["undo", "--root", str(root)]) == 1
    assert "greenline undo" in capsys.readouterr().err
