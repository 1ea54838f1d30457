"""Which editors cannot wait for a command: by their name, or by their own word."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from greenline.lsp.handlers.initialize import is_impatient


@pytest.mark.parametrize(
    ("name", "options", "is_so"),
    [
        (None, None, False),
        ("Neovim", None, False),
        ("Eglot", None, True),
        ("emacs", {}, True),
        ("helix", None, True),
        ("Eglot", {"commandsInBackground": False}, False),
        ("Other", {"commandsInBackground": True}, True),
        ("Other", {"commandsInBackground": "yes"}, False),
        ("Other", ["commandsInBackground"], False),
    ],
)
def test_who_is_impatient(name: str | None, options: Any, is_so: bool) -> None:
    info = None if name is None else types.ClientInfo(name)
    params = types.InitializeParams(
        capabilities=types.ClientCapabilities(), client_info=info, initialization_options=options
    )

    assert is_impatient(params) is is_so
