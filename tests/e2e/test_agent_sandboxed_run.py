"""The run loop over the real sandbox: a first attempt fails, a second with more files and a test passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from greenline.agent.agent import Agent
from greenline.agent.services import AskPermission, Services, ToolOutcome
from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import Completion, Message, ToolRequest, ToolSpec
from greenline.core.task import RunState, StopReason, Task
from greenline.guard.gate import Gate
from greenline.journal.store import SqliteJournal
from greenline.workspace.snapshot import Snapshot, StageGate

CART = "def total(prices):\n    return sum(prices)\n"
TEST_CART = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
NEW_TEST = """from cart import total
from discount import reduced


def test_total():
    assert total([1, 2]) == 3


def test_discount():
    assert total([reduced(10, 50), 1]) == 6


def test_nothing():
    assert reduced(10, 0) == 10
"""


def say(text: str) -> Completion:
    return Completion(Message("assistant", text), "stop")


def call(name: str, **arguments: Any) -> Completion:
    return Completion(Message("assistant", "", (ToolRequest("c", name, arguments),)), "toolCalls")


class Script:
    """A model that answers from a list."""

    name = "script"

    def __init__(self, *steps: Completion) -> None:
        self.steps = list(steps)
        self.heard: list[Sequence[Message]] = []

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        self.heard.append(messages)
        return self.steps.pop(0)


@attrs.define
class Staged:
    """One tool that writes, over a dictionary."""

    snapshot: Snapshot
    files: dict[str, bytes] = attrs.field(factory=dict)

    def specs(self, *, reading_only: bool) -> tuple[ToolSpec, ...]:
        return ()

    def kind(self, name: str) -> str:
        return "edit"

    def call(self, request: ToolRequest, cancellation: Cancellation) -> ToolOutcome:
        path = f"{self.snapshot.roots[0]}/{request.arguments['path']}"
        self.files[path] = request.arguments["text"].encode()
        return ToolOutcome("written")

    def edit_set(self) -> EditSet:
        read = self.snapshot.read_bytes
        return EditSet(tuple(FileChange(p, read(p), a) for p, a in sorted(self.files.items())))


def test_second_attempt_over_several_files_is_verified(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "conftest.py").write_text("")
    (root / "cart.py").write_text(CART)
    (root / "tests" / "test_cart.py").write_text(TEST_CART)
    model = Script(
        call(
            "submit_plan",
            entries=[
                {
                    "intent": "Reduce a price by a percentage",
                    "files": ["discount.py", "cart.py"],
                    "checks": ["tests/test_cart.py::test_discount"],
                }
            ],
        ),
        call("submit_score", score=9),
        call("write", path="discount.py", text="def reduced(price, percent):\n    return price - percent\n"),
        call("write", path="tests/test_cart.py", text=NEW_TEST),
        say("First attempt."),
        call(
            "write",
            path="discount.py",
            text="def reduced(price, percent):\n    return price * (100 - percent) / 100\n",
        ),
        call("write", path="cart.py", text=CART.replace("sum(prices)", "sum(prices, 0)")),
        say("Adds reduced() and its test."),
    )
    journal = SqliteJournal(tmp_path / "journal.db")
    sandbox = make_sandbox(Settings())

    def tools(snapshot: Snapshot, gate: StageGate, ask: AskPermission, run_id: str) -> Staged:
        return Staged(snapshot)

    services = Services(journal, make_verifier(sandbox), sandbox, Gate, str, tools, model=model)
    task = Task("add a discount", (str(root),))

    run_id = Agent(services).execute(task, Snapshot((str(root),)), Cancellation())

    run = journal.run(run_id)
    assert run.state is RunState.PROPOSED, run.note
    assert run.proposal is not None
    assert run.proposal.stop_reason is StopReason.DONE
    assert run.proposal.evidence.verdict is Verdict.VERIFIED, run.proposal.evidence.detail
    assert sorted({Path(h.path).name for h in run.proposal.hunks}) == [
        "cart.py",
        "discount.py",
        "test_cart.py",
    ]
    assert run.proposal.evidence.touches_tests
    assert "test_discount" in model.heard[5][-1].content
    assert (root / "cart.py").read_text() == CART
    journal.close()
