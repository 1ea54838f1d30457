"""`workspace/didChangeWatchedFiles`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import file_paths

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.WORKSPACE_DID_CHANGE_WATCHED_FILES


def handle(ls: GreenlineServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Let the index look at the files."""
    ls.session.disk_changed(file_paths(change.uri for change in params.changes))
