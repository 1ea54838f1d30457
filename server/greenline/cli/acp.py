"""`greenline acp`: the agent for clients of the Agent Client Protocol, on standard input and output."""

from __future__ import annotations

import argparse

from greenline.cli.stream import needs_input


def run(_: argparse.Namespace) -> int:
    """Serve until the client goes away."""
    needs_input()
    from greenline.serving import serve_acp

    return serve_acp()
