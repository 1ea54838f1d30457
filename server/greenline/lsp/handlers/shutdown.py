"""`shutdown`: everything under way is cancelled and ends its progress before the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.SHUTDOWN


async def handle(ls: GreenlineServer, params: None) -> None:
    """Stop all work."""
    await ls.stop_work()
