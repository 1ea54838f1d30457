"""What was accepted is explained where it is, over restarts, edits and moves; and never where it is not."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from greenline.agent.scripted_agent import Script, ScriptedAgent, Step
from greenline.core.agent_port import Question
from greenline.core.document import OpenDocument
from greenline.core.event import Event, EventKind
from greenline.core.task import Proposal, TaskContext
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.decision import Decision
from greenline.lsp.review import FileEdit, apply_replacements
from greenline.lsp.session import Session
from greenline.lsp.why import tell

BEFORE = """\
import math

RATE = 0.2


def price(amount):
    return amount * RATE


def total(amounts):
    return sum(amounts)


def rounded(amount):
    return math.floor(amount)
"""
AFTER = BEFORE.replace("amount * RATE", "amount * (1 + RATE)")
LINE = 6
"""Of the accepted line in `AFTER`."""
REWRITTEN = AFTER.replace("amount * (1 + RATE)", "round(gross(amount), 2)")


class Desk:
    """An editor over one workspace, whose server can be started anew."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ws"
        self.root.mkdir()
        self.path = self.root / "shop.py"
        self.journal = SqliteJournal(folder / "state" / "journal.db")
        self.texts: dict[str, str] = {}
        self.version = 0
        self.proposal: Proposal | None = None
        self.restart()

    def restart(self) -> None:
        """Start a server that knows nothing but its journal; no document is open."""
        store = CheckpointStore(self.journal, BlobStore(self.journal.path.parent / "blobs"))
        steps = (
            Step("event", EventKind.USAGE, {"model": "m", "runUsd": 0.125}),
            Step("propose", files={"shop.py": AFTER}, why="Tax was left out"),
        )
        append = (Step("propose", files={"shop.py": BEFORE + "TAX = 0.19\n"}),)
        scripts = {"change": Script(steps=steps), "append": Script(steps=append)}
        agent = ScriptedAgent(self.journal, scripts)
        self.session = Session((str(self.root),), self.journal, agent, self, self.root.parent, store)
        self.texts = {}

    def on_event(self, event: Event) -> None:
        return None

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        self.proposal = proposal

    def on_question(self, run_id: str, question: Question) -> None:
        return None

    def on_hidden(self, paths: Collection[str]) -> None:
        return None

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        return None

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        for edit in edits:
            self.type(apply_replacements(self.texts[edit.path], edit.replacements), edit.path)
        return ""

    def late_answer(self) -> None:
        return None

    def type(self, text: str, path: Path | str | None = None) -> None:
        """Open a document, or change it."""
        name = str(path or self.path)
        self.version += 1
        self.texts[name] = text
        self.session.put_document(OpenDocument(name, self.version, text))
        self.session.document_changed(name)

    def save(self) -> None:
        self.path.write_text(self.texts[str(self.path)])
        self.session.accepted.saved(str(self.path))

    async def accept(self, before: str = BEFORE) -> None:
        """Accept what makes `AFTER` of a text, and save it."""
        self.path.write_text(before)
        self.type(before)
        await self.session.execute(self.session.task("change", TaskContext(), ()))
        (waiting,) = self.session.pending(str(self.path))
        review = await self.session.review(waiting.proposal.id, [Decision(waiting.hunk.id, True)], self)
        assert not review.refused
        self.save()

    async def explained(self, path: Path | None = None) -> list[int]:
        """Return the lines of an open document about which something is known."""
        name = str(path or self.path)
        n_lines = self.texts[name].count("\n")
        return [line for line in range(n_lines) if await tell(self.session, name, line, line) is not None]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.journal.close()


