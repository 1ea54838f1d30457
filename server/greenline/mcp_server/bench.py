"""What the tools do, each one call of the core: on the files as they are, and never writing to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import attrs

from greenline.agent.agent import Agent
from greenline.core.agent_port import Question
from greenline.core.cancel import Cancellation
from greenline.core.edit import Hunk
from greenline.core.error import InvalidInput
from greenline.core.event import Event, EventKind
from greenline.core.port import Limits, Progress, Sandbox, Verifier, VerifyRequest
from greenline.core.task import Proposal, Task
from greenline.edit.hunk import apply_hunks, diff_text
from greenline.guard.gate import Gate
from greenline.index.retrieve.hit import hit_json, kinds_of
from greenline.index.retrieve.retriever import Filter, Found
from greenline.lsp.session import Listener, Session
from greenline.mcp_server.tool import EXPLAIN, REPAIR, SEARCH, VERIFY
from greenline.verify.hunk_coverage import hunks_of
from greenline.verify.patch import GatedPatch, patch_bytes, read_patch
from greenline.verify.summary import evidence_json
from greenline.workspace.snapshot import Snapshot

Arguments = Mapping[str, Any]
_LIMIT = 10


@attrs.frozen
class Measuring:
    """A verifier, and the sandbox that it works in."""

    sandbox: Sandbox
    verifier: Verifier
    limits: Limits


@attrs.frozen
class Bench:
    """The parts that the tools use, for one project; each is made when it is first needed, and let go of."""

    root: str
    measuring: Callable[[], Measuring]
    search: Callable[[str, Filter], Found]
    """Searches the index once it is up to date; blocking."""
    agent: Callable[[], Agent]
    """Makes an agent whose only strategy is the repair engine."""
    session: Callable[[Listener], Session]
    """Opens what an editor's server knows of the project, for the event loop that is running."""


def verify(bench: Bench, arguments: Arguments, cancellation: Cancellation, progress: Progress) -> Any:
    """Return the evidence for a patch, as `greenline verify --json` prints it."""
    root = bench.root
    snapshot, gate = Snapshot((root,)), Gate((root,))
    diff = _patch(root, gate, arguments)
    patch = GatedPatch.of_diff(diff, snapshot.read_bytes, root, gate.may_stage)
    patch.check()
    hunks = hunks_of(patch.edit_set)
    measuring = bench.measuring()
    request = VerifyRequest(
        root, snapshot.tree(root, gate), patch.edit_set, hunks, limits=measuring.limits, label="verify"
    )
    try:
        evidence = patch.told(measuring.verifier.verify(request, cancellation, progress))
    finally:
        measuring.sandbox.close()
    return evidence_json(evidence, hunks, root)


def _patch(root: str, gate: Gate, arguments: Arguments) -> str:
    if ("patch" in arguments) == ("patchPath" in arguments):
        raise InvalidInput("verify needs either patch or patchPath.", remedy="Give one of the two.")
    if "patch" in arguments:
        return str(arguments["patch"])
    path = Path(root) / arguments["patchPath"]
    real = path.resolve()
    if real.is_relative_to(root) and not gate.may_stage(str(real.relative_to(root))):
        raise InvalidInput(f"{path} looks like a file of secrets.", remedy="Name the file of a patch.")
    return read_patch(patch_bytes(str(path)), str(path))


def search(bench: Bench, arguments: Arguments, cancellation: Cancellation, progress: Progress) -> Any:
    """Return the hits of a search, as `greenline search --json` prints them."""
    words = arguments["query"]
    if not words.strip():
        raise InvalidInput("The query is empty.", remedy="Say what to find.")
    wanted = Filter(
        arguments.get("limit", _LIMIT), kinds_of(arguments.get("kinds", ())), arguments.get("path", "")
    )
    progress("Bringing the index up to date.")
    found = bench.search(words, wanted)
    cancellation.raise_if_cancelled()
    return {
        "hits": [hit_json(hit, (bench.root,)) for hit in found.hits],
        "completeness": round(found.completeness, 4),
    }


def repair(bench: Bench, arguments: Arguments, cancellation: Cancellation, progress: Progress) -> Any:
    """Return the repair engine's proposal as a diff with its evidence, or why there is none."""
    root = bench.root
    tests = arguments.get("tests", [])
    which = f"tests {', '.join(tests)}" if tests else "tests"
    agent = bench.agent()
    journal = agent.services.journal

    def on_event(event: Event) -> None:
        if event.kind is EventKind.COMMAND:
            progress(str(event.data["text"]))

    journal.on_event = on_event
    snapshot = Snapshot((root,))
    try:
        task = Task(f"Make the failing {which} pass.", (root,))
        run = journal.run(agent.execute(task, snapshot, cancellation))
    finally:
        agent.close()
        journal.close()
    proposal = run.proposal
    value: dict[str, Any] = {"runId": run.id, "state": run.state.value, "note": run.note}
    if proposal is None:
        return {**value, "diff": "", "evidence": None, "alternatives": []}
    return {
        **value,
        "proposalId": proposal.id,
        "diff": proposal_diff(proposal, root, snapshot),
        "evidence": evidence_json(proposal.evidence, proposal.hunks, root),
        "alternatives": list(proposal.alternatives),
    }


def proposal_diff(proposal: Proposal, root: str, snapshot: Snapshot) -> str:
    """Return a proposal as one unified diff over the texts that it was made against."""
    by_path: dict[str, list[Hunk]] = {}
    for hunk in proposal.hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    return "".join(_file_diff(path, by_path[path], root, snapshot) for path in sorted(by_path))


def _file_diff(path: str, hunks: list[Hunk], root: str, snapshot: Snapshot) -> str:
    name = str(Path(path).relative_to(root))
    if hunks[0].op == "create":
        return diff_text(name, None, hunks[0].after)
    before = snapshot.read_text(path).text
    return diff_text(name, before, None if hunks[0].op == "delete" else apply_hunks(before, hunks))


class _Silent:
    """Implements `Listener` for nobody."""

    def on_event(self, event: Event) -> None:
        """Tell nobody."""

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """Tell nobody."""

    def on_question(self, run_id: str, question: Question) -> None:
        """Tell nobody."""

    def on_hidden(self, paths: Collection[str]) -> None:
        """Nothing to take away: hunks are shown once."""

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """Tell nobody."""


def explain(bench: Bench, arguments: Arguments, cancellation: Cancellation, progress: Progress) -> Any:
    """Return what is known about a line, as `agent/explain` does."""
    # It brings along the types of the other protocol, which nothing else here needs.
    from greenline.lsp.work import explain_lines

    path, line = str(Path(bench.root) / arguments["path"]), arguments["line"] - 1

    async def look() -> Any:
        session = bench.session(_Silent())
        try:
            await session.start()
            return await explain_lines(session, path, line, line)
        finally:
            await session.stop()
            session.journal.close()

    found = asyncio.run(look())
    value: dict[str, Any] = {"markdown": found.markdown}
    return value if found.hunk_id is None else {**value, "hunkId": found.hunk_id}


Work = Callable[[Bench, Arguments, Cancellation, Progress], Any]
TOOLS: Mapping[str, Work] = {
    VERIFY.spec.name: verify,
    SEARCH.spec.name: search,
    REPAIR.spec.name: repair,
    EXPLAIN.spec.name: explain,
}
"""Name → what it does; blocking, on a thread of its own."""
