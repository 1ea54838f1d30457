"""`greenline mcp`: the tools for other agents, over MCP on standard input and output."""

from __future__ import annotations

import argparse

from greenline.cli.console import root_of
from greenline.cli.stream import needs_input


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes away."""
    needs_input()
    from greenline.serving import serve_mcp

    return serve_mcp(root_of(arguments.root))
