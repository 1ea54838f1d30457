"""`initialize`: roots, position encoding and the editor's options; opens nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import Encoding, encoding_name, root_paths
from greenline.lsp.parts import Opening

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.INITIALIZE
_STANDING_STILL = ("eglot", "emacs")
"""How Emacs' two clients call themselves."""


def handle(ls: GreenlineServer, params: types.InitializeParams) -> None:
    """Take what the editor said; pygls answers."""
    ls.protocol.use_exact_workspace(params)
    ls.encoding = Encoding(encoding_name(ls.workspace.position_encoding))
    options = params.initialization_options
    ls.client_asks = isinstance(options, dict) and options.get("agentUi") is True
    ls.works_behind = _stands_still(params)
    ls.opening = Opening(root_paths(params.workspace_folders, ls.workspace.root_uri), options)


def _stands_still(params: types.InitializeParams) -> bool:
    """Return whether the editor does nothing else until a command is answered: Emacs, or where it says so."""
    options = params.initialization_options
    if isinstance(options, dict) and isinstance(said := options.get("commandsInBackground"), bool):
        return said
    return params.client_info is not None and params.client_info.name.lower() in _STANDING_STILL
