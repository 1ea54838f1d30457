"""A server over one workspace, whose agent proposes what a test says, with a small editor before it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
from lsp_driver import Driver, started
from lsp_editor import FILES, Editor

from greenline.workspace.state import state_folder

HERE = Path(__file__).parent


@attrs.frozen
class Desk:
    """One server over one workspace, and the editor in front of it."""

    server: Driver
    editor: Editor
    root: Path

    async def propose(self) -> Any:
        return (await self.server.result("agent/execute", {"request": "change"}))["proposal"]

    async def accept(self, proposal: Any, *numbers: int) -> Any:
        hunks = [proposal["hunks"][n] for n in numbers] if numbers else proposal["hunks"]
        decisions = [{"hunkId": hunk["id"], "decision": "accept"} for hunk in hunks]
        result = await self.server.result(
            "agent/review", {"proposalId": proposal["id"], "decisions": decisions}
        )
        assert result["conflicts"] == []
        return result

    async def undo(self, **what: str) -> Any:
        return await self.server.result("agent/undo", what)

    async def command(self, name: str, **argument: Any) -> Any:
        params = {"command": f"greenline.server.{name}", "arguments": [argument]}
        return await self.server.result("workspace/executeCommand", params)

    async def hunks(self, proposal: Any) -> list[Any]:
        """Return the hunks as the server shows them now."""
        run = (await self.server.result("agent/run", {"runId": proposal["runId"]}))["run"]
        return list(run["proposal"]["hunks"])

    async def states(self, proposal: Any) -> tuple[str, list[str]]:
        run = (await self.server.result("agent/run", {"runId": proposal["runId"]}))["run"]
        return run["state"], [hunk["state"] for hunk in run["proposal"]["hunks"]]


@contextlib.asynccontextmanager
async def desk(
    folder: Path,
    files: dict[str, str | None],
    capabilities: dict[str, Any] = FILES,
    first: tuple[dict[str, Any], ...] = (),
    **more: Any,
) -> AsyncIterator[Desk]:
    """Start a server whose agent answers `change` with the files' new texts, and more of a script's step.

    `first` are the steps of the script before that.
    """
    root = folder / "ws"
    root.mkdir(exist_ok=True)
    script = folder / "script.json"
    step = {"do": "propose", "summary": "Change", "files": files, **more}
    script.write_text(json.dumps({"change": {"steps": [*first, step]}}))
    state = str(state_folder(str(root)))
    async with started(sys.executable, str(HERE / "scripted_server.py"), str(script), state) as server:
        await server.initialize(root, capabilities=capabilities)
        yield Desk(server, Editor(server), root)
