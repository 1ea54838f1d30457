"""`greenline acp`: the agent for clients of the Agent Client Protocol, on standard input and output."""

from __future__ import annotations

import argparse


def run(_: argparse.Namespace) -> int:
    """Serve until the client goes away."""
    from greenline.serving import serve_acp

    return serve_acp()
