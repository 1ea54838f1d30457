"""Open documents; the value itself is in `core` so that ports can carry it."""

from __future__ import annotations

from greenline.core.document import OpenDocument, Overlays

__all__ = ["OpenDocument", "Overlays"]
