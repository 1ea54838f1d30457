"""`workspace/didChangeWorkspaceFolders`; runs under way stay pinned to the roots they were started with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import root_paths, without_whole_disk

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS


def handle(ls: GreenlineServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Take the new roots, in the editor's order."""
    removed = set(root_paths(params.event.removed, None))
    kept = [root for root in ls.session.roots if root not in removed]
    added, warning = without_whole_disk(root_paths(params.event.added, None))
    if warning:
        ls.say(types.MessageType.Warning, warning)
    ls.session.set_roots(tuple(dict.fromkeys([*kept, *added])))
    ls.publisher.status_changed()
