"""Accepted hunks are explained weeks later: after restarts, edits, moves; and never where they are not."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

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


def rounded(amount):
    return math.floor(amount)
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


async def explained(here: Desk, uri: str, n_lines: int) -> list[int]:
    """Return the lines about which hover says something."""
    return [line for line in range(n_lines) if await hover(here, uri, line) is not None]


async def accept(folder: Path, before: str = BEFORE, after: str = AFTER) -> tuple[Path, Any]:
    """Let a first server propose, accept and save; return the file and the proposal."""
    async with desk(folder, {"shop.py": after}) as here:
        path = here.root / "shop.py"
        path.write_text(before)
        here.editor.open(path, before)
        proposal = await here.propose()
        await here.accept(proposal)
        path.write_text(here.editor.texts[path.as_uri()])
        return path, proposal


async def test_the_change_is_explained_at_once_and_after_a_restart(tmp_path: Path) -> None:
    path, proposal = await accept(tmp_path)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        text = await hover(here, uri, LINE)
        place = {"textDocument": {"uri": uri}, "position": {"line": LINE, "character": 0}}
        told = await here.server.result("agent/explain", place)

        assert text is not None
        assert "accepted 20" in text
        assert "+    return amount * (1 + RATE)" in text
        assert f"Run `{proposal['runId']}` (no model was asked): change" in text
        assert told["hunkId"] == proposal["hunks"][0]["id"]
        assert told["runId"] == proposal["runId"]
        assert await explained(here, uri, AFTER.count("\n")) == [LINE]
        nowhere = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        nothing = await here.server.result("agent/explain", nowhere)
        assert "Nothing is known about line 1" in nothing["markdown"]
        assert "hunkId" not in nothing


async def test_it_moves_along_with_edits_and_is_known_by_them_later(tmp_path: Path) -> None:
    path, _ = await accept(tmp_path)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        # All of its neighbours are rewritten while the file is open.
        text = "\n".join(
            line if n == LINE or not line else f"x{n} = {n}" for n, line in enumerate(AFTER.split("\n"))
        )
        here.editor.type(uri, "# one\n# two\n" + AFTER)
        here.editor.type(uri, "# one\n# two\n" + text)
        assert await explained(here, uri, AFTER.count("\n") + 2) == [LINE + 2]
        path.write_text(here.editor.texts[uri])
        here.server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        assert await explained(here, uri, AFTER.count("\n") + 2) == [LINE + 2]

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        assert await explained(here, uri, AFTER.count("\n") + 2) == [LINE + 2]


async def test_edits_that_no_server_saw_do_not_lose_it(tmp_path: Path) -> None:
    path, _ = await accept(tmp_path)
    path.write_text("# A licence.\n\n" + AFTER.replace("total", "summed"))

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        assert await explained(here, uri, AFTER.count("\n") + 2) == [LINE + 2]


async def test_nothing_is_said_once_its_text_was_rewritten(tmp_path: Path) -> None:
    path, _ = await accept(tmp_path)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, AFTER)
        assert await explained(here, uri, AFTER.count("\n")) == [LINE]
        here.editor.type(uri, AFTER.replace("amount * (1 + RATE)", "round(gross(amount), 2)"))
        assert await explained(here, uri, AFTER.count("\n")) == []
        here.editor.type(uri, AFTER)
        assert await explained(here, uri, AFTER.count("\n")) == [LINE]

    path.write_text(AFTER.replace("amount * (1 + RATE)", "round(gross(amount), 2)"))
    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        assert await explained(here, uri, AFTER.count("\n")) == []


async def test_an_undo_takes_the_explanation_away_and_its_undo_brings_it_back(tmp_path: Path) -> None:
    path, proposal = await accept(tmp_path)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, AFTER)
        await here.undo(proposalId=proposal["id"])
        pending = await hover(here, uri, LINE)
        assert pending is not None
        assert "accepted" not in pending
        await here.undo()
        again = await hover(here, uri, LINE)
        assert again is not None
        assert "accepted" in again


async def test_it_is_found_in_a_file_that_git_moved(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    git(tmp_path / "ws", "init", "-q")
    path, _ = await accept(tmp_path, BEFORE, AFTER)
    root = path.parent
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "the change")
    git(root, "mv", "shop.py", "store.py")
    moved = root / "store.py"

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(moved, AFTER)
        assert await explained(here, uri, AFTER.count("\n")) == [LINE]

    git(root, "commit", "-q", "-m", "a move")
    moved.write_text("# Later.\n" + AFTER)
    # The same text in a file that is no heir of it.
    (root / "copy.py").write_text(AFTER)
    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(moved, moved.read_text())
        assert await explained(here, uri, AFTER.count("\n") + 1) == [LINE + 1]
        copy = here.editor.open(root / "copy.py", AFTER)
        assert await explained(here, copy, AFTER.count("\n")) == []


@pytest.mark.parametrize("is_committed", [True, False])
async def test_of_two_places_that_are_alike_only_git_can_tell_the_one(
    tmp_path: Path, is_committed: bool
) -> None:
    (tmp_path / "ws").mkdir()
    git(tmp_path / "ws", "init", "-q")
    path, _ = await accept(tmp_path)
    if is_committed:
        git(path.parent, "add", "-A")
        git(path.parent, "commit", "-q", "-m", "the change")
    copy = "\n\nRATE = 0.2\n\n\ndef price(amount):\n    return amount * (1 + RATE)\n"
    path.write_text(AFTER.replace("RATE = 0.2", "RATE = 0.25") + copy)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(path, path.read_text())
        found = await explained(here, uri, path.read_text().count("\n"))

    assert found == ([LINE] if is_committed else [])


async def test_a_copy_without_git_is_no_heir(tmp_path: Path) -> None:
    path, _ = await accept(tmp_path)
    other = path.with_name("new.py")
    path.rename(other)

    async with desk(tmp_path, {"shop.py": None}) as here:
        uri = here.editor.open(other, AFTER)
        assert await explained(here, uri, AFTER.count("\n")) == []


async def test_all_lines_of_a_new_file_are_explained(tmp_path: Path) -> None:
    async with desk(tmp_path, {"new.py": AFTER}) as here:
        await here.accept(await here.propose())
        path = here.root / "new.py"
        path.write_text(AFTER)

    async with desk(tmp_path, {}) as here:
        uri = here.editor.open(path, "import os\n" + AFTER)
        n_lines = AFTER.count("\n")
        assert await explained(here, uri, n_lines + 1) == list(range(1, n_lines + 1))
