"""One session's line to its client: updates in order, permissions, and the client's files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import attrs
from acp import Client, RequestError
from acp.schema import AllowedOutcome, ClientCapabilities, PermissionOption, ToolCallUpdate

from greenline.acp.message import Update

_NOT_FOUND = -32002
"""The protocol's number for a file that there is not."""


@attrs.frozen
class Abilities:
    """What the client said that it can do."""

    can_read: bool = False
    can_write: bool = False

    @classmethod
    def of(cls, capabilities: ClientCapabilities | None) -> Abilities:
        """Return what capabilities mean here."""
        files = capabilities.fs if capabilities is not None else None
        if files is None:
            return cls()
        return cls(bool(files.read_text_file), bool(files.write_text_file))


class Link:
    """For one event loop. A client that is gone raises `ConnectionError`."""

    def __init__(self, client: Client, session_id: str, abilities: Abilities) -> None:
        self.session_id = session_id
        self.abilities = abilities
        self._client = client
        self._waiting: asyncio.Queue[Update] = asyncio.Queue()

    def tell(self, *updates: Update) -> None:
        """Send updates, after those that wait already."""
        for update in updates:
            self._waiting.put_nowait(update)

    async def send(self) -> None:
        """Send what waits, for ever; one task does so."""
        while True:
            update = await self._waiting.get()
            try:
                await self._client.session_update(self.session_id, update)
            finally:
                self._waiting.task_done()

    async def flush(self) -> None:
        """Wait until everything was sent that waited."""
        await self._waiting.join()

    async def permission(self, call: ToolCallUpdate, options: Sequence[PermissionOption]) -> str | None:
        """Ask the user to choose; return the option's id, or None where the client took the question back."""
        await self.flush()
        response = await self._client.request_permission(self.session_id, call, list(options))
        outcome: Any = response.outcome
        return outcome.option_id if isinstance(outcome, AllowedOutcome) else None

    async def read(self, path: str) -> str | None:
        """Return a file as the client has it, unsaved changes included; None where it has no such file.

        Raises `RequestError` where the client answers neither.
        """
        try:
            return (await self._client.read_text_file(self.session_id, path)).content
        except RequestError as error:
            if error.code == _NOT_FOUND:
                return None
            raise

    async def write(self, path: str, text: str) -> str:
        """Let the client write a file; return what failed, or the empty string."""
        try:
            await self._client.write_text_file(self.session_id, path, text)
        except RequestError as error:
            return f"The client did not write {path}: {error}."
        return ""
