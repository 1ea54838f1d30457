"""The user's editor as the place where accepted hunks land: one versioned `workspace/applyEdit`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from greenline.lsp.convert import Encoding, Lines, to_uri
from greenline.lsp.disk import OwnFiles, is_plain
from greenline.lsp.review import FileEdit

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

_Change = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


class ClientEditor:
    """Applies edits through the client; files that it cannot create, delete or keep are written here.

    Only an accept leads here, so this is one of the few places that may write to the user's files.
    """

    def __init__(self, ls: GreenlineServer) -> None:
        self._ls = ls
        self._asking: asyncio.Task[str] | None = None

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        """Apply all edits or none; return what failed, or the empty string."""
        workspace = self._ls.client_capabilities.workspace
        can = workspace.workspace_edit if workspace else None
        operations = set(can.resource_operations or ()) if can else set()
        wanted = [edit for edit in edits if edit.changes_text]
        own = [edit for edit in wanted if _is_own(edit, operations)]
        theirs = [edit for edit in wanted if edit not in own]
        if theirs and (workspace is None or not workspace.apply_edit):
            return "The editor cannot apply edits (no workspace.applyEdit)."
        # Neovim 0.11 names resource operations, which only documentChanges can carry, but not
        # documentChanges itself; it understands both.
        versioned = bool(can and (can.document_changes or operations))
        # What is written here can be taken back, and what the client did cannot.
        files = OwnFiles()
        try:
            failure = next((failure for edit in own if (failure := files.put(edit))), "")
            if theirs and not failure:
                edit = workspace_edit(theirs, self._ls.encoding, versioned=versioned)
                # Whoever ends the wait ends no answer, which may still say that the edit was applied.
                self._asking = asyncio.create_task(self._send(label, edit), name=f"applyEdit: {label}")
                failure = await asyncio.shield(self._asking)
        except BaseException:
            files.take_back()
            raise
        if failure:
            return f"{failure} {files.take_back()}".strip()
        files.settle()
        return ""

    def late_answer(self) -> Awaitable[str] | None:
        """Return what the client will have said of the last edit that it was asked for."""
        return self._asking

    async def _send(self, label: str, edit: types.WorkspaceEdit) -> str:
        try:
            result = await self._ls.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit=edit, label=label)
            )
        except JsonRpcException as error:
            return f"The editor refused the edit: {error.message}"
        if result is None or not result.applied:
            reason = result.failure_reason if result else None
            return f"The editor did not apply the edit: {reason or 'it gave no reason'}."
        return ""


def _is_own(edit: FileEdit, operations: Collection[str]) -> bool:
    """Return whether an edit is made here: the client has no such operation, or would spoil a closed file."""
    if edit.op != "edit":
        return not edit.is_for_editors or types.ResourceOperationKind(edit.op) not in operations
    return edit.version is None and not is_plain(edit.path)


def workspace_edit(edits: list[FileEdit], encoding: Encoding, *, versioned: bool) -> types.WorkspaceEdit:
    """Return the edit as LSP has it; plain `changes` only for clients without document changes."""
    if not versioned and all(edit.op == "edit" for edit in edits):
        return types.WorkspaceEdit(changes={to_uri(e.path): _text_edits(e, encoding) for e in edits})
    changes: list[_Change] = []
    for edit in edits:
        uri = to_uri(edit.path)
        if edit.op == "delete":
            changes.append(
                types.DeleteFile(uri=uri, options=types.DeleteFileOptions(ignore_if_not_exists=False))
            )
            continue
        if edit.op == "create":
            options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
            changes.append(types.CreateFile(uri=uri, options=options))
        document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=edit.version)
        if edit.new_text or edit.op == "edit":
            changes.append(types.TextDocumentEdit(document, [*_text_edits(edit, encoding)]))
    return types.WorkspaceEdit(document_changes=changes)


def _text_edits(edit: FileEdit, encoding: Encoding) -> list[types.TextEdit]:
    lines = Lines.of(edit.old_text, encoding)
    return [
        types.TextEdit(types.Range(lines.position(r.start), lines.position(r.end)), r.text)
        for r in edit.replacements
    ]
