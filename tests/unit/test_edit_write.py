"""Writing changes to the disk: whole or not at all, byte for byte, and back again."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected, GreenlineError, OutsideWorkspace, WrongState
from greenline.core.event import Event
from greenline.edit.held import NotWritten
from greenline.edit.undo import named_checkpoints, undo_on_disk
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import Checkpoint, CheckpointState, Draft, FileVersions
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal

WHY = Occasion("a test")
Tree = dict[str, tuple[bytes, int] | None]


def open_store(state: Path) -> CheckpointStore:
    return CheckpointStore(SqliteJournal(state / "journal.db"), BlobStore(state / "blobs"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    opened = open_store(tmp_path / "state")
    yield opened
    opened.journal.close()


def tree(root: Path) -> Tree:
    """Return everything below a folder, folders and links included."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = (os.fsencode(path.readlink()), 0)
        elif path.is_dir():
            found[name] = None
        else:
            found[name] = (path.read_bytes(), path.stat().st_mode & 0o7777)
    return found


def change(root: Path, name: str, after: bytes | None, mode: int | None = None) -> FileChange:
    path = root / name
    return FileChange(str(path), path.read_bytes() if path.exists() else None, after, mode=mode)


def undo(store: CheckpointStore, root: Path, name: str | None = None) -> list[tuple[str, int | None]]:
    undone = undo_on_disk(store, named_checkpoints(store, name))
    return [(Path(c.path).name, c.line) for c in undone.conflicts]


def apply(root: Path, store: CheckpointStore, *changes: FileChange) -> Checkpoint:
    return apply_changes(changes, (str(root),), store, WHY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"caf\xe9\n", b"caf\xe9\nth\xe9\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\rd", b"a\r\nB\nc\rd"),
        ("a\n".encode("utf-16"), "b\n".encode("utf-16")),
        (b"\0binary\0", b"\0other\0"),
        (b"", b"a"),
        (None, b"new\n"),
        (b"old\n", None),
    ],
)
def test_a_change_and_its_undo_are_exact(
    root: Path, store: CheckpointStore, before: bytes | None, after: bytes | None
) -> None:
    path = root / "a.txt"
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)
    first = tree(root)

    apply(root, store, change(root, "a.txt", after))
    second = tree(root)
    assert undo(store, root) == []
    back = tree(root)
    assert undo(store, root) == []

    assert back == first
    assert tree(root) == second
    assert (path.read_bytes() if path.exists() else None) == after
    if before is not None and after is not None:
        assert path.stat().st_mode & 0o7777 == 0o640


def test_mode_bits_that_a_change_asks_for_go_back_too(root: Path, store: CheckpointStore) -> None:
    (root / "run.sh").write_bytes(b"echo\n")
    (root / "run.sh").chmod(0o644)
    first = tree(root)

    apply(root, store, change(root, "run.sh", b"echo\n", mode=0o755))
    mode = (root / "run.sh").stat().st_mode & 0o777
    undo(store, root)

    assert mode == 0o755
    assert tree(root) == first


def test_a_link_is_written_through_and_stays_a_link(root: Path, store: CheckpointStore) -> None:
    (root / "shared").mkdir()
    (root / "conf").mkdir()
    (root / "shared" / "app.toml").write_bytes(b"port = 1\n")
    (root / "conf" / "app.toml").symlink_to("../shared/app.toml")
    first = tree(root)

    apply(root, store, change(root, "conf/app.toml", b"port = 2\n"))
    written = (root / "shared" / "app.toml").read_bytes()
    still_a_link = (root / "conf" / "app.toml").is_symlink()
    undo(store, root)

    assert written == b"port = 2\n"
    assert still_a_link
    assert tree(root) == first


@pytest.mark.parametrize("name", ["doc.txt", "newdir/made.txt", "../outside/secret.txt"])
def test_nothing_outside_the_workspace_is_written(root: Path, store: CheckpointStore, name: str) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"keep me\n")
    (root / "doc.txt").symlink_to("../outside/secret.txt")
    (root / "newdir").symlink_to("../outside")

    with pytest.raises(OutsideWorkspace):
        apply(root, store, change(root, name, b"lost\n"))

    assert tree(outside) == {"secret.txt": (b"keep me\n", (outside / "secret.txt").stat().st_mode & 0o7777)}


def test_git_s_own_records_are_never_written(root: Path, store: CheckpointStore) -> None:
    with pytest.raises(EditRejected, match=r"\.git") as caught:
        apply(root, store, change(root, ".git/hooks/pre-commit", b"#!/bin/sh\n"))

    assert caught.value.code == "protected"
    assert tree(root) == {}


