"""Commands that steer the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from greenline.core.index_port import IndexStatus

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


async def pause_index(ls: GreenlineServer, *_: Any) -> IndexStatus:
    """Let the index rest; searches go on."""
    await ls.session.index.pause()
    return ls.session.index_status()


async def resume_index(ls: GreenlineServer, *_: Any) -> IndexStatus:
    """Let the index go on."""
    await ls.session.index.resume()
    return ls.session.index_status()


INDEX_COMMANDS = {"pauseIndex": pause_index, "resumeIndex": resume_index}
"""Command without its prefix → handler."""
