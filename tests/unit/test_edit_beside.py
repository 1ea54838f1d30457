"""What a file keeps when it is written: names, owner, attributes; and what a full or closed disk changes."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected
from greenline.edit.beside import is_torn
from greenline.edit.held import NotWritten
from greenline.edit.undo import named_checkpoints, undo_on_disk
from greenline.edit.write import Occasion, apply_changes, recover
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import CheckpointState
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.disk import write_own
from greenline.lsp.review import FileEdit

_NOBODY = 65534
_CLONE_NEWNS, _CLONE_NEWUSER, _MS_REC, _MS_PRIVATE = 0x20000, 0x10000000, 0x4000, 0x40000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    journal = SqliteJournal(tmp_path / "state" / "journal.db")
    yield CheckpointStore(journal, BlobStore(tmp_path / "state" / "blobs"))
    journal.close()


def change(path: Path, after: bytes | None) -> FileChange:
    return FileChange(str(path), path.read_bytes() if path.exists() else None, after)


def apply(store: CheckpointStore, root: Path, *changes: FileChange) -> None:
    apply_changes(changes, (str(root),), store, Occasion("a test"))


def undo(store: CheckpointStore) -> None:
    assert undo_on_disk(store, named_checkpoints(store, None)).conflicts == ()


def test_both_names_of_one_file_may_be_given_the_same_text(root: Path, store: CheckpointStore) -> None:
    one, two = root / "a.txt", root / "b.txt"
    one.write_bytes(b"before\n")
    os.link(one, two)

    apply(store, root, change(one, b"after\n"), change(two, b"after\n"))
    applied = one.read_bytes(), two.read_bytes(), one.stat().st_nlink
    undo(store)

    assert applied == (b"after\n", b"after\n", 2)
    assert (one.read_bytes(), two.read_bytes()) == (b"before\n", b"before\n")


def test_the_names_of_one_file_cannot_be_given_different_texts(root: Path, store: CheckpointStore) -> None:
    one, two = root / "a.txt", root / "b.txt"
    one.write_bytes(b"before\n")
    os.link(one, two)

    with pytest.raises(EditRejected, match="names of one file") as error:
        apply(store, root, change(one, b"after\n"), change(two, b"other\n"))

    assert error.value.code == "malformed"
    assert one.read_bytes() == b"before\n"


@pytest.mark.parametrize("after", [b"a much longer text\n" * 40, b"x\n", b""])
def test_a_file_with_several_names_keeps_them(
    root: Path, store: CheckpointStore, tmp_path: Path, after: bytes
) -> None:
    path, other = root / "a.txt", tmp_path / "other.txt"
    path.write_bytes(b"before\n")
    path.chmod(0o640)
    os.link(path, other)

    apply(store, root, change(path, after))
    applied = other.read_bytes(), path.stat().st_nlink, path.stat().st_mode & 0o777
    undo(store)

    assert applied == (after, 2, 0o640)
    assert (path.read_bytes(), other.read_bytes()) == (b"before\n", b"before\n")
    assert sorted(p.name for p in root.iterdir()) == ["a.txt"]


def test_deleting_one_name_leaves_the_other(root: Path, store: CheckpointStore, tmp_path: Path) -> None:
    path, other = root / "a.txt", tmp_path / "other.txt"
    path.write_bytes(b"before\n")
    os.link(path, other)

    apply(store, root, change(path, None))

    assert not path.exists()
    assert other.read_bytes() == b"before\n"


def test_extended_attributes_are_kept(root: Path, store: CheckpointStore) -> None:
    path = root / "a.txt"
    path.write_bytes(b"before\n")
    os.setxattr(path, "user.greenline", b"kept\0")

    apply(store, root, change(path, b"after\n"))
    applied = os.getxattr(path, "user.greenline")
    undo(store)

    assert applied == os.getxattr(path, "user.greenline") == b"kept\0"


def test_a_file_system_that_knows_no_change_of_owner_takes_edits(
    root: Path, store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "a.txt"
    path.write_bytes(b"before\n")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "chown", fail)
    apply(store, root, change(path, b"after\n"))

    assert path.read_bytes() == b"after\n"


def own(path: Path) -> tuple[object, ...]:
    """Give a file an attribute and, where this process may, an owner; return what it has then."""
    os.setxattr(path, "user.greenline", b"kept\0")
    path.chmod(0o640)
    if os.getuid() == 0:
        os.chown(path, _NOBODY, _NOBODY)
    return held(path)


def held(path: Path) -> tuple[object, ...]:
    status = path.stat()
    attribute = os.getxattr(path, "user.greenline")
    return attribute, status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


def test_a_moved_file_keeps_owner_and_attributes_there_and_back(root: Path, store: CheckpointStore) -> None:
    old, new = root / "a.txt", root / "b.txt"
    old.write_bytes(b"before\n")
    known = own(old)

    apply(
        store,
        root,
        FileChange(str(old), b"before\n", None, str(old)),
        FileChange(str(new), None, b"after\n", str(old)),
    )
    applied = held(new)
    undo(store)
    undone = held(old)
    undo(store)

    assert applied == undone == held(new) == known
    assert not old.exists()


def test_a_deleted_file_comes_back_with_owner_and_attributes(root: Path, store: CheckpointStore) -> None:
    path = root / "a.txt"
    path.write_bytes(b"before\n")
    known = own(path)

    apply(store, root, change(path, None))
    undo(store)

    assert held(path) == known


def test_a_deletion_that_fails_later_comes_back_with_owner_and_attributes(
    root: Path, store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "a.txt"
    path.write_bytes(b"before\n")
    known = own(path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "finish", fail)
    with pytest.raises(NotWritten):
        apply(store, root, change(path, None))

    assert held(path) == known


BYTES = st.binary(max_size=12)


@given(BYTES, BYTES, st.integers(0, 12))
def test_an_overwriting_that_was_cut_short_is_recognised(before: bytes, after: bytes, at: int) -> None:
    old = before.ljust(len(after), b"\0")
    head = after[:at]

    assert is_torn(head + old[len(head) :], before, after)


def test_what_somebody_else_wrote_is_not_taken_for_torn() -> None:
    assert not is_torn(b"mine", b"before", b"after!")
    assert not is_torn(b"after! and mine", b"before", b"after!")
    assert not is_torn(b"afterX", b"before", b"after!")


def test_an_overwriting_that_a_kill_cut_short_is_rolled_back(
    root: Path, store: CheckpointStore, tmp_path: Path
) -> None:
    path, other = root / "a.txt", tmp_path / "other.txt"
    before, after = b"before\n" * 100, b"after\n" * 300
    path.write_bytes(before)
    os.link(path, other)
    wanted = change(path, after)

    def die_half_way() -> None:
        def sync(descriptor: int) -> None:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, after[:500] + before.ljust(len(after), b"\0")[500:], 0)
            os.kill(os.getpid(), signal.SIGKILL)

        opened = CheckpointStore(
            SqliteJournal(tmp_path / "state" / "journal.db"), BlobStore(tmp_path / "state" / "blobs")
        )
        real = os.posix_fallocate

        def fallocate(descriptor: int, start: int, length: int) -> None:
            real(descriptor, start, length)
            sync(descriptor)

        os.posix_fallocate = fallocate
        apply(opened, root, wanted)

    status = in_child(die_half_way)
    torn = path.read_bytes()

    assert os.WIFSIGNALED(status)
    assert torn not in (before, after)
    assert recover(store) == ()
    assert path.read_bytes() == other.read_bytes() == before
    assert [c.state for c in store.newest_first()] == [CheckpointState.ROLLED_BACK]


# --- a disk that is full, a folder that is closed -----------------------------------------------------------


def in_child(work: Callable[[], None]) -> int:
    """Do work in a process of its own; return how it ended: 0, 3 where it was refused, or a signal."""
    child = os.fork()
    if child == 0:
        code = 4
        try:
            work()
            code = 0
        except NotWritten as error:
            os.write(2, str(error).encode())
            code = 3
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def on_small_disk(folder: Path, size: str) -> None:
    """Mount a small file system over a folder, for this process alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWNS if os.geteuid() == 0 else _CLONE_NEWNS | _CLONE_NEWUSER
    assert libc.unshare(flags) == 0, os.strerror(ctypes.get_errno())
    assert libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None) == 0
    data = f"size={size}".encode()
    assert libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, data) == 0, os.strerror(ctypes.get_errno())


