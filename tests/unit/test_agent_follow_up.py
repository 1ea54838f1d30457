"""What a follow-up run is told: the hunks that the user rejected before, with the comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from greenline.agent.agent import Agent
from greenline.agent.follow_up import following_up, is_refused
from greenline.agent.services import Services
from greenline.agent.wiring import make_tools
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk, HunkState
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Completion, Message, ToolRequest, ToolSpec
from greenline.core.task import Proposal, RunState, Task
from greenline.edit.review_cut import ReviewedChange, cut_for_review
from greenline.guard.gate import Gate
from greenline.journal.store import SqliteJournal
from greenline.model.scripted_model import ScriptedModel
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.snapshot import Snapshot

PATH = "/w/cart.py"
BEFORE, AFTER = "def total(x):\n    return x\n", "def total(x):\n    return -x\n"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.db")
    yield opened
    opened.close()


def hunks(before: str = BEFORE, after: str = AFTER) -> tuple[Hunk, ...]:
    change = FileChange(PATH, before.encode(), after.encode())
    return cut_for_review([ReviewedChange(change, before, after)])


def reviewed(
    journal: SqliteJournal,
    request: str,
    state: HunkState,
    comment: str = "",
    roots: tuple[str, ...] = ("/w",),
) -> Task:
    """Put a run into the journal whose only hunk was decided; return its task."""
    task = following_up(journal, Task(request, roots))
    run = journal.create_run(task)
    decided = tuple(attrs.evolve(hunk, state=state, comment=comment) for hunk in hunks())
    journal.save_proposal(Proposal("p" + run.id, run.id, decided, Evidence(Verdict.VERIFIED, "", "")))
    journal.set_state(run.id, RunState.PROPOSED)
    return task


def comments(journal: SqliteJournal, request: str, roots: tuple[str, ...] = ("/w",)) -> list[str]:
    return [change.comment for change in following_up(journal, Task(request, roots)).refused]


def test_the_next_run_is_told_what_was_rejected(journal: SqliteJournal) -> None:
    reviewed(journal, "fix it", HunkState.REJECTED, "keep the sign")

    assert comments(journal, "do it in another way") == ["keep the sign"]
    assert comments(journal, "anything", roots=("/other",)) == []


@pytest.mark.parametrize("state", [HunkState.ACCEPTED, HunkState.PENDING, HunkState.SUPERSEDED])
def test_only_what_was_rejected_is_a_constraint(journal: SqliteJournal, state: HunkState) -> None:
    reviewed(journal, "fix it", state, "fine")

    assert comments(journal, "fix it") == []


def test_a_chain_of_follow_ups_forgets_nothing_and_the_same_request_remembers(journal: SqliteJournal) -> None:
    reviewed(journal, "fix it", HunkState.REJECTED, "one")
    reviewed(journal, "again", HunkState.REJECTED, "two")
    assert sorted(comments(journal, "third")) == ["one", "two"]
    reviewed(journal, "third", HunkState.ACCEPTED)
    reviewed(journal, "something else", HunkState.ACCEPTED, roots=("/w",))
    for _ in range(2):
        journal.create_run(Task("far away", ("/w",)))

    assert comments(journal, "unrelated") == []
    assert comments(journal, "Fix  it") == ["one"]


def test_the_same_hunk_is_known_again_wherever_it_stands_now(journal: SqliteJournal) -> None:
    task = attrs.evolve(
        Task("x", ("/w",)), refused=following_up(journal, reviewed(journal, "x", HunkState.REJECTED)).refused
    )
    moved = FileChange(PATH, b"# typed\n" + BEFORE.encode(), b"# typed\n" + AFTER.encode())
    other = FileChange(PATH, BEFORE.encode(), BEFORE.replace("return x", "return x + 1").encode())

    assert is_refused(task, EditSet((moved,)))
    assert not is_refused(task, EditSet((other,)))
    assert not is_refused(Task("x", ("/w",)), EditSet((moved,)))


def test_the_model_reads_the_rejected_hunk_and_the_comment(journal: SqliteJournal) -> None:
    reviewed(journal, "fix it", HunkState.REJECTED, "keep the\nsign")
    heard: list[str] = []

    def plan(messages: Sequence[Message], tools: Sequence[ToolSpec], _: Cancellation) -> Completion:
        heard.append(messages[1].content)
        if tools and tools[-1].name == "submit_score":
            request = ToolRequest("1", "submit_score", {"score": 9})
        else:
            request = ToolRequest("1", "submit_plan", {"entries": [{"intent": "Another way"}]})
        return Completion(Message("assistant", "", (request,)), "toolCalls")

    model = ScriptedModel(iter([plan, plan, plan, plan]), "planner")
    # An address where no engine listens: planning needs none.
    sandbox = DockerSandbox(SandboxSettings(docker_host="unix:///nowhere/docker.sock"))
    verifier = SandboxVerifier(sandbox)
    tools = make_tools(Settings(), verifier, sandbox, str)
    agent = Agent(Services(journal, verifier, sandbox, Gate, str, tools, model=model))
    planned = agent.plan(Task("another way", ("/w",)), Snapshot(("/w",)), Cancellation())

    assert "Do not propose them again" in heard[0]
    assert "In cart.py: The user says: keep the sign" in heard[0]
    assert "-    return x\n+    return -x" in heard[0]
    assert [c.comment for c in journal.run(planned.run_id).task.refused] == ["keep the\nsign"]
