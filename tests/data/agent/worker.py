"""A worker over a model that does what the request says: `hang`, `die`, `print`, or else plan."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from greenline.agent.agent import Agent
from greenline.agent.services import Services, ToolOutcome
from greenline.agent.worker import serve
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.evidence import Evidence, TestReport
from greenline.core.port import (
    Completion,
    Message,
    Progress,
    SandboxHealth,
    SandboxRequest,
    SandboxResult,
    ToolRequest,
    ToolSpec,
    Tree,
    VerifyRequest,
)
from greenline.journal.store import SqliteJournal
from greenline.model.scripted_model import ScriptedModel
from greenline.tool.definition import Asking
from greenline.workspace.snapshot import Snapshot, StageGate


def obey(messages: Sequence[Message], tools: Sequence[ToolSpec], cancellation: Cancellation) -> Completion:
    """Do what the request says, then plan or judge."""
    request = messages[1].content
    if "hang" in request:
        cancellation.wait(60)
        cancellation.raise_if_cancelled()
    if "die" in request:
        os._exit(9)
    if "print" in request:
        print("noise that is no line of ours")
        os.write(1, b"more noise\n")
        subprocess.run([sys.executable, "-c", "print('noise of a child')"], check=True)
    if tools and tools[-1].name == "submit_score":
        return Completion(
            Message("assistant", "", (ToolRequest("1", "submit_score", {"score": 9}),)), "toolCalls"
        )
    plan = {"entries": [{"intent": "do it \ud83d\ude00"}]}
    return Completion(Message("assistant", "", (ToolRequest("1", "submit_plan", plan),)), "toolCalls")


class Nothing:
    """Every other part, with nothing in it."""

    def specs(self, *, reading_only: bool) -> tuple[ToolSpec, ...]:
        return ()

    def kind(self, name: str) -> str:
        return "other"

    def call(self, request: ToolRequest, cancellation: Cancellation) -> ToolOutcome:
        return ToolOutcome("")

    def edit_set(self) -> EditSet:
        return EditSet()

    def may_stage(self, relative: str) -> bool:
        return True

    def health(self) -> SandboxHealth:
        return SandboxHealth(False, "docker", problem="There is no engine.", remedy="Start one.")

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        raise NotImplementedError

    def run_tests(
        self, root: str, tree: Tree, tests: Sequence[str], label: str, cancellation: Cancellation
    ) -> TestReport:
        raise NotImplementedError

    def verify(self, request: VerifyRequest, cancellation: Cancellation, progress: Progress) -> Evidence:
        raise NotImplementedError


def build() -> Agent:
    nothing = Nothing()

    def tools(snapshot: Snapshot, gate: StageGate, asking: Asking, run_id: str) -> Nothing:
        return nothing

    journal = SqliteJournal(Path(sys.argv[1]))
    return Agent(Services(journal, nothing, nothing, lambda roots: nothing, str, tools, model=ScriptedModel(itertools.repeat(obey), "obedient")))


sys.exit(serve(build))