@pytest.mark.parametrize("n_names", [1, 2])
def test_a_full_disk_leaves_every_file_as_it_was(tmp_path: Path, root: Path, n_names: int) -> None:
    report = tmp_path / "report"

    def work() -> None:
        on_small_disk(root, "64k")
        names = [root / f"{n}.txt" for n in range(3)]
        for path in names:
            path.write_bytes(b"before\n")
        if n_names == 2:
            os.link(names[0], root / "zero.txt")
        opened = CheckpointStore(
            SqliteJournal(tmp_path / "s" / "journal.db"), BlobStore(tmp_path / "s" / "b")
        )
        changes = [change(path, b"x" * 30_000) for path in names]
        try:
            apply(opened, root, *changes)
        finally:
            contents = {path.name: path.read_bytes() for path in sorted(root.iterdir())}
            states = [c.state.value for c in opened.newest_first()]
            report.write_text(f"{sorted(set(contents.values()))} {states} {len(contents)}")

    status = in_child(work)

    assert os.waitstatus_to_exitcode(status) == 3
    assert report.read_text() == f"[b'before\\n'] ['rolledBack'] {2 + n_names}"


@pytest.mark.parametrize("what", ["edit", "create", "delete"])
def test_a_folder_that_is_closed_is_named_and_nothing_changes(
    tmp_path: Path, root: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = root / "closed"
    closed.mkdir()
    path, free = closed / "a.txt", root / "free.txt"
    for file in (path, free):
        file.write_bytes(b"before\n")
        file.chmod(0o666)
    target = closed / "new.txt" if what == "create" else path
    changes = [change(free, b"after\n"), change(target, None if what == "delete" else b"after\n")]
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(state))
    for folder in (root, state, tmp_path):
        folder.chmod(0o777)
    closed.chmod(0o555)
    said = tmp_path / "said"

    def work() -> None:
        if os.geteuid() == 0:
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        opened = CheckpointStore(SqliteJournal(state / "journal.db"), BlobStore(state / "blobs"))
        try:
            apply(opened, root, *changes)
        except NotWritten as error:
            said.write_text(str(error))
            raise

    folder = tmp_path
    closed_parents = [p for p in folder.parents if not p.stat().st_mode & 0o001]
    for parent in closed_parents:
        parent.chmod(parent.stat().st_mode | 0o011)
    status = in_child(work)
    closed.chmod(0o755)

    assert os.waitstatus_to_exitcode(status) == 3
    assert str(closed) in said.read_text()
    assert (path.read_bytes(), free.read_bytes()) == (b"before\n", b"before\n")
    assert sorted(p.name for p in root.rglob("*")) == ["a.txt", "closed", "free.txt"]


