"""An edit that goes partly through the client and partly to the disk: all of it, or nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from greenline.lsp.convert import Encoding
from greenline.lsp.editor import ClientEditor
from greenline.lsp.review import FileEdit, Replacement
from greenline.workspace.encoding import decode

pytestmark = pytest.mark.asyncio


class Client:
    """An editor without create and delete; it says yes unless it is told what to do."""

    def __init__(self, root: Path, answer: BaseException | bool = True) -> None:
        self.root, self.answer = root, answer
        self.sent: list[types.WorkspaceEdit] = []
        self.encoding = Encoding("utf-16")
        edits = types.WorkspaceEditClientCapabilities(document_changes=True)
        workspace = types.WorkspaceClientCapabilities(apply_edit=True, workspace_edit=edits)
        self.client_capabilities = types.ClientCapabilities(workspace=workspace)

    async def workspace_apply_edit_async(
        self, params: types.ApplyWorkspaceEditParams
    ) -> types.ApplyWorkspaceEditResult:
        if isinstance(self.answer, BaseException):
            raise self.answer
        self.sent.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=self.answer)

    async def apply(self, *edits: FileEdit) -> str:
        server: Any = SimpleNamespace(
            encoding=self.encoding,
            client_capabilities=self.client_capabilities,
            workspace_apply_edit_async=self.workspace_apply_edit_async,
        )
        return await ClientEditor(server).apply("label", edits)

    def edit(self, name: str, old: str, new: str, version: int | None = 1) -> FileEdit:
        return FileEdit(f"{self.root}/{name}", "edit", old, new, version, (Replacement(0, len(old), new),))

    def create(self, name: str, text: str) -> FileEdit:
        return FileEdit(f"{self.root}/{name}", "create", "", text, None, (Replacement(0, 0, text),))

    def delete(self, name: str, text: str) -> FileEdit:
        return FileEdit(f"{self.root}/{name}", "delete", text, "", None)

    def files(self) -> dict[str, bytes]:
        found = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "old.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "old.py").chmod(0o755)
    (tmp_path / "file").write_bytes(b"no folder\n")
    return tmp_path


async def test_files_of_a_client_without_operations_are_written_before_its_edit(root: Path) -> None:
    client = Client(root)

    failure = await client.apply(
        client.edit("a.py", "x\n", "y\n"),
        client.create("new/b.py", "b\n"),
        client.delete("old.py", "x = 1\r\n"),
    )

    assert failure == ""
    assert client.files() == {"file": b"no folder\n", "new/b.py": b"b\n"}
    assert len(client.sent) == 1


async def test_a_file_that_cannot_be_written_leaves_nothing_of_the_edit(root: Path) -> None:
    client = Client(root)
    before = client.files()

    failure = await client.apply(
        client.edit("a.py", "x\n", "y\n"),
        client.create("new/b.py", "b\n"),
        client.delete("old.py", "x = 1\r\n"),
        client.create("file/c.py", "c\n"),
    )

    assert "c.py could not be created" in failure
    assert (client.sent, client.files()) == ([], before)
    assert not (root / "new").exists()
    assert (root / "old.py").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("answer", [False, asyncio.CancelledError()])
async def test_an_edit_that_the_client_refuses_leaves_nothing_on_the_disk(
    root: Path, answer: BaseException | bool
) -> None:
    client = Client(root, answer)
    (root / "latin.py").write_bytes("# é\n".encode("latin-1"))
    before = client.files()
    edits = (
        client.edit("a.py", "x\n", "y\n"),
        client.create("b.py", "b\n"),
        client.delete("old.py", "x = 1\r\n"),
        client.edit("latin.py", "# é\n", "# é!\n", None),
    )

    if isinstance(answer, BaseException):
        with pytest.raises(asyncio.CancelledError):
            await client.apply(*edits)
    else:
        assert "did not apply" in await client.apply(*edits)

    assert client.files() == before


@pytest.mark.parametrize("content", ["é\n".encode("latin-1"), "é\n".encode("utf-16"), b"a\r\nb\n", b"a\rb"])
async def test_a_closed_file_that_an_editor_would_spoil_is_written_here(root: Path, content: bytes) -> None:
    client = Client(root)
    (root / "a.txt").write_bytes(content)
    old = decode(content).text

    assert await client.apply(client.edit("a.txt", old, "new\n" + old, None)) == ""

    assert client.sent == []
    assert decode((root / "a.txt").read_bytes()).text == "new\n" + old
    assert decode((root / "a.txt").read_bytes()).encoding == decode(content).encoding


async def test_a_closed_file_that_changed_meanwhile_is_left_alone(root: Path) -> None:
    client = Client(root)
    (root / "a.txt").write_bytes("é saved\n".encode("latin-1"))

    failure = await client.apply(client.edit("a.txt", "é\n", "new\n", None))

    assert "a.txt was changed meanwhile" in failure
    assert (root / "a.txt").read_bytes() == "é saved\n".encode("latin-1")


@pytest.mark.parametrize(("content", "version"), [(b"plain\r\n", None), ("é\n".encode("latin-1"), 3)])
async def test_plain_files_and_open_buffers_are_left_to_the_client(
    root: Path, content: bytes, version: int | None
) -> None:
    client = Client(root)
    (root / "a.txt").write_bytes(content)

    assert await client.apply(client.edit("a.txt", "x", "y", version)) == ""

    assert len(client.sent) == 1
    assert (root / "a.txt").read_bytes() == content