@pytest.mark.parametrize(
    ("before", "now", "code"),
    [(b"a\n", b"other\n", "stale"), (None, b"there\n", "exists"), (b"a\n", None, "missing")],
)
def test_a_file_that_is_another_by_now_stops_everything(
    root: Path, store: CheckpointStore, before: bytes | None, now: bytes | None, code: str
) -> None:
    (root / "first.txt").write_bytes(b"1\n")
    if now is not None:
        (root / "z.txt").write_bytes(now)
    first = tree(root)

    with pytest.raises(EditRejected, match=r"z\.txt") as caught:
        apply(root, store, change(root, "first.txt", b"2\n"), FileChange(str(root / "z.txt"), before, b"x\n"))

    assert caught.value.code == code
    assert tree(root) == first


def test_a_failure_on_the_way_rolls_everything_back(root: Path, store: CheckpointStore) -> None:
    (root / "a.txt").write_bytes(b"1\n")
    (root / "gone").mkdir()
    (root / "gone" / "b.txt").write_bytes(b"1\n")
    changes = [
        change(root, "a.txt", b"2\n"),
        change(root, "new/c.txt", b"2\n"),
        change(root, "d/b.txt", b"2\n"),
    ]
    (root / "d").write_bytes(b"a file where a folder is needed")
    first = tree(root)

    with pytest.raises(NotWritten, match="nothing was changed") as caught:
        apply(root, store, *changes)

    assert caught.value.code == "unwritable"
    assert tree(root) == first
    assert [c.state for c in store.newest_first()] == [CheckpointState.ROLLED_BACK]


class Locked(CheckpointStore):
    """Checkpoints in a journal that another process locks while a change is finished."""

    def finish(self, *arguments: Any, **named: Any) -> tuple[Event, ...]:
        other = apsw.Connection(str(self.journal.path))
        other.execute("BEGIN IMMEDIATE")
        try:
            return super().finish(*arguments, **named)
        finally:
            other.close()


