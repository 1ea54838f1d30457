"""What a start removes from the stored contents, and what it must not: leftovers, and texts that wait."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from greenline.core.edit import FileChange, HunkState
from greenline.core.evidence import Evidence, Verdict
from greenline.core.task import Proposal, RunState, Task
from greenline.edit.review_cut import ReviewedChange, cut_for_review
from greenline.edit.text import text_hash
from greenline.journal.blob import BlobStore, content_hash
from greenline.journal.checkpoint import Draft, FileVersions
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.owner import process_owner
from greenline.journal.store import SqliteJournal

_HOUR_S = 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    journal = SqliteJournal(tmp_path / "journal.db")
    yield CheckpointStore(journal, BlobStore(tmp_path / "blobs"), quota_bytes=100)
    journal.close()


def propose(
    store: CheckpointStore, before: str, after: str, state: HunkState = HunkState.PENDING
) -> Proposal:
    """Put a proposal into the journal, with the text that it was made against."""
    run = store.journal.create_run(Task("x", ("/w",)))
    hunks = cut_for_review([ReviewedChange(FileChange("/w/a", b"", b""), before, after)])
    hunks = tuple(attrs.evolve(hunk, state=state) for hunk in hunks)
    proposal = Proposal(f"p-{run.id}", run.id, hunks, Evidence(Verdict.VERIFIED, "", ""))
    store.journal.keep_text(before)
    store.journal.save_proposal(proposal)
    store.journal.set_state(run.id, proposal.run_state())
    return proposal


def age(store: CheckpointStore, seconds: float = 2 * _HOUR_S) -> None:
    """Let all contents lie for a while."""
    for path in store.blobs.folder.rglob("*"):
        status = path.stat()
        os.utime(path, (status.st_atime, status.st_mtime - seconds))


def test_what_a_dead_process_was_writing_is_removed_and_a_living_ones_is_not(store: CheckpointStore) -> None:
    name = store.blobs.put(b"kept")
    folder = store.blobs.path(name).parent
    child = subprocess.Popen([sys.executable, "-c", ""])
    owner = process_owner(child.pid).replace(":", ".")
    child.wait()
    for leftover in (f".new-{owner}-abc", ".new-old_form"):
        (folder / leftover).write_bytes(b"half")
    mine = folder / f".new-{process_owner().replace(':', '.')}-abc"
    mine.write_bytes(b"half")

    store.sweep()

    assert sorted(p.name for p in folder.iterdir()) == sorted([mine.name, name[2:]])


def test_texts_of_hunks_that_wait_are_kept_and_others_go_once_they_have_lain(store: CheckpointStore) -> None:
    waiting = propose(store, "a\n", "b\n")
    propose(store, "c\n", "d\n", HunkState.REJECTED)

    store.sweep()
    fresh = store.journal.text(text_hash("c\n"))
    age(store)
    store.sweep()

    assert fresh == "c\n"
    assert store.journal.text(text_hash("c\n")) is None
    assert store.journal.text(waiting.hunks[0].base_hash) == "a\n"


def test_contents_of_checkpoints_are_kept(store: CheckpointStore) -> None:
    store.begin(Draft("apply", "disk", "x", (FileVersions("/w/a", b"one", b"two"),), ("/w",)))
    age(store)

    store.sweep()

    assert [store.blobs.get(content_hash(data)) for data in (b"one", b"two")] == [b"one", b"two"]


def test_the_quota_never_takes_the_text_of_a_hunk_that_waits(store: CheckpointStore) -> None:
    base = "x" * 90 + "\n"
    propose(store, base, "y\n")
    for number in range(3):
        draft = Draft("apply", "disk", "x", (FileVersions("/w/a", base.encode(), b"%d" % number),), ("/w",))
        store.finish(store.begin(draft))
    versions = FileVersions("/w/b", b"z" * 99, None)
    store.finish(store.begin(Draft("apply", "disk", "x", (versions,), ("/w",))))

    assert len(store.newest_first()) == 1
    assert store.journal.text(text_hash(base)) == base


def test_a_damaged_text_is_no_text(store: CheckpointStore) -> None:
    store.journal.keep_text("a\n")
    store.blobs.path(text_hash("a\n")).write_bytes(b"other")

    assert store.journal.text(text_hash("a\n")) is None


def test_every_open_proposal_is_found_however_many_runs_came_later(store: CheckpointStore) -> None:
    first = propose(store, "a\n", "b\n")
    decided = propose(store, "c\n", "d\n", HunkState.ACCEPTED)
    for _ in range(60):
        run = store.journal.create_run(Task("later", ("/w",)))
        store.journal.set_state(run.id, RunState.FAILED)

    found = [proposal.id for proposal in store.journal.open_proposals()]

    assert found == [first.id]
    assert decided.id not in found
