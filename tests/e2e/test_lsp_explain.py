"""An accepted hunk is explained by another server, weeks later: edited above, moved by git, not rewritten."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lsp_desk import Desk, desk

pytestmark = pytest.mark.asyncio

BEFORE = """\
import math

RATE = 0.2


def price(amount):
    return amount * RATE


def total(amounts):
    return sum(amounts)
"""
AFTER = BEFORE.replace("amount * RATE", "amount * (1 + RATE)")
LINE = 6
"""Of the accepted line in `AFTER`."""


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL)


async def hover(here: Desk, uri: str, line: int) -> str | None:
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 4}}
    found = await here.server.result("textDocument/hover", params)
    return None if found is None else str(found["contents"]["value"])


async def explained(here: Desk, uri: str) -> list[int]:
    """Return the lines about which hover says something."""
    n_lines = here.editor.texts[uri].count("\n")
    return [line for line in range(n_lines) if await hover(here, uri, line) is not None]


async def test_it_is_explained_after_a_restart_edits_and_a_move_and_not_once_it_is_rewritten(
    tmp_path: Path,
) -> None:
    (tmp_path / "ws").mkdir()
    git(tmp_path / "ws", "init", "-q")
    async with desk(tmp_path, {"shop.py": AFTER}) as here:
        path = here.root / "shop.py"
        path.write_text(BEFORE)
        uri = here.editor.open(path, BEFORE)
        proposal = await here.propose()
        await here.accept(proposal)
        assert here.editor.texts[uri] == AFTER
        assert await explained(here, uri) == [LINE]
        path.write_text("# A licence.\n\n" + AFTER)
    git(path.parent, "add", "-A")
    git(path.parent, "commit", "-q", "-m", "the change")

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        text = await hover(here, uri, LINE + 2)
        assert await explained(here, uri) == [LINE + 2]
        place = {"textDocument": {"uri": uri}, "position": {"line": LINE + 2, "character": 0}}
        told = await here.server.result("agent/explain", place)
        nowhere = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        nothing = await here.server.result("agent/explain", nowhere)
        git(path.parent, "mv", "shop.py", "store.py")
        git(path.parent, "commit", "-q", "-m", "a move")
        moved = here.editor.open(
            path.with_name("store.py"), "# More.\n" + path.with_name("store.py").read_text()
        )
        assert await explained(here, moved) == [LINE + 3]
        here.editor.type(
            moved, here.editor.texts[moved].replace("amount * (1 + RATE)", "round(gross(amount), 2)")
        )
        assert await explained(here, moved) == []

    assert text is not None
    assert "accepted 20" in text
    assert "+    return amount * (1 + RATE)" in text
    assert f"Run `{proposal['runId']}` (no model was asked): change" in text
    assert (told["hunkId"], told["runId"]) == (proposal["hunks"][0]["id"], proposal["runId"])
    assert "Nothing is known about line 1" in nothing["markdown"]
    assert "hunkId" not in nothing
