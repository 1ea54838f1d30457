"""Work-done progress with exactly one begin and one end a token, however the work ends."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

_log = logging.getLogger(__name__)

Report = Callable[[str], None]
"""Shows one short sentence; without a token it does nothing."""


@asynccontextmanager
async def work_progress(ls: GreenlineServer, token: int | str | None, title: str) -> AsyncIterator[Report]:
    """Show progress while the block runs; cancelling it in the editor cancels the block's task.

    Uses the request's token, or creates one where the client can and does not refuse.
    """
    if token is None:
        token = await _create(ls)
    if token is None:
        yield _silent
        return
    task = asyncio.current_task()
    progress = ls.work_done_progress
    progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
    cancelled = progress.tokens[token]
    cancelled.add_done_callback(lambda f: task.cancel() if task and f.cancelled() else None)
    ended = False

    def report(message: str) -> None:
        if not ended:
            progress.report(token, types.WorkDoneProgressReport(message=message))

    closing = "failed"
    try:
        yield report
        closing = "done"
    except asyncio.CancelledError:
        closing = "cancelled"
        raise
    finally:
        ended = True
        progress.tokens.pop(token, None)
        progress.end(token, types.WorkDoneProgressEnd(message=closing))


def _silent(_: str) -> None:
    return None


async def _create(ls: GreenlineServer) -> int | str | None:
    window = ls.client_capabilities.window
    if window is None or not window.work_done_progress:
        return None
    token = f"greenline-{uuid.uuid4()}"
    try:
        await ls.work_done_progress.create_async(token)
    except JsonRpcException as refusal:
        _log.info("the client refused a progress token: %s", refusal)
        return None
    return token
