"""`initialized`: starts the session, and warms the agent in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.core.error import GreenlineError

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer
    from greenline.lsp.session import Session


METHOD = types.INITIALIZED


def handle(ls: GreenlineServer, params: types.InitializedParams) -> None:
    """Start the session; a session that cannot be opened is a message, and each later request says why."""
    try:
        session = ls.session
    except GreenlineError as error:
        ls.say(types.MessageType.Error, str(error))
        return
    ls.supervisor.start(_start(ls, session), "start the session")


async def _start(ls: GreenlineServer, session: Session) -> None:
    """Start the session, and say how things are: without an index nothing else may change for long."""
    await session.start()
    ls.publisher.status_changed()
