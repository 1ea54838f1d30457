"""One real session: whatever is proposed, decided and undone between a user's keystrokes, none is lost."""

from __future__ import annotations

import asyncio
import random
import re
import tempfile
from collections.abc import Collection
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.agent.scripted_agent import Script, ScriptedAgent, Step
from greenline.core.agent_port import Question
from greenline.core.document import OpenDocument
from greenline.core.edit import FileChange, HunkState
from greenline.core.event import Event
from greenline.core.task import Proposal, TaskContext
from greenline.edit.hunk import split
from greenline.edit.text import split_lines
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.decision import Decision
from greenline.lsp.placing import Placing
from greenline.lsp.review import CurrentText, FileEdit, apply_replacements, place
from greenline.lsp.session import Session

TYPED = re.compile("«[0-9]+»")
LINES = ("alpha\n", "beta\r\n", "gamma\n", "\n", "e\u0301 😀\n", "\f\u2028\n", "  delta\n", "alpha\n")


class Calm(random.Random):
    """A user who only watches."""

    def random(self) -> float:
        return 1.0


class Desk:
    """An editor with one buffer, and a user who may type whenever the server looks away."""

    def __init__(self, root: Path, text: str, chance: random.Random) -> None:
        self.path = str(root / "a.txt")
        self.text, self.version = text, 1
        self.chance = chance
        self.typed: list[str] = []
        self.session: Session | None = None
        self.proposals: dict[str, Proposal] = {}
        self.n_applied = 0
        self.applied_to: list[str] = []

    def on_event(self, event: Event) -> None:
        return None

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        self.proposals[proposal.id] = proposal

    def on_question(self, run_id: str, question: Question) -> None:
        return None

    def on_hidden(self, paths: Collection[str]) -> None:
        return None

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        return None

    def show(self) -> None:
        """Tell the session what the buffer holds."""
        assert self.session is not None
        self.session.put_document(OpenDocument(self.path, self.version, self.text))
        self.session.document_changed(self.path)

    def type(self) -> None:
        """Type a word at any place, or take some of the agent's text away: never one's own words."""
        if self.chance.random() < 0.75:
            word = f"«{len(self.typed)}»"
            self.typed.append(word)
            at = self.chance.randint(0, len(self.text))
            while any(m.start() < at < m.end() for m in TYPED.finditer(self.text)):
                at -= 1
            word += self.chance.choice(["", "\n", "\r\n"])
            self.text = self.text[:at] + word + self.text[at:]
        else:
            start = self.chance.randint(0, len(self.text))
            end = min(len(self.text), start + self.chance.randint(0, 12))
            if not TYPED.search(self.text[max(0, start - 8) : end + 8]):
                self.text = self.text[:start] + self.text[end:]
        self.version += 1
        self.show()

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        """Apply an edit as editors do: not at all where the buffer has moved on."""
        (edit,) = edits
        self.applied_to.append(edit.path)
        await asyncio.sleep(0)
        if self.chance.random() < 0.2:
            self.type()
        if edit.version != self.version:
            return "The buffer has another version."
        self.text = apply_replacements(self.text, edit.replacements)
        self.version += 1
        self.n_applied += 1
        self.show()
        if self.chance.random() < 0.1:
            self.type()
        return ""

    def late_answer(self) -> None:
        return None


@attrs.define
class Office:
    """The parts behind one session, which outlive it."""

    root: Path
    journal: SqliteJournal
    scripts: dict[str, Script]

    def open(self, desk: Desk) -> Session:
        """Start a session, as a server does."""
        store = CheckpointStore(self.journal, BlobStore(self.journal.path.parent / "blobs"))
        agent = ScriptedAgent(self.journal, self.scripts)
        return Session((str(self.root),), self.journal, agent, desk, self.root.parent, store)


@pytest.mark.parametrize(("root", "opened"), [("real", "link"), ("link", "real"), ("link", "link")])
def test_a_buffer_is_proposed_for_whichever_way_a_link_spells_it(
    tmp_path: Path, root: str, opened: str
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "a.txt").write_text("disk\n")
    office = Office(
        tmp_path / root,
        SqliteJournal(tmp_path / "journal.db"),
        {"change": Script(steps=(Step("propose", files={"a.txt": "disk\nnew\n"}),))},
    )
    desk = Desk(tmp_path / opened, "mine\ndisk\n", random.Random(1))
    session = desk.session = office.open(desk)

    async def accept() -> None:
        await session.execute(session.task("change", TaskContext(), ()))
        desk.show()
        (waiting,) = session.pending_at(desk.path, 0, 9)
        desk.chance = Calm()
        review = await session.review(waiting.proposal.id, [Decision(waiting.hunk.id, True)], desk)
        assert not review.refused

    asyncio.run(accept())
    office.journal.close()

    assert [document.text for document in session.overlays()] == [desk.text]
    assert desk.text == "mine\ndisk\nnew\n"
    assert desk.applied_to == [desk.path]
    assert (tmp_path / "real" / "a.txt").read_text() == "disk\n"