def test_an_owner_that_cannot_be_given_is_kept_by_overwriting(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "a.txt"
    path.write_bytes(b"before\n")
    path.chmod(0o666)
    number = path.stat().st_ino
    wanted = change(path, b"after\n")
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(state))
    for folder in (root, state, tmp_path):
        folder.chmod(0o777)
    for parent in tmp_path.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    owner = path.stat().st_uid

    def work() -> None:
        if os.geteuid() == 0:
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        opened = CheckpointStore(SqliteJournal(state / "journal.db"), BlobStore(state / "blobs"))
        apply(opened, root, wanted)

    assert in_child(work) == 0

    assert path.read_bytes() == b"after\n"
    assert path.stat().st_uid == owner
    if os.geteuid() == 0:
        assert path.stat().st_ino == number
    shutil.rmtree(state)


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o400])
def test_nobody_else_reads_a_file_while_it_is_written(
    root: Path, store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    path = root / "secret.ini"
    path.write_bytes(b"k = 1\n")
    path.chmod(bits)
    seen: list[int] = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        seen.extend(stat.S_IMODE(beside.stat().st_mode) for beside in root.glob(".greenline-*"))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)

    apply(store, root, change(path, b"k = 2\n"))

    assert seen
    assert {mode & 0o077 for mode in seen} == {0}
    assert stat.S_IMODE(path.stat().st_mode) == bits


def test_nobody_else_reads_a_file_that_an_accept_makes_again(tmp_path: Path) -> None:
    path = tmp_path / "secret.ini"

    failed = write_own(FileEdit(str(path), "create", "", "k = 1\n", None, mode=0o600))
    write_own(FileEdit(str(tmp_path / "new.txt"), "create", "", "x\n", None))
    made = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("secret.ini", "new.txt")]

    assert failed == ""
    assert made[0] == 0o600
    assert made[1] & 0o600 == 0o600
