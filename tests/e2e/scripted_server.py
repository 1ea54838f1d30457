"""The real server process with the shipped scripted agent: `scripted_server.py SCRIPT.json [STATE_DIR]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from greenline.agent.scripted_agent import ScriptedAgent, load_script
from greenline.edit.write import recover
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.parts import Opening, Parts
from greenline.lsp.server import serve


def connect(opening: Opening) -> Parts:
    """Make the parts at the first use of the session."""
    print("a stray print must not break the framing")
    state_dir = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    state_dir.mkdir(parents=True, exist_ok=True)
    journal = SqliteJournal(state_dir / "journal.db")
    checkpoints = CheckpointStore(journal, BlobStore(state_dir / "blobs"))
    recover(checkpoints)
    agent = ScriptedAgent(journal, load_script(Path(sys.argv[1])))
    return Parts(journal, agent, state_dir, checkpoints)


if __name__ == "__main__":
    sys.exit(serve(connect))
