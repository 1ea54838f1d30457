"""What every ACP client of the tests does: it holds buffers, and keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp import RequestError
from acp.schema import ClientCapabilities, FileSystemCapabilities, ReadTextFileResponse

FILES = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))


class ToldClient:
    """A client without a mind of its own: whoever uses it decides what is written and chosen."""

    limit_s = 60.0
    """How long `until` waits."""

    def __init__(self) -> None:
        self.buffers: dict[str, str] = {}
        """Path → unsaved text."""
        self.unread: set[str] = set()
        """Paths that the client does not read."""
        self.updates: list[dict[str, Any]] = []
        self.changed = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        """Nothing to take."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update.model_dump(mode="json", by_alias=True, exclude_none=True))
        self.changed.set()

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> ReadTextFileResponse:
        if path in self.unread:
            raise RequestError.internal_error({"reason": "busy"})
        if path in self.buffers:
            return ReadTextFileResponse(content=self.buffers[path])
        if not Path(path).exists():  # noqa: ASYNC240
            raise RequestError.resource_not_found(path)
        return ReadTextFileResponse(content=Path(path).read_text("utf-8"))  # noqa: ASYNC240

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the updates of one kind."""
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def words(self) -> str:
        """Return all that the agent said."""
        return "".join(update["content"]["text"] for update in self.of("agent_message_chunk"))

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until what came makes something so."""
        async with asyncio.timeout(self.limit_s):
            while not is_so():
                self.changed.clear()
                await self.changed.wait()
