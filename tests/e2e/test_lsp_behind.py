"""Commands are answered at once for an editor that cannot wait for them, Emacs for one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lsp_desk import HERE
from lsp_driver import started
from lsp_editor import FILES, Editor

from greenline.workspace.state import state_folder

pytestmark = pytest.mark.asyncio
SAID = {"commandsInBackground": True}


@pytest.mark.parametrize(("name", "is_at_once"), [("Neovim", False), ("Eglot", True)])
async def test_who_is_answered_at_once(name: str, is_at_once: bool, tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    script = tmp_path / "script.json"
    script.write_text('{"change": {"steps": [{"do": "propose", "files": {"a.py": "a = 2\\n"}}]}}')
    command = (sys.executable, str(HERE / "scripted_server.py"), str(script), str(state_folder(str(root))))
    async with started(*command) as server:
        await server.initialize(root, capabilities=FILES, clientInfo={"name": name})
        editor = Editor(server)
        uri = editor.open(root / "a.py", "a = 1\n")

        params = {"command": "greenline.server.implement", "arguments": [{"request": "change"}]}
        result = await server.result("workspace/executeCommand", params)

        assert (result is None) is is_at_once
        proposed = await server.wait_for(lambda m: m.get("method") == "agent/proposalChanged")
        accept = {"proposalId": proposed["params"]["proposal"]["id"]}
        done = await server.result(
            "workspace/executeCommand", {"command": "greenline.server.acceptAll", "arguments": [accept]}
        )
        assert (done is None) is is_at_once
        await server.wait_for(lambda m: m.get("method") == "workspace/applyEdit")
        await server.wait_for(
            lambda m: (
                m.get("method") == "agent/proposalChanged"
                and m["params"]["proposal"]["hunks"][0]["state"] == "accepted"
            )
        )
        assert editor.texts[uri] == "a = 2\n"


async def test_what_goes_wrong_behind_is_said(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    script = tmp_path / "script.json"
    script.write_text("{}")
    command = (sys.executable, str(HERE / "scripted_server.py"), str(script), str(state_folder(str(root))))
    async with started(*command) as server:
        await server.initialize(root, initializationOptions=SAID)
        accept = {"command": "greenline.server.acceptAll", "arguments": [{"proposalId": "prop-0"}]}
        assert await server.result("workspace/executeCommand", accept) is None

        shown = await server.wait_for(lambda m: m.get("method") == "window/showMessage")
        assert "There is no proposal 'prop-0'" in shown["params"]["message"]
