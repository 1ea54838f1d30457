"""What the server is given for one workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from greenline.core.agent_port import AgentClient
from greenline.core.index_port import IndexClient

if TYPE_CHECKING:
    from greenline.core.port import Journal
    from greenline.journal.checkpoint_store import CheckpointStore


@attrs.frozen
class Parts:
    """What the server needs for one workspace."""

    journal: Journal
    agent: AgentClient
    state_dir: Path
    """The folder for this workspace under the user's state folder; never inside the workspace."""
    checkpoints: CheckpointStore
    """Over the same journal."""
    warnings: tuple[str, ...] = ()
    """What the user should hear of their settings."""
    index: IndexClient | None = None
    """None where the index is switched off."""


@attrs.frozen
class Opening:
    """What the editor said at `initialize` that decides about the parts."""

    roots: tuple[str, ...]
    """Absolute paths; may be empty."""
    options: Any = None
    """The editor's `initializationOptions`, as JSON."""
    warning: str = ""
    """What the user should hear of the folders that the editor opened."""


Connect = Callable[[Opening], Parts]
"""Makes the parts for a workspace, on the event loop's thread; raises `GreenlineError`."""
