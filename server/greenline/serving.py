"""The same core for other clients than editors: the Agent Client Protocol and MCP, on this process's pipes.

The channel is taken before anything else is imported, so that nothing a library prints gets into it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from greenline.app import (
    make_agent,
    make_sandbox,
    make_verifier,
    open_journal,
    open_memory,
    open_session,
    search,
)

if TYPE_CHECKING:
    from greenline.config.settings import Settings


def _settings_said() -> Settings:
    """Return the settings, with their warnings and the log on standard error: clients show nothing else."""
    from greenline.config.settings import load_settings
    from greenline.core.visible import visible
    from greenline.guard.log import log_to
    from greenline.guard.secrets import known_secrets, masking

    settings = load_settings()
    log_to(sys.stderr, masking(known_secrets(os.environ, settings.api_key)), "warning")
    for warning in settings.warnings:
        print(f"greenline: {visible(warning)}", file=sys.stderr)
    return settings


def serve_acp() -> int:
    """Serve one client of the Agent Client Protocol on standard input and output; return the exit code."""
    from greenline.lsp import stdio

    channel = stdio.claim()
    from greenline.acp.agent import GreenlineAgent
    from greenline.acp.server import serve as serve_client
    from greenline.lsp.parts import Opening

    _settings_said()
    agent = GreenlineAgent(lambda roots, listener: open_session(Opening(roots), listener), open_journal)
    return serve_client(agent, channel)


def serve_mcp(root: str) -> int:
    """Serve a project's tools over MCP on standard input and output; return the exit code."""
    from greenline.lsp import stdio

    channel = stdio.claim()
    import attrs

    from greenline.lsp.parts import Opening
    from greenline.mcp_server.bench import Bench, Measuring
    from greenline.mcp_server.server import serve as serve_tools

    settings = _settings_said()
    # What repairs here is the engine, whatever model the user has.
    of_engine = attrs.evolve(settings, model=None, critic_model=None)

    def measuring() -> Measuring:
        sandbox = make_sandbox(settings)
        verifier = make_verifier(sandbox, settings, memory=open_memory())
        return Measuring(sandbox, verifier, settings.limits)

    bench = Bench(
        root,
        measuring,
        lambda words, wanted: search([root], settings, words, wanted),
        lambda: make_agent(of_engine, open_journal(root)),
        # To look at what is proposed takes neither a worker nor an index.
        lambda listener: open_session(Opening((root,), {"warmWorker": False, "index": False}), listener),
    )
    return serve_tools(bench, channel)