def test_a_change_that_cannot_be_recorded_is_rolled_back(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenline.journal.store._BUSY_TIMEOUT_MS", 100)
    store = Locked(SqliteJournal(tmp_path / "state" / "journal.db"), BlobStore(tmp_path / "state" / "blobs"))
    (root / "a.txt").write_bytes(b"a\n")
    before = tree(root)

    with pytest.raises(GreenlineError, match="locked"):
        apply(root, store, change(root, "a.txt", b"b\n"), change(root, "new/b.txt", b"b\n"))

    assert tree(root) == before
    assert [checkpoint.state for checkpoint in store.newest_first()] == [CheckpointState.ROLLED_BACK]
    store.journal.close()


def test_what_the_user_changed_since_stays(root: Path, store: CheckpointStore) -> None:
    path = root / "a.txt"
    path.write_bytes(b"a\nb\nc\nd\ne\n")
    apply(root, store, change(root, "a.txt", b"A\nb\nc\nD\ne\n"))
    path.write_bytes(b"A mine\nb\nc\nD\ne\nmore\n")

    conflicts = undo(store, root)

    assert conflicts == [("a.txt", 0)]
    assert path.read_bytes() == b"A mine\nb\nc\nd\ne\nmore\n"


def test_files_in_several_roots_go_back_together(tmp_path: Path, root: Path, store: CheckpointStore) -> None:
    other = tmp_path / "other"
    other.mkdir()
    changes = [FileChange(str(folder / "a.txt"), None, b"a\n") for folder in (root, other)]
    apply_changes(changes, (str(root), str(other)), store, WHY)

    assert undo(store, root) == []

    assert tree(root) == tree(other) == {}


def test_a_created_file_that_was_edited_stays(root: Path, store: CheckpointStore) -> None:
    apply(root, store, change(root, "new.txt", b"a\n"), change(root, "other.txt", b"b\n"))
    (root / "new.txt").write_bytes(b"a\nmine\n")

    conflicts = undo(store, root)

    assert conflicts == [("new.txt", None)]
    assert list(tree(root)) == ["new.txt"]


def test_a_corrupt_content_is_named_and_harms_nothing_else(
    root: Path, store: CheckpointStore, tmp_path: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        (root / name).write_bytes(f"{name}\n".encode())
    taken = apply(root, store, change(root, "a.txt", b"A\n"), change(root, "b.txt", b"B\n"))
    blob = store.blobs.path(taken.files[0].before or "")
    blob.write_bytes(b"a.txU\n")

    undone = undo_on_disk(store, named_checkpoints(store, None))

    assert [c.path for c in undone.conflicts] == [str(root / "a.txt")]
    assert str(blob) in undone.conflicts[0].reason
    assert (root / "a.txt").read_bytes() == b"A\n"
    assert (root / "b.txt").read_bytes() == b"b.txt\n"


def test_a_damaged_content_is_written_again_by_the_next_checkpoint(
    root: Path, store: CheckpointStore
) -> None:
    name = store.blobs.put(b"text")
    store.blobs.path(name).write_bytes(b"texT")

    store.blobs.put(b"text")

    assert store.blobs.get(name) == b"text"


def test_a_folder_in_the_place_of_a_content_stops_no_edit(root: Path, store: CheckpointStore) -> None:
    (root / "a.txt").write_bytes(b"old\n")
    taken = apply(root, store, change(root, "a.txt", b"new\n"))
    blob = store.blobs.path(taken.files[0].before or "")
    blob.unlink()
    (blob / "folder").mkdir(parents=True)

    undone = undo_on_disk(store, named_checkpoints(store, None))
    (root / "b.txt").write_bytes(b"old\n")
    apply(root, store, change(root, "b.txt", b"B\n"))

    assert str(blob) in undone.conflicts[0].reason
    assert (root / "b.txt").read_bytes() == b"B\n"
    assert undo(store, root, taken.id) == []
    assert (root / "a.txt").read_bytes() == b"old\n"


def test_a_checkpoint_that_was_undone_is_not_undone_twice(root: Path, store: CheckpointStore) -> None:
    taken = apply(root, store, change(root, "a.txt", b"a\n"))
    undo(store, root, taken.id)

    with pytest.raises(WrongState, match="undone already"):
        undo(store, root, taken.id)
    undo(store, root)
    undo(store, root, taken.id)

    assert tree(root) == {}


def test_an_undo_that_was_made_but_for_a_conflict_changes_nothing_again(
    root: Path, store: CheckpointStore
) -> None:
    (root / "gone").write_bytes(b"x\n")
    (root / "gone").chmod(0o751)
    (root / "a").write_bytes(b"1\n2\n3\n4\n5\n6\n")
    taken = apply(root, store, change(root, "a", b"1\nB\n3\n4\nE\n6\n"), change(root, "gone", None))
    (root / "a").write_bytes(b"1\nmine\n3\n4\nE\nown\n")

    assert undo(store, root, taken.id) == [("a", 1)]
    before = tree(root)
    again = undo_on_disk(store, named_checkpoints(store, taken.id))

    assert (root / "a").read_bytes() == b"1\nmine\n3\n4\n5\nown\n"
    assert [(Path(c.path).name, c.line) for c in again.conflicts] == [("a", 1)]
    assert (again.restored, again.checkpoint) == ((), None)
    assert tree(root) == before
    assert len(store.newest_first()) == 2


def test_a_change_taken_back_by_hand_does_not_stand_before_older_ones(
    root: Path, store: CheckpointStore
) -> None:
    (root / "a").write_bytes(b"1\n")
    first = apply(root, store, change(root, "a", b"2\n"))
    second = apply(root, store, change(root, "a", b"3\n"))
    (root / "a").write_bytes(b"2\n")

    noted = undo_on_disk(store, named_checkpoints(store, None))
    done = undo_on_disk(store, named_checkpoints(store, None))

    assert (noted.restored, noted.by_hand) == ((), (second.id,))
    assert (done.restored, (root / "a").read_bytes()) == ((str(root / "a"),), b"1\n")
    assert store.get(first.id).undone_by == (done.checkpoint and done.checkpoint.id)
    with pytest.raises(WrongState, match="by hand"):
        named_checkpoints(store, second.id)


def test_what_an_editor_has_not_saved_is_not_taken_for_undone(root: Path, store: CheckpointStore) -> None:
    (root / "a").write_bytes(b"1\n")
    versions = FileVersions(str(root / "a"), b"1\n", b"2\n", encoding="utf-8")
    taken = store.begin(Draft("accept", "editor", "accept", (versions,), (str(root),)))
    store.finish(taken)

    with pytest.raises(WrongState, match="not saved"):
        undo_on_disk(store, named_checkpoints(store, None))

    (root / "a").write_bytes(b"2\n")
    done = undo_on_disk(store, named_checkpoints(store, None))
    assert (done.restored, (root / "a").read_bytes()) == ((str(root / "a"),), b"1\n")


def test_a_file_that_an_editor_has_not_saved_stays_to_be_undone(root: Path, store: CheckpointStore) -> None:
    for name in ("a", "b"):
        (root / name).write_bytes(b"1\n")
    versions = [FileVersions(str(root / n), b"1\n", b"2\n", encoding="utf-8") for n in ("a", "b")]
    store.finish(store.begin(Draft("accept", "editor", "accept", tuple(versions), (str(root),))))
    (root / "a").write_bytes(b"2\n")

    done = undo_on_disk(store, named_checkpoints(store, None))

    assert done.restored == (str(root / "a"),)
    assert [conflict.path for conflict in done.conflicts] == [str(root / "b")]
    (root / "b").write_bytes(b"2\n")
    again = undo_on_disk(store, [item for item in store.newest_first() if item.place == "editor"])
    assert (again.restored, again.conflicts) == ((str(root / "b"),), ())
    assert (root / "b").read_bytes() == b"1\n"
    assert not any(item.in_force for item in store.newest_first() if item.place == "editor")


def test_an_undo_taken_back_by_hand_leaves_its_change_in_force(root: Path, store: CheckpointStore) -> None:
    taken = apply(root, store, change(root, "a", b"1\n"))
    undo(store, root)
    (root / "a").write_bytes(b"1\n")

    undo(store, root)
    undo(store, root)

    assert tree(root) == {}
    assert store.get(taken.id).undone_by == store.newest_first()[0].id


def test_what_somebody_took_back_by_hand_needs_no_undo(root: Path, store: CheckpointStore) -> None:
    (root / "a").write_bytes(b"1\n2\n3\n")
    (root / "a").chmod(0o755)
    taken = apply(root, store, change(root, "a", b"1\nB\n3\n", 0o644))
    (root / "a").write_bytes(b"1\n2\nown\n")
    (root / "a").chmod(0o755)

    again = undo_on_disk(store, named_checkpoints(store, taken.id))

    assert (again.restored, again.conflicts, again.checkpoint) == ((), (), None)
    assert (root / "a").read_bytes() == b"1\n2\nown\n"


TEXTS = st.one_of(st.none(), st.binary(max_size=12), st.text(max_size=12).map(str.encode))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), TEXTS), min_size=1, max_size=5))
def test_changes_taken_back_one_by_one_give_the_first_tree(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bytes | None]]
) -> None:
    folder = tmp_path_factory.mktemp("random")
    root = folder / "ws"
    root.mkdir()
    (root / "a").write_bytes(b"first\r\n")
    store = open_store(folder / "state")
    first, taken = tree(root), []
    for name, after in steps:
        if (root / name).exists() or after is not None:
            taken.append(apply(root, store, change(root, name, after)))

    for checkpoint in reversed(taken):
        assert undo(store, root, checkpoint.id) == []

    assert tree(root) == first
    store.journal.close()


