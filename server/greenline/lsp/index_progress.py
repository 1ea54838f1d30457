"""Shows the index's first look at the files as work-done progress; cancelling it pauses the index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from greenline.core.index_port import IndexStatus
from greenline.lsp.progress import work_progress

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

_SHOWN_S = 1.0
"""What is over sooner is not shown."""


class IndexProgress:
    """Follows the index of one editor."""

    def __init__(self, ls: GreenlineServer) -> None:
        self._ls = ls
        self._status = IndexStatus("off")
        self._changed = asyncio.Event()
        self._is_shown = False

    def show(self, status: IndexStatus) -> None:
        """Take what the index says of itself."""
        before, self._status = self._status, status
        self._changed.set()
        if status.state != before.state or status.role != before.role or status.note != before.note:
            self._ls.publisher.status_changed()
        if status.state == "scanning" and status.role == "writer" and not self._is_shown:
            self._is_shown = True
            self._ls.supervisor.start(self._follow(), "show the index's progress")

    async def _follow(self) -> None:
        try:
            await asyncio.sleep(_SHOWN_S)
            if self._status.state == "scanning":
                await self._report()
        finally:
            self._is_shown = False

    async def _report(self) -> None:
        try:
            async with work_progress(self._ls, None, "Greenline: indexing") as report:
                while self._status.state in ("starting", "scanning"):
                    self._changed.clear()
                    status = self._status
                    report(f"{status.completeness:.0%}, {status.n_pending} files to go")
                    await self._changed.wait()
        except asyncio.CancelledError:
            if not self._ls.is_stopping:
                await self._ls.session.index.pause()
            raise
