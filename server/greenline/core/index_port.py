"""The seam between the front and the live index, which a process of its own keeps and searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import attrs

IndexState = Literal["off", "starting", "scanning", "ready", "paused", "failed"]


@attrs.frozen
class IndexStatus:
    """What the index can answer now."""

    state: IndexState = "starting"
    """`scanning` while files are compared with the index; `failed` where it cannot be kept."""
    role: Literal["writer", "reader", ""] = ""
    """Whether this editor's process keeps the index, or reads what another editor's process keeps."""
    completeness: float = 0.0
    """Share of the files that are indexed as they are now, 0 to 1."""
    n_files: int = 0
    n_pending: int = 0
    """Files known to be missing or outdated in the index."""
    watching: Literal["events", "polling", ""] = ""
    """How changes on the disk are noticed."""
    note: str = ""
    """One sentence on what is not as it should be, with the remedy; empty where all is well."""


@attrs.frozen
class IndexHit:
    """A part of a file that a search found."""

    path: str
    """Absolute."""
    start_line: int
    """1-based."""
    end_line: int
    """1-based, inclusive."""
    symbol: str
    kind: str
    score: float
    sources: tuple[str, ...] = ()
    """What speaks for it, strongest first."""


@attrs.frozen
class IndexAnswer:
    """What a search found, best first, and how much it could see."""

    hits: tuple[IndexHit, ...] = ()
    completeness: float = 0.0
    note: str = ""
    """One sentence where the search ran on an incomplete index."""


@attrs.frozen
class SymbolHit:
    """A definition whose name fits a query."""

    path: str
    """Absolute."""
    name: str
    container: str
    kind: str
    line: int
    """0-based line of the name."""
    before: str = ""
    """The text of that line before the name."""


class IndexClient(Protocol):
    """Drives the live index from the front's event loop; no method blocks it."""

    on_status: Callable[[IndexStatus], None] | None
    """Set by the front: called on the event loop whenever the status changes."""

    def start(self, roots: Sequence[str]) -> None:
        """Keep the index of these folders, in the background; another call changes the folders."""

    def status(self) -> IndexStatus:
        """Return what is known now."""

    def put_buffer(self, path: str, text: str | None) -> None:
        """Let an open buffer's text lie over the disk; None gives the path back to it."""

    def changed(self, paths: Sequence[str]) -> None:
        """Say that files or folders changed on the disk."""

    async def search(self, query: str, limit: int, kinds: Sequence[str], glob: str) -> IndexAnswer:
        """Return what fits best; raises `InvalidInput`."""

    async def symbols(self, query: str, limit: int) -> tuple[SymbolHit, ...]:
        """Return definitions by a part of their name."""

    async def pause(self) -> None:
        """Let the index rest; searches go on."""

    async def resume(self) -> None:
        """Go on."""

    async def stop(self) -> None:
        """End the worker; idempotent."""
