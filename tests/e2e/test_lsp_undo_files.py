"""`agent/undo` of more than text: mode bits, files made, removed and moved, in an editor's session."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from lsp_desk import Desk, desk

from greenline.app import open_checkpoints, open_journal
from greenline.config.settings import Settings
from greenline.core.edit import FileChange
from greenline.edit.write import Occasion, apply_changes

pytestmark = pytest.mark.asyncio


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def save(here: Desk) -> None:
    """Write every buffer to its file, as the user would."""
    for uri, text in here.editor.texts.items():
        Path(uri.removeprefix("file://")).write_text(text)


def capabilities(operations: list[str]) -> dict[str, Any]:
    edits = {"documentChanges": True, "resourceOperations": operations}
    return {
        "workspace": {"applyEdit": True, "workspaceEdit": edits},
        "general": {"positionEncodings": ["utf-32"]},
    }


@pytest.mark.parametrize("operations", [["create", "delete"], []])
async def test_a_deleted_program_comes_back_with_its_mode(tmp_path: Path, operations: list[str]) -> None:
    async with desk(tmp_path, {"run.sh": None}, capabilities(operations)) as here:
        path = here.root / "run.sh"
        path.write_text("echo\n")
        path.chmod(0o750)
        await here.accept(await here.propose())
        assert not path.exists()

        undone = await here.undo()
        save(here)

        assert undone["conflicts"] == []
        assert (path.read_text(), mode(path)) == ("echo\n", 0o750)
        await here.undo()
        assert not path.exists()


@pytest.mark.parametrize("operations", [["create", "delete"], []])
@pytest.mark.parametrize(
    "data", [b"# coding: latin-1\nx = '\xe9'\n", b"\xff\xfea\x00\r\x00\n\x00", b"\xef\xbb\xbfx\n"]
)
async def test_a_deleted_file_comes_back_with_its_bytes(
    tmp_path: Path, operations: list[str], data: bytes
) -> None:
    async with desk(tmp_path, {"old.py": None}, capabilities(operations)) as here:
        path = here.root / "old.py"
        path.write_bytes(data)
        await here.accept(await here.propose())
        assert not path.exists()

        undone = await here.undo()

        assert undone["conflicts"] == []
        assert path.read_bytes() == data


async def test_mode_bits_that_were_accepted_go_back_and_forth(tmp_path: Path) -> None:
    async with desk(tmp_path, {"run.sh": "echo 2\n"}, modes={"run.sh": 0o755}) as here:
        path = here.root / "run.sh"
        path.write_text("echo\n")
        path.chmod(0o644)
        uri = here.editor.open(path, "echo\n")
        seen = []
        for step in (None, {}, {}):
            if step is None:
                await here.accept(await here.propose())
            else:
                assert (await here.undo(**step))["conflicts"] == []
            seen.append((here.editor.texts[uri], mode(path)))

        assert seen == [("echo 2\n", 0o755), ("echo\n", 0o644), ("echo 2\n", 0o755)]


async def test_mode_bits_alone_are_accepted_and_undone_without_an_edit(tmp_path: Path) -> None:
    async with desk(tmp_path, {"run.sh": "echo\n"}, modes={"run.sh": 0o755}) as here:
        path = here.root / "run.sh"
        path.write_text("echo\n")
        path.chmod(0o600)
        uri = here.editor.open(path, "# typed\necho\n")
        proposal = await here.propose()

        result = await here.accept(proposal, len(proposal["hunks"]) - 1)
        accepted = mode(path)
        undone = await here.undo()

        assert result["conflicts"] == []
        assert (accepted, mode(path)) == (0o755, 0o600)
        assert undone["restored"] == [uri]


async def test_a_moved_program_goes_back_with_its_mode_and_its_text(tmp_path: Path) -> None:
    files: dict[str, str | None] = {"new.sh": "echo\n", "old.sh": None}
    async with desk(tmp_path, files, modes={"new.sh": 0o755}) as here:
        old, new = here.root / "old.sh", here.root / "new.sh"
        old.write_text("echo\n")
        old.chmod(0o755)
        await here.accept(await here.propose())
        save(here)
        assert (old.exists(), mode(new)) == (False, 0o755)

        undone = await here.undo()
        save(here)

        assert undone["conflicts"] == []
        assert (new.exists(), old.read_text(), mode(old)) == (False, "echo\n", 0o755)


async def test_a_made_file_that_the_user_went_on_with_stays(tmp_path: Path) -> None:
    async with desk(tmp_path, {"new.txt": "new\n"}) as here:
        path = here.root / "new.txt"
        await here.accept(await here.propose())
        here.editor.type(path.as_uri(), "new\nmine\n")
        save(here)

        undone = await here.undo()

        assert undone["restored"] == []
        assert [c["uri"] for c in undone["conflicts"]] == [path.as_uri()]
        assert path.read_text() == "new\nmine\n"


async def test_what_the_command_line_did_to_modes_and_files_is_undone_in_the_editor(tmp_path: Path) -> None:
    async with desk(tmp_path, {}) as here:
        old, run, new = (here.root / name for name in ("old.txt", "run.sh", "new.txt"))
        old.write_text("old\n")
        run.write_text("echo\n")
        run.chmod(0o644)
        root = str(here.root.resolve())
        journal = open_journal(root)
        changes = [
            FileChange(str(old), b"old\n", None),
            FileChange(str(run), b"echo\n", b"echo 2\n", mode=0o755),
            FileChange(str(new), None, b"new\n"),
        ]
        apply_changes(changes, (root,), open_checkpoints(root, journal, Settings()), Occasion("applied"))
        journal.close()

        undone = await here.undo()
        save(here)

        assert undone["conflicts"] == []
        assert (old.read_text(), run.read_text(), mode(run)) == ("old\n", "echo\n", 0o644)
        assert not new.exists()