def test_the_owner_of_a_file_is_kept(root: Path, store: CheckpointStore) -> None:
    path = root / "a.txt"
    path.write_bytes(b"1\n")
    owner = (12345, 12345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(path, *owner)

    apply(root, store, change(root, "a.txt", b"2\n"))
    after = path.stat()
    undo(store, root)

    assert (after.st_uid, after.st_gid) == owner
    assert (path.stat().st_uid, path.stat().st_gid) == owner


def test_a_moved_file_keeps_its_mode(root: Path, store: CheckpointStore) -> None:
    (root / "old.sh").write_bytes(b"echo\n")
    (root / "old.sh").chmod(0o750)
    first = tree(root)
    old, new = str(root / "old.sh"), str(root / "bin" / "new.sh")

    apply(
        root,
        store,
        FileChange(new, None, b"echo\n", moved_from=old),
        FileChange(old, b"echo\n", None, moved_from=old),
    )
    mode = (root / "bin" / "new.sh").stat().st_mode & 0o777
    undo(store, root)

    assert mode == 0o750
    assert tree(root) == first


def test_two_changes_of_one_file_are_refused(root: Path, store: CheckpointStore) -> None:
    (root / "a.txt").write_bytes(b"1\n")
    (root / "link.txt").symlink_to("a.txt")

    with pytest.raises(EditRejected, match="same file"):
        apply(root, store, change(root, "a.txt", b"2\n"), change(root, "link.txt", b"3\n"))

    assert (root / "a.txt").read_bytes() == b"1\n"


def test_on_a_disk_that_is_read_only_nothing_is_half_made(
    root: Path, store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    (root / "a.txt").write_bytes(b"1\n")
    monkeypatch.setattr("greenline.edit.write.write_beside", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)

    with pytest.raises(NotWritten, match=r"a\.txt cannot be written.*nothing was changed"):
        apply_changes([change(root, "a.txt", b"2\n")], [str(root)], store, WHY)

    (checkpoint,) = store.newest_first(1)
    assert checkpoint.state is CheckpointState.ROLLED_BACK
