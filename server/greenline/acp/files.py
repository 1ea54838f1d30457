"""The client's files as the place where accepted hunks land.

Invariants: only an accept leads here; all edits are made or none; and a file that the client has unsaved
changes of is written by nobody but the client.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Literal

from acp import RequestError

from greenline.acp.link import Link
from greenline.core.document import OpenDocument
from greenline.lsp.decision import reads_alike
from greenline.lsp.disk import is_utf8, saved_text, write_own
from greenline.lsp.review import FileEdit
from greenline.lsp.session import Session


class ClientFiles:
    """Implements `Editor` over one session's client; for one event loop."""

    def __init__(self, link: Link, session: Session) -> None:
        self._link = link
        self._session = session
        self._untold: dict[str, str] = {}
        """Path → why the client does not tell what it has of a file that there is."""

    async def refresh(self, paths: Iterable[str]) -> None:
        """Ask the client for files, so that its unsaved changes lie over the disk."""
        if not self._link.abilities.can_read:
            return
        for path in dict.fromkeys(paths):
            self._session.require_inside(path)
            saved = await asyncio.to_thread(saved_text, path)
            self._untold.pop(path, None)
            try:
                text = await self._link.read(path)
            except RequestError as error:
                text = None
                if saved is not None:
                    # What is saved can be read, and must not be written: the client may hold more.
                    self._untold[path] = str(error)
            if text is None or (saved is not None and reads_alike(text, saved.text)):
                self._session.close_document(path)
            elif text or saved is not None:
                # A client may answer with nothing for a file that there is not.
                self._session.put_document(OpenDocument(path, None, text))

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        """Apply all edits or none; return what failed, or the empty string."""
        written: list[FileEdit] = []
        # What is deleted is deleted last, so that it never has to be made again.
        for edit in sorted(edits, key=lambda edit: edit.op == "delete"):
            if not edit.changes_text:
                continue
            failure = await self._write(edit)
            if failure:
                for done in reversed(written):
                    await self._write(_inverse(done))
                await self.refresh(edit.path for edit in edits)
                return failure
            written.append(edit)
        await self.refresh(edit.path for edit in edits)
        return ""

    def late_answer(self) -> None:
        """Say that no answer comes late: each file's is waited for."""

    async def _write(self, edit: FileEdit) -> str:
        if (why := self._untold.get(edit.path)) is not None:
            words = f"The client does not tell whether {edit.path} has unsaved changes ({why})"
            return f"{words}; save it, and try again."
        is_unsaved = self._session.is_open(edit.path)
        if edit.op == "delete":
            if is_unsaved:
                return f"{edit.path} has unsaved changes in the client; save or discard them first."
            return await asyncio.to_thread(write_own, edit)
        if edit.op == "create" and await asyncio.to_thread(os.path.lexists, edit.path):
            return f"{edit.path} exists by now."
        saved = await asyncio.to_thread(saved_text, edit.path)
        # A client writes UTF-8: a file in another encoding keeps its bytes only where they are written here.
        is_plain = edit.is_for_editors if saved is None else is_utf8(saved)
        if self._link.abilities.can_write and (is_plain or is_unsaved):
            if await self._is_typed_in(edit):
                return f"{edit.path} was changed in the client meanwhile."
            return await self._link.write(edit.path, edit.new_text)
        if is_unsaved:
            return (
                f"{edit.path} has unsaved changes in the client, which cannot write files; save them first."
            )
        return await asyncio.to_thread(write_own, edit)

    async def _is_typed_in(self, edit: FileEdit) -> bool:
        """Return whether the client has another text by now than the edit was made against."""
        if edit.op != "edit" or not self._link.abilities.can_read:
            return False
        try:
            text = await self._link.read(edit.path)
        except RequestError:
            return True
        return text is not None and not reads_alike(text, edit.old_text)


def _inverse(edit: FileEdit) -> FileEdit:
    """Return the edit that takes back one that wrote a file."""
    op: Literal["edit", "delete"] = "edit" if edit.op == "edit" else "delete"
    return FileEdit(edit.path, op, edit.new_text, edit.old_text, None, form=edit.form)
