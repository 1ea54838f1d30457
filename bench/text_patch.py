"""A patch and the small project that it changes, as texts."""

from __future__ import annotations

from pathlib import Path

import attrs

from greenline.core.edit import EditSet, FileChange
from greenline.core.port import Limits, StagedFile, VerifyRequest


@attrs.frozen
class TextPatch:
    """One change over one small project."""

    name: str
    files: dict[str, str]
    """Path → text."""
    patch: dict[str, str | None]
    """Path → new text, or None where the file goes."""

    def request(self, root: Path, label: str, wall_s: float, checks: tuple[str, ...] = ()) -> VerifyRequest:
        """Return a request for the verdict in the project at `root`, whose files need not be there."""
        base = {path: StagedFile(text.encode()) for path, text in self.files.items()}
        changes = tuple(
            FileChange(
                str(root / path),
                base[path].content if path in base else None,
                None if text is None else text.encode(),
            )
            for path, text in sorted(self.patch.items())
        )
        return VerifyRequest(str(root), base, EditSet(changes), (), checks, label, Limits(wall_s=wall_s))
