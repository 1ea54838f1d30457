"""Anchors in the journal: written with the accept, and in force as long as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from greenline.core.edit import FileChange, Hunk
from greenline.core.task import Task
from greenline.edit.change import marks_of
from greenline.edit.hunk import split
from greenline.edit.undo import undo_on_disk
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal

BEFORE = "one = 1\r\ntwo = 2\r\nthree = 3\r\n"
AFTER = "zero = 0\r\none = 1\r\ntwo = 22  \r\nthree = 3\r\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    journal = SqliteJournal(tmp_path / "state" / "journal.db")
    yield CheckpointStore(journal, BlobStore(tmp_path / "state" / "blobs"))
    journal.close()


def accept(store: CheckpointStore, root: Path, before: str | None, after: str | None) -> tuple[Hunk, ...]:
    """Accept a change of one file on the disk, as `greenline run --apply` does."""
    path = root / "a.py"
    data, new = (None if text is None else text.encode() for text in (before, after))
    if data is not None:
        path.write_bytes(data)
    change = FileChange(str(path), data, new)
    hunks = split(change, before, after)
    run = store.journal.create_run(Task("change", (str(root),)))
    occasion = Occasion("accepted", run.id, "apply", marks_of("p-1", hunks))
    apply_changes([change], [str(root)], store, occasion)
    return hunks


def test_each_accepted_hunk_has_its_lines_and_neighbours(store: CheckpointStore, tmp_path: Path) -> None:
    hunks = accept(store, tmp_path, BEFORE, AFTER)

    found = {anchor.hunk_id: anchor for anchor in store.anchors(str(tmp_path / "a.py"))}

    first, second = (found[hunk.id] for hunk in hunks)
    assert (first.start_line, first.above, first.lines) == (0, (), ("zero = 0",))
    assert (second.above, second.lines, second.below) == (
        ("zero = 0", "one = 1"),
        ("two = 22",),
        ("three = 3",),
    )
    assert second.proposal_id == "p-1"
    assert store.anchored_paths() == [str(tmp_path / "a.py")]


def test_an_undo_takes_them_out_of_force_and_its_undo_puts_them_back(
    store: CheckpointStore, tmp_path: Path
) -> None:
    accept(store, tmp_path, BEFORE, AFTER)
    known = store.anchors(str(tmp_path / "a.py"))

    undo_on_disk(store, [store.newest_in_force()])
    assert store.anchors(str(tmp_path / "a.py")) == []
    assert store.anchored_paths() == []
    store.move_anchors(known)
    assert store.anchors(str(tmp_path / "a.py")) == []

    undo_on_disk(store, [store.newest_in_force()])
    assert store.anchors(str(tmp_path / "a.py")) == known


def test_a_new_file_is_one_anchor_and_a_deleted_one_none(store: CheckpointStore, tmp_path: Path) -> None:
    accept(store, tmp_path, None, AFTER)
    (anchor,) = store.anchors(str(tmp_path / "a.py"))
    assert anchor.lines == ("zero = 0", "one = 1", "two = 22", "three = 3")

    accept(store, tmp_path, AFTER, None)
    assert store.anchors(str(tmp_path / "a.py")) == [anchor]