def test_a_change_in_a_folder_that_came_later_is_recorded_as_its_own(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    steps = (Step("propose", files={"a.txt": "mine\nnew\n"}),)
    office = Office(first, SqliteJournal(tmp_path / "journal.db"), {"change": Script(steps=steps)})
    desk = Desk(second, "mine\n", Calm())
    session = desk.session = office.open(desk)

    async def accept() -> None:
        session.set_roots((str(second),))
        desk.show()
        await session.execute(session.task("change", TaskContext(), ()))
        (waiting,) = session.pending()
        await session.review(waiting.proposal.id, [Decision(waiting.hunk.id, True)], desk)

    asyncio.run(accept())
    taken = CheckpointStore(office.journal, BlobStore(tmp_path / "blobs")).newest_in_force()
    office.journal.close()

    assert desk.text == "mine\nnew\n"
    assert taken.roots == (str(second),)


def rewritten(text: str, chance: random.Random) -> str:
    """Return a text as an agent would have it; the user's own lines stay as they are."""
    lines: list[str] = []
    for line in split_lines(text):
        if TYPED.search(line) or chance.random() < 0.6:
            lines.append(line)
        elif chance.random() < 0.6:
            lines.append(f"agent {chance.randint(0, 9)}\n")
        if chance.random() < 0.15:
            lines.append(chance.choice(LINES))
    return "".join(lines)


async def work(seed: int, n_steps: int) -> Desk:
    """Let a user, an agent and a reviewer have their ways in any order, with restarts between."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "ws"
        root.mkdir()
        office = Office(root, SqliteJournal(Path(folder) / "journal.db"), {})
        desk = Desk(root, "".join(chance.choices(LINES, k=12)), chance)
        desk.session = office.open(desk)
        desk.show()
        for number in range(n_steps):
            await step(number, office, desk)
            present = sorted(TYPED.findall(desk.text))
            assert present == sorted(desk.typed), f"seed {seed}, step {number}"
        office.journal.close()
    return desk


async def step(number: int, office: Office, desk: Desk) -> None:
    """Do one thing."""
    assert desk.session is not None
    chance = desk.chance
    what = chance.choice(["type"] * 6 + ["propose"] * 2 + ["accept"] * 4 + ["reject", "undo", "restart"])
    waiting = desk.session.pending()
    if what == "type":
        desk.type()
    elif what == "propose":
        request = f"change {number}"
        files: dict[str, str | None] = {"a.txt": rewritten(desk.text, chance)}
        office.scripts[request] = Script(steps=(Step("propose", files=files),))
        await desk.session.execute(desk.session.task(request, TaskContext(), ()))
    elif what == "accept" and waiting:
        proposal = chance.choice(waiting).proposal
        hunks = [hunk for hunk in proposal.pending() if chance.random() < 0.7] or [*proposal.pending()]
        # Nobody accepts a change that takes their own words away.
        decisions = [Decision(h.id, True) for h in hunks if not TYPED.search(h.before + h.after)]
        if decisions:
            await desk.session.review(proposal.id, decisions, desk)
    elif what == "reject" and waiting:
        item = chance.choice(waiting)
        await desk.session.review(item.proposal.id, [Decision(item.hunk.id, False, "no")], desk)
    elif what == "undo" and desk.n_applied:
        await desk.session.undo(None, None, desk)
    elif what == "restart":
        decided = {p.id: [h.state for h in p.hunks] for p in desk.proposals.values()}
        desk.session = office.open(desk)
        desk.show()
        await desk.session.start()
        again = {p.id: [h.state for h in p.hunks] for p in desk.proposals.values()}
        assert again == decided


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_no_character_of_the_user_is_lost(seed: int) -> None:
    asyncio.run(work(seed, 25))


def test_the_walk_applies_and_keeps_much() -> None:
    desks = [asyncio.run(work(seed, 40)) for seed in range(6)]

    assert sum(desk.n_applied for desk in desks) >= 10
    states = {hunk.state for desk in desks for proposal in desk.proposals.values() for hunk in proposal.hunks}
    assert {HunkState.ACCEPTED, HunkState.REJECTED, HunkState.PENDING} <= states


@pytest.mark.parametrize("n_edits", [1, 7])
def test_hunks_are_where_a_three_way_merge_puts_them_after_each_keystroke(n_edits: int) -> None:
    for seed in range(60):
        chance = random.Random(seed)
        base = "".join(f"line {n}\n" for n in range(30))
        after = "".join(f"new {n}\n" if n in (5, 12, 20, 28) else f"line {n}\n" for n in range(30))
        hunks = split(FileChange("/w/a", b"", b""), base, after)
        now = [base]
        placing = Placing(lambda _, now=now: CurrentText(now[0], 1), lambda _, base=base: base)  # type: ignore[misc]
        for _ in range(n_edits):
            at = chance.randint(0, len(now[0]))
            typed = chance.choice(["x", "\n", "one\ntwo\n"])
            now[0] = now[0][:at] + typed + now[0][at:]
            placed = [placing.place(hunk) for hunk in hunks]

        expected = [place(hunk, base, now[0]) for hunk in hunks]

        assert [p and (p.start_line, p.end_line) for p in placed] == [
            p and (p.start_line, p.end_line) for p in expected
        ]
