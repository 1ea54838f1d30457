"""An open document as a value, the truth for its path as long as the editor holds it open."""

from __future__ import annotations

import attrs


@attrs.frozen
class OpenDocument:
    """The text that an editor shows for one path, whatever the disk says."""

    path: str
    """Absolute path."""
    version: int | None
    """The editor's version of the buffer."""
    text: str
    """The whole text as the protocol carries it, line ends included."""
    language: str = ""
    """The editor's language id, `python`; may be empty."""


Overlays = tuple[OpenDocument, ...]
"""Every open document that a run is to see over the disk, sorted by path."""
