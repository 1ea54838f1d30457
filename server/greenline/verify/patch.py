"""A patch that is handed in: its text, and what it does to the files that may enter a container."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from greenline.core.edit import EditSet
from greenline.core.error import GreenlineError, InvalidInput
from greenline.core.evidence import Evidence
from greenline.edit.apply import Read, edit_set_from_diff
from greenline.workspace.root import locate

MayStage = Callable[[str], bool]
"""Path relative to the root → whether the gate lets the file into a container."""
_REMEDY = "Give a unified diff with --- and +++ lines."


def patch_bytes(name: str, remedy: str = "Name a patch file.") -> bytes:
    """Return what a patch file holds; raises `InvalidInput` with the remedy."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}.", remedy=remedy) from error


def read_patch(data: bytes, name: str) -> str:
    """Return a patch as text: UTF-8, or latin-1 where it is none; raises `InvalidInput` for no text."""
    if not data.strip():
        raise InvalidInput(f"{name} is empty.", remedy=_REMEDY)
    if b"\0" in data and b"+++ " not in data:
        raise InvalidInput(f"{name} is binary, and no patch.", remedy=_REMEDY)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Withheld(GreenlineError):
    """An edit needs a file that the gate withholds."""


@attrs.frozen
class GatedPatch:
    """The edits that can be verified, and what was left out of them."""

    edit_set: EditSet
    withheld: tuple[str, ...] = ()
    """Files that the gate keeps out of containers, relative to the root."""

    @classmethod
    def of_diff(cls, diff: str, read_bytes: Read, root: str, may_stage: MayStage) -> GatedPatch:
        """Return what a unified diff does below `root`; a file that comes from a withheld one, or becomes
        one, is left out as a whole, and a withheld file is never read.

        Raises `EditRejected` or `OutsideWorkspace`, and then no part of the diff counts.
        """

        withheld: dict[str, None] = {}

        def read(path: str) -> bytes | None:
            relative = locate(path, (root,)).relative
            if may_stage(relative):
                return read_bytes(path)
            withheld[relative] = None
            raise _Withheld(relative)

        return cls(edit_set_from_diff(diff, read, root, _Withheld), tuple(withheld))

    @classmethod
    def of_edits(cls, edit_set: EditSet, root: str, may_stage: MayStage) -> GatedPatch:
        """Return edits without those of withheld files."""
        by_name = {locate(change.path, (root,)).relative: change for change in edit_set.changes}
        kept = tuple(change for name, change in by_name.items() if may_stage(name))
        return cls(EditSet(kept), tuple(name for name in by_name if not may_stage(name)))

    def check(self) -> None:
        """Raise `InvalidInput` where nothing is left to verify."""
        if self.edit_set.changes:
            return
        if self.withheld:
            names = ", ".join(self.withheld)
            raise InvalidInput(
                f"The patch changes nothing but what looks like files of secrets: {names}.",
                remedy="Such files enter no container, so no test can tell; give a patch of other files.",
            )
        raise InvalidInput(
            "The patch changes nothing.",
            remedy="Edit something (`git add` it for --staged), or give a patch that changes a file.",
        )

    def told(self, evidence: Evidence) -> Evidence:
        """Return evidence that says which files it is not about."""
        if not self.withheld:
            return evidence
        warning = f"Left out of the patch, as files of secrets: {', '.join(self.withheld)}."
        return attrs.evolve(evidence, warnings=(*evidence.warnings, warning))
