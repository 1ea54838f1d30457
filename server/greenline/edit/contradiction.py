"""Refuses an edit whose parts contradict each other: one would undo what another asks for, without a word.

Parts that build on each other are none: several changes of one file, and what a file is moved to.
"""

from __future__ import annotations

import contextlib
import os.path
from collections.abc import Callable
from typing import Literal

import attrs

from greenline.core.error import EditRejected, GreenlineError
from greenline.edit.operation import Create, Delete, FilePatch, Move, Operation, Replace, Write

_Kind = Literal["edit", "write", "create", "delete", "move"]
_VERBS: dict[_Kind, str] = {
    "edit": "changes",
    "write": "gives all of",
    "create": "creates",
    "delete": "deletes",
    "move": "moves a file to",
}
_UNDOES: dict[_Kind, frozenset[_Kind]] = {
    "edit": frozenset({"write", "delete"}),
    "write": frozenset({"edit", "write", "create"}),
    "create": frozenset({"write", "create"}),
    "delete": frozenset({"edit", "write", "create", "move"}),
    "move": frozenset(),
}
"""Kind of a part → those before it, of the same file, that do not go with it."""


@attrs.frozen
class _Claim:
    kind: _Kind
    name: str
    """The file as the part names it."""
    place: str

    def __str__(self) -> str:
        return f"{self.place} {_VERBS[self.kind]} {self.name}"


class Claims:
    """What the parts of one edit ask of each file so far."""

    def __init__(self, path_of: Callable[[str, bool], str]) -> None:
        """Tell files apart by `path_of`: name, and whether lines of the file are shown → its real path."""
        self._path_of = path_of
        self._claims: dict[str, list[_Claim]] = {}

    def take(self, operation: Operation) -> None:
        """Remember what a part asks for; raises `EditRejected` (`malformed`) where it undoes another."""
        claim = _claim_of(operation)
        if claim is None:
            return
        try:
            path = self._path_of(claim.name, claim.kind == "edit")
        except GreenlineError:
            # A name that means no file is refused where the part is applied, and better told there.
            return
        before = self._claims.setdefault(path, [])
        for other in before:
            if other.kind in _UNDOES[claim.kind] or _is_made_again(claim, other):
                raise EditRejected(
                    f"The edit contradicts itself: {other}, and {claim}, which is the same file.",
                    remedy="Say once what becomes of the file.",
                    code="malformed",
                    path=claim.name,
                )
        before.append(claim)
        if isinstance(operation, Move):
            self._let_go(operation.path)

    def _let_go(self, name: str) -> None:
        """Forget what was asked of a file that moves away: what its old name gets next is another file."""
        with contextlib.suppress(GreenlineError):
            self._claims.pop(self._path_of(name, False), None)


def _claim_of(operation: Operation) -> _Claim | None:
    match operation:
        case Write():
            return _Claim("write", operation.path, operation.place)
        case Replace():
            return _Claim("edit" if operation.search else "create", operation.path, operation.place)
        case Create():
            return _Claim("create", operation.path, operation.place)
        case Delete():
            return _Claim("delete", operation.path, operation.place)
        case Move():
            return _Claim("move", operation.to, operation.place)
        case FilePatch():
            # One that deletes a file shows what the file holds by then, so that nothing is lost unseen.
            kind: _Kind = "create" if operation.old is None else "edit"
            return None if operation.new is None else _Claim(kind, operation.new, operation.place)


def _is_made_again(claim: _Claim, other: _Claim) -> bool:
    """Return whether a file that another part deletes is written under another name, as through a link."""
    if other.kind != "delete" or claim.kind not in ("write", "create"):
        return False
    return os.path.normpath(claim.name) != os.path.normpath(other.name)
