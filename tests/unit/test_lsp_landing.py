"""Landing an edit: its checkpoint first, made anew where the user types meanwhile, compared afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import attrs
import pytest

from greenline.core.anchor import hash_of
from greenline.core.edit import HunkState
from greenline.edit.restore import Content
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint import Checkpoint, CheckpointState, Draft, Mark
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp import landing as way
from greenline.lsp.landing import Change, Landed, Landing, Late
from greenline.lsp.review import CurrentText, FileEdit, Replacement

PATH = "/w/a.txt"

pytestmark = pytest.mark.asyncio


class Desk:
    """One buffer, the edits that reach it, and a user who types at chosen moments."""

    def __init__(self, store: CheckpointStore, text: str) -> None:
        self.store, self.text, self.version = store, text, 1
        self.changed = asyncio.Event()
        self.applied: list[str] = []
        self.typed_while_storing = 0
        self.ends = "\n"
        self.new = "new\n"
        self.marks: tuple[Mark, ...] = ()
        self.answer: Callable[[], Awaitable[str]] | None = None
        self.late: asyncio.Future[str] | None = None

    def current(self, path: str) -> CurrentText | None:
        return CurrentText(self.text, self.version) if path == PATH else None

    def is_open(self, path: str) -> bool:
        return path == PATH

    def open_path(self, path: str) -> str:
        return path

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        self.applied.append(label)
        if self.answer is not None:
            return await self.answer()
        self.text = edits[0].new_text.replace("\n", self.ends)
        self.version += 1
        return ""

    def late_answer(self) -> Awaitable[str] | None:
        return self.late

    async def plan(self) -> Change:
        """Put a line in front of the text as it is; the user types right afterwards."""
        old = self.text
        edit = FileEdit(PATH, "edit", old, self.new + old, self.version, (Replacement(0, 0, self.new),))
        if self.typed_while_storing:
            self.typed_while_storing -= 1
            self.text += "typed\n"
        return Change("an edit", (edit,), "accept", "a test", ("/w",), marks=self.marks)

    async def land(self) -> Landed:
        return await Landing(self, self.store).land(self.plan, self)

    def states(self) -> list[CheckpointState]:
        return [checkpoint.state for checkpoint in reversed(self.store.newest_first())]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    journal = SqliteJournal(tmp_path / "journal.db")
    yield CheckpointStore(journal, BlobStore(tmp_path / "blobs"))
    journal.close()


async def test_an_edit_is_made_anew_where_the_user_typed_meanwhile(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    desk.typed_while_storing = 2

    landed = await desk.land()

    assert landed.failures == {}
    assert desk.text == "new\na\ntyped\ntyped\n"
    assert desk.applied == ["an edit"]
    assert desk.states() == [
        CheckpointState.ROLLED_BACK,
        CheckpointState.ROLLED_BACK,
        CheckpointState.DONE,
    ]


async def test_a_user_who_never_stops_typing_gets_no_edit(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    desk.typed_while_storing = 100

    landed = await desk.land()

    assert list(landed.failures) == [PATH]
    assert desk.applied == []
    assert set(desk.states()) == {CheckpointState.ROLLED_BACK}


async def test_the_text_that_the_editor_made_of_it_is_what_is_stored(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    desk.ends = "\r\n"

    landed = await desk.land()

    (file,) = store.get(landed.checkpoint.id).files
    assert landed.failures == {}
    assert Content(store.blobs.get(file.after or ""), file.encoding).file().text == "new\r\na\r\n"
    assert Content(store.blobs.get(file.before or ""), file.encoding).file().text == "a\n"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
async def test_an_accepted_hunk_has_its_anchor_whatever_the_editor_made_of_its_text(
    store: CheckpointStore, ends: str
) -> None:
    desk = Desk(store, "a line that is here\n")
    desk.new, desk.ends = "a line that says enough to be found again\n", ends
    desk.marks = (Mark("p1", "h1", PATH, HunkState.PENDING, HunkState.ACCEPTED, 0, 1),)

    await desk.land()

    (anchor,) = store.anchors(PATH)
    assert anchor.hunk_id == "h1"
    assert anchor.lines == ("a line that says enough to be found again",)
    assert anchor.below == ("a line that is here",)
    assert anchor.text_hash == hash_of([*anchor.lines, *anchor.below])


async def test_a_refused_edit_leaves_no_anchor(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    desk.new = "a line that says enough to be found again\n"
    desk.marks = (Mark("p1", "h1", PATH, HunkState.PENDING, HunkState.ACCEPTED, 0, 1),)

    async def refuse() -> str:
        return "The editor refused."

    desk.answer = refuse
    await desk.land()

    assert store.anchors(PATH) == []


async def test_a_refused_edit_is_rolled_back(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")

    async def refuse() -> str:
        return "The editor refused."

    desk.answer = refuse
    landed = await desk.land()

    assert landed.failures == {PATH: "The editor refused."}
    assert desk.states() == [CheckpointState.ROLLED_BACK]


async def test_an_edit_that_is_refused_for_what_was_typed_is_rolled_back(store: CheckpointStore) -> None:
    desk = Desk(store, "a\nb\n")

    async def refuse() -> str:
        desk.text = "a\nb\ntyped\n"
        return "The version is another one."

    desk.answer = refuse
    landed = await desk.land()

    assert landed.failures == {PATH: "The version is another one."}
    assert desk.states() == [CheckpointState.ROLLED_BACK]


async def test_an_undo_that_failed_half_way_is_not_the_newest_change(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    await desk.land()
    plan, kind = desk.plan, "undo"

    async def break_off() -> str:
        desk.text = "ne\n" + desk.text
        return "The editor broke off."

    async def undo() -> Change:
        return attrs.evolve(await plan(), kind=kind)

    desk.answer = break_off
    await Landing(desk, store).land(undo, desk)

    assert desk.states() == [CheckpointState.DONE, CheckpointState.UNCONFIRMED]
    assert store.newest_in_force().kind == "accept"


async def test_the_text_counts_and_not_what_the_editor_says_of_it(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")

    async def apply_and_deny() -> str:
        desk.text = "new\na\n"
        return "The editor did not apply the edit."

    desk.answer = apply_and_deny
    landed = await desk.land()

    assert landed.failures == {}
    assert desk.states() == [CheckpointState.DONE]


async def test_an_editor_that_never_answers_has_failed(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way, "_ANSWER_S", 0.05)
    desk = Desk(store, "a\n")

    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    desk.answer = never
    landed = await desk.land()

    assert "did not answer" in landed.failures[PATH]
    assert desk.states() == [CheckpointState.UNCONFIRMED]


async def test_an_edit_that_failed_half_way_can_still_be_undone(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")

    async def break_off() -> str:
        desk.text = "ne\na\n"
        return "The editor broke off."

    desk.answer = break_off
    await desk.land()

    assert desk.states() == [CheckpointState.UNCONFIRMED]
    assert store.newest_in_force().place == "editor"


async def test_a_cancelled_request_leaves_an_edit_that_can_be_undone(store: CheckpointStore) -> None:
    desk = Desk(store, "a\n")
    asked = asyncio.Event()

    async def never() -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    desk.answer = never
    task = asyncio.get_running_loop().create_task(desk.land())
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert desk.states() == [CheckpointState.UNCONFIRMED]


@pytest.mark.parametrize(
    ("answer", "text", "state"),
    [
        ("", "new\na\n", CheckpointState.DONE),
        ("The editor refused.", "new\na\n", CheckpointState.DONE),
        ("The editor refused.", "a\n", CheckpointState.ROLLED_BACK),
        ("", "a\n", CheckpointState.UNCONFIRMED),
        ("", "ne\na\n", CheckpointState.UNCONFIRMED),
    ],
)
@pytest.mark.parametrize("ends", ["cancelled", "silent"])
async def test_the_text_decides_about_an_answer_that_comes_late(
    store: CheckpointStore,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    text: str,
    state: CheckpointState,
    ends: str,
) -> None:
    monkeypatch.setattr(way, "_CHECK_S", 0.05)
    monkeypatch.setattr(way, "_ANSWER_S", 5 if ends == "cancelled" else 0.05)
    desk, asked, told = Desk(store, "a\n"), asyncio.Event(), asyncio.Event()
    desk.late = asyncio.get_running_loop().create_future()

    async def never() -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    async def settle(late: Late) -> None:
        await landing.settle(late)
        told.set()

    desk.answer = never
    landing = Landing(desk, store, settle)
    task = asyncio.create_task(landing.land(desk.plan, desk))
    await asked.wait()
    if ends == "cancelled":
        task.cancel()
    await asyncio.wait({task})
    desk.text = text
    desk.late.set_result(answer)
    async with asyncio.timeout(5):
        await told.wait()
    await landing.stop()

    assert desk.states() == [state]


async def test_a_request_that_is_cancelled_once_the_editor_answered_is_brought_to_its_end(
    store: CheckpointStore,
) -> None:
    desk = Desk(store, "a\n")
    answered = asyncio.Event()

    async def answer() -> str:
        answered.set()
        return ""

    desk.answer = answer
    task = asyncio.create_task(desk.land())
    await answered.wait()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    desk.text = "new\na\n"
    desk.changed.set()
    landed = await task

    assert landed.failures == {}
    assert desk.states() == [CheckpointState.DONE]
    assert store.newest_in_force().id == landed.checkpoint.id


async def test_a_request_that_is_cancelled_while_its_checkpoint_is_written_changes_nothing(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(store, "a\n")
    begin, begun, go_on = store.begin, threading.Event(), threading.Event()

    def slow(draft: Draft) -> Checkpoint:
        begun.set()
        assert go_on.wait(5)
        return begin(draft)

    monkeypatch.setattr(store, "begin", slow)
    task = asyncio.create_task(desk.land())
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (desk.text, desk.applied) == ("a\n", [])
    assert desk.states() == [CheckpointState.ROLLED_BACK]


@pytest.mark.parametrize(
    ("text", "now", "landed"),
    [
        ("a\nb\n", "new\na\nb\nk", True),
        ("a\nb\n", "new\r\na\r\nb\r\nk", True),
        ("a\nb\n", "newk\na\nb\n", False),
        ("a\nb\n", "a\nb\nk", False),
        ("a\nb\n", "a\nb\n", False),
    ],
)
async def test_a_keystroke_that_comes_with_the_edit_is_no_failure_of_it(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, text: str, now: str, landed: bool
) -> None:
    monkeypatch.setattr("greenline.lsp.landing._CHECK_S", 0.05)
    desk = Desk(store, text)

    async def answer() -> str:
        desk.text = now
        return ""

    desk.answer = answer
    done = await desk.land()

    assert (done.failures == {}) is landed
    if landed:
        (file,) = store.get(done.checkpoint.id).files
        assert Content(store.blobs.get(file.after or ""), file.encoding).file().text == "new\n" + text
