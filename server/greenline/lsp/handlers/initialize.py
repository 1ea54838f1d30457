"""`initialize`: roots, position encoding and the editor's options; opens nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import Encoding, encoding_name, root_paths, without_whole_disk
from greenline.lsp.parts import Opening

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.INITIALIZE
_IMPATIENT = ("eglot", "emacs", "helix")
"""Emacs' two clients do nothing else until a command is answered, and Helix gives up after 20 s."""


def handle(ls: GreenlineServer, params: types.InitializeParams) -> None:
    """Take what the editor said; pygls answers."""
    ls.protocol.use_exact_workspace(params)
    ls.encoding = Encoding(encoding_name(ls.workspace.position_encoding))
    options = params.initialization_options
    ls.client_asks = isinstance(options, dict) and options.get("agentUi") is True
    ls.works_behind = is_impatient(params)
    roots, warning = without_whole_disk(root_paths(params.workspace_folders, ls.workspace.root_uri))
    ls.opening = Opening(roots, options, warning)


def is_impatient(params: types.InitializeParams) -> bool:
    """Return whether commands must be answered at once: for some editors, or where the client says so."""
    options = params.initialization_options
    if isinstance(options, dict) and isinstance(said := options.get("commandsInBackground"), bool):
        return said
    return params.client_info is not None and params.client_info.name.lower() in _IMPATIENT
