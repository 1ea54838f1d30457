"""`greenline serve`: the language server on standard input and output."""

from __future__ import annotations

import argparse

from greenline.cli.stream import needs_input


def run(_: argparse.Namespace) -> int:
    """Serve until the editor ends it; return the exit code that LSP asks for."""
    needs_input()
    from greenline.lsp import collector

    collector.hold()
    from greenline.app import serve

    return serve()