def git(root: Path, *arguments: str, date: str = "") -> None:
    """Run git; `date` is when the commit is made."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
    command = ["git", *identity, *arguments]
    environment = os.environ | ({"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date} if date else {})
    subprocess.run(
        command, cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL, env=environment
    )


def test_it_is_explained_with_its_reason_its_cost_and_its_run(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        assert await desk.explained() == [LINE]
        desk.restart()
        desk.type(AFTER)
        told = await tell(desk.session, str(desk.path), LINE, LINE)

        assert told is not None
        assert desk.proposal is not None
        assert told.run_id == desk.proposal.run_id
        assert told.hunk_id == desk.proposal.hunks[0].id
        assert "accepted 20" in told.markdown
        assert "Tax was left out" in told.markdown
        assert "+    return amount * (1 + RATE)" in told.markdown
        assert f"Run `{told.run_id}` ($0.12): change" in told.markdown
        assert await desk.explained() == [LINE]

    asyncio.run(work())


def test_an_insertion_after_the_last_line_is_told_about_on_that_line(desk: Desk) -> None:
    async def work() -> None:
        desk.path.write_text(BEFORE)
        desk.type(BEFORE)
        await desk.session.execute(desk.session.task("append", TaskContext(), ()))

        assert await desk.explained() == [BEFORE.count("\n") - 1]
        told = await tell(desk.session, str(desk.path), 99, 99)
        assert told is None

    asyncio.run(work())


def test_it_moves_along_with_edits_and_is_known_by_its_new_neighbours_later(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        desk.restart()
        desk.type(AFTER)
        lines = AFTER.split("\n")
        strange = "\n".join(line if n == LINE or not line else f"x{n} = {n}" for n, line in enumerate(lines))
        desk.type("# one\n# two\n" + AFTER)
        desk.type("# one\n# two\n" + strange)
        assert await desk.explained() == [LINE + 2]
        desk.save()

        desk.restart()
        desk.type("# more\n# one\n# two\n" + strange)
        assert await desk.explained() == [LINE + 3]

    asyncio.run(work())


def test_edits_that_no_server_saw_do_not_lose_it(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        desk.restart()
        desk.type("# A licence.\n\n" + AFTER.replace("total", "summed"))
        assert await desk.explained() == [LINE + 2]

    asyncio.run(work())


def test_nothing_is_said_once_its_text_was_rewritten_until_that_is_taken_back(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        desk.type(REWRITTEN)
        assert await desk.explained() == []
        desk.type(AFTER)
        assert await desk.explained() == [LINE]

        desk.restart()
        desk.type(REWRITTEN)
        assert await desk.explained() == []

    asyncio.run(work())


def test_an_undo_takes_the_explanation_away_and_its_undo_brings_it_back(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        await desk.session.undo(None, None, desk)
        told = await tell(desk.session, str(desk.path), LINE, LINE)
        assert told is not None
        assert "accepted 20" not in told.markdown
        await desk.session.undo(None, None, desk)
        told = await tell(desk.session, str(desk.path), LINE, LINE)
        assert told is not None
        assert "accepted 20" in told.markdown

    asyncio.run(work())


def test_it_is_found_in_a_file_that_git_moved_and_in_no_other(desk: Desk) -> None:
    async def work() -> None:
        git(desk.root, "init", "-q")
        await desk.accept()
        git(desk.root, "add", "-A")
        git(desk.root, "commit", "-q", "-m", "the change")
        git(desk.root, "mv", "shop.py", "store.py")
        moved, copy = desk.root / "store.py", desk.root / "copy.py"
        copy.write_text(AFTER)

        desk.restart()
        desk.type(AFTER, moved)
        assert await desk.explained(moved) == [LINE]

        git(desk.root, "commit", "-q", "-m", "a move")
        desk.restart()
        desk.type("# Later.\n" + AFTER, moved)
        desk.type(AFTER, copy)
        assert await desk.explained(moved) == [LINE + 1]
        assert await desk.explained(copy) == []

        # From now on it belongs to the new file.
        moved.write_text(desk.texts[str(moved)])
        desk.session.accepted.saved(str(moved))
        desk.path.write_text(AFTER)
        desk.restart()
        desk.type("# Later.\n" + AFTER, moved)
        desk.type(AFTER)
        assert await desk.explained(moved) == [LINE + 1]
        assert await desk.explained() == []

    asyncio.run(work())


def test_without_git_a_moved_file_is_not_guessed_at(desk: Desk) -> None:
    async def work() -> None:
        await desk.accept()
        other = desk.root / "new.py"
        desk.path.rename(other)
        desk.restart()
        desk.type(AFTER, other)
        assert await desk.explained(other) == []

    asyncio.run(work())


@pytest.mark.parametrize("is_committed", [True, False])
def test_of_two_places_that_are_alike_only_git_can_tell_the_one(desk: Desk, is_committed: bool) -> None:
    async def work() -> None:
        git(desk.root, "init", "-q")
        await desk.accept()
        if is_committed:
            git(desk.root, "add", "-A")
            git(desk.root, "commit", "-q", "-m", "the change")
        copy = "\n\nRATE = 0.2\n\n\ndef price(amount):\n    return amount * (1 + RATE)\n"
        desk.restart()
        desk.type(AFTER.replace("RATE = 0.2", "RATE = 0.25") + copy)
        assert await desk.explained() == ([LINE] if is_committed else [])

    asyncio.run(work())


def test_a_change_that_was_committed_before_the_accept_is_not_of_it(desk: Desk) -> None:
    async def work() -> None:
        git(desk.root, "init", "-q")
        await desk.accept()
        git(desk.root, "add", "-A")
        git(desk.root, "commit", "-q", "-m", "long ago", date="2020-01-01T00:00:00Z")
        copy = "\n\nRATE = 0.2\n\n\ndef price(amount):\n    return amount * (1 + RATE)\n"
        desk.restart()
        desk.type(AFTER.replace("RATE = 0.2", "RATE = 0.25") + copy)
        assert await desk.explained() == []

    asyncio.run(work())
