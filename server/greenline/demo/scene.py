"""One scene of the demonstration: from a request to the accepted edit, all over the protocol."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError
from greenline.core.evidence import Evidence
from greenline.core.wire import from_json
from greenline.demo.editor import Editor
from greenline.edit.hunk import apply_hunks, diff_text
from greenline.sandbox.package_data import sandbox_folder
from greenline.workspace.git import git_environment
from greenline.workspace.program import find_program

_WORK_S = 900.0

REPAIR_REQUEST = "make the failing tests pass"
FEATURE_REQUEST = (
    "Add a method reminder_fee(today) to Invoice: 0 cents while it is not overdue, 500 cents from the "
    "first day on which it is, and add tests for it."
)


@attrs.frozen
class Scene:
    """What a scene came to, as the server told it."""

    evidence: Evidence | None
    """None where there is no proposal."""
    diffs: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    hunks: tuple[dict[str, Any], ...] = ()
    applied: int = 0
    buffers: dict[str, str] = attrs.field(factory=dict)
    """Relative path → the buffer after the accept."""
    note: str = ""
    code: str = ""
    """The server's error code, where it answered with one."""
    seconds: float = 0.0


class Stage(Protocol):
    """Shows the scene while it runs."""

    def say(self, text: str) -> None:
        """Show a line."""

    def plan(self, plan: dict[str, Any]) -> None:
        """Show the plan."""

    def progress(self, text: str) -> None:
        """Show progress; called on the editor's reading thread."""


@contextmanager
def sample_project() -> Iterator[Path]:
    """Copy the sample project to a new folder under git, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="greenline-demo-") as folder:
        root = Path(folder).resolve() / "ledger"
        skipped = shutil.ignore_patterns("__pycache__", ".pytest_cache")
        shutil.copytree(sandbox_folder() / "sample", root, ignore=skipped)
        _commit(root)
        yield root


def _commit(root: Path) -> None:
    """Put the sample under git where there is git; without it the demonstration works as well.

    Nothing of the user's own configuration counts: a signature would be asked for, or hooks run.
    """
    program = find_program("git", (str(root),))
    if program is None:
        return
    environment = {**git_environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    name = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], [*name, "commit", "-q", "-m", "Ledger 1.4.0"]):
        subprocess.run(
            [program, *arguments], cwd=root, env=environment, check=False, stdin=subprocess.DEVNULL
        )


def environment_of(root: Path, *, with_model: bool) -> dict[str, str]:
    """Return the server's environment: records beside the sample, a model only on request."""
    environment = {**os.environ, "GREENLINE_STATE_DIR": str(root.parent / "state")}
    if not with_model:
        environment.pop("GREENLINE_MODEL", None)
    return environment


def play(root: Path, request: str, environment: Mapping[str, str], stage: Stage) -> Scene:
    """Ask for a change as an editor does, accept what comes, and return what happened."""
    started = time.monotonic()
    command = [sys.executable, "-P", "-m", "greenline", "serve"]
    with Editor(command, environment, _listener(stage.progress)) as editor:
        info = editor.initialize(root)["serverInfo"]
        stage.say(
            f"editor   started `greenline serve` ({info['name']} {info['version']}), opened {root.name}/"
        )
        stage.say(f"request  {request}")
        try:
            scene = _drive(editor, root, request, stage)
        except GreenlineError as error:
            scene = Scene(None, note=error.message, code=error.code)
    return attrs.evolve(scene, seconds=time.monotonic() - started)


def _drive(editor: Editor, root: Path, request: str, stage: Stage) -> Scene:
    planned = editor.request("agent/plan", {"request": request, "workDoneToken": "plan"}, _WORK_S)
    if planned.get("plan") is None:
        asked = " ".join(question["text"] for question in planned.get("questions", ()))
        return Scene(None, note=f"The agent asks: {asked}", code="needsInput")
    stage.plan(planned["plan"])
    done = editor.request("agent/execute", {"runId": planned["runId"], "workDoneToken": "execute"}, _WORK_S)
    proposal = done.get("proposal")
    if proposal is None:
        return Scene(None, note=done.get("note") or f"The run ended as {done['state']}.")
    evidence = from_json(proposal["evidence"], Evidence)
    return _accept(editor, root, proposal, evidence)


def _accept(editor: Editor, root: Path, proposal: dict[str, Any], evidence: Evidence) -> Scene:
    hunks = tuple(proposal["hunks"])
    diffs = tuple(_diff(hunk, editor, root) for hunk in hunks)
    decisions = [{"hunkId": hunk["id"], "decision": "accept"} for hunk in hunks]
    review = editor.request("agent/review", {"proposalId": proposal["id"], "decisions": decisions}, 60)
    conflicts = [item["reason"] for item in review.get("conflicts", ())]
    buffers = {str(b.path.relative_to(root)): b.text for b in editor.buffers.values()}
    return Scene(
        evidence,
        diffs,
        tuple(proposal.get("alternatives", ())),
        hunks,
        len(review.get("applied", ())),
        buffers,
        " ".join(conflicts) or proposal.get("summary", ""),
    )


def _diff(hunk: dict[str, Any], editor: Editor, root: Path) -> str:
    """Return one hunk as a diff of its whole file, so that it has context."""
    path = Path(hunk["uri"].removeprefix("file://"))
    name = str(path.relative_to(root))
    if hunk["op"] != "edit":
        before, after = (None, hunk["after"]) if hunk["op"] == "create" else (hunk["before"], None)
        return diff_text(name, before, after)
    text = editor.open(path).text
    first, last = hunk["range"]["start"]["line"], hunk["range"]["end"]["line"]
    one = Hunk("", str(path), "edit", first, last, hunk.get("before", ""), hunk.get("after", ""), "")
    return diff_text(name, text, apply_hunks(text, [one]))


def _listener(progress: Callable[[str], None]) -> Callable[[str, dict[str, Any]], None]:
    last = ""

    def listen(method: str, params: dict[str, Any]) -> None:
        nonlocal last
        if method == "$/progress":
            value = params.get("value", {})
            text = value.get("message") or value.get("title") or ""
            if text and text != last:
                last = text
                progress(text)

    return listen
