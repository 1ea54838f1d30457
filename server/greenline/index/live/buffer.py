"""The open buffers that lie over the disk: this editor's own, and those that other editors lend.

Where several editors have a file open, the text that was typed last counts. Not thread-safe.
"""

from __future__ import annotations

from collections.abc import Mapping

from greenline.workspace.regular import read_regular

OWN = 0
"""Who owns the buffers of the editor that this process serves."""

Texts = dict[str, str | None]
"""Absolute path → text; None where the disk counts again."""


class Buffers:
    """Texts by path and owner."""

    def __init__(self) -> None:
        self._by_path: dict[str, dict[int, str]] = {}
        """The texts of each path by owner, the one that counts last."""

    def put(self, texts: Mapping[str, str | None], owner: int = OWN) -> Texts:
        """Take an owner's texts, None for what it closed; return what counts now for these paths."""
        for path, text in texts.items():
            held = self._by_path.setdefault(path, {})
            held.pop(owner, None)
            if text is None:
                continue
            if held and _is_saved(path, text):
                # Whoever only opens a file does not hide what another editor has typed in it.
                self._by_path[path] = {owner: text, **held}
            else:
                held[owner] = text
        return {path: self._settled(path) for path in texts}

    def drop(self, owner: int) -> Texts:
        """Forget an owner; return what counts now for the paths that it had open."""
        lost = [path for path, held in self._by_path.items() if held.pop(owner, None) is not None]
        return {path: self._settled(path) for path in lost}

    def all(self) -> dict[str, str]:
        """Return what counts for every path that somebody has open."""
        return {path: list(held.values())[-1] for path, held in self._by_path.items()}

    def _settled(self, path: str) -> str | None:
        """Return what counts for a path; one that nobody has open any more is forgotten."""
        held = self._by_path.get(path)
        if not held:
            self._by_path.pop(path, None)
            return None
        return list(held.values())[-1]


def _is_saved(path: str, text: str) -> bool:
    try:
        return read_regular(path) == text.encode()
    except (OSError, UnicodeEncodeError):
        return False
