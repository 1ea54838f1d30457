"""What a tool is: a spec for the model, a kind for the user, and one function of arguments and context."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.error import EditRejected, InvalidInput
from greenline.core.port import Limits, Sandbox, ToolSpec, Tree, Verifier
from greenline.edit.apply import Staging
from greenline.tool.place import resolve, shown
from greenline.workspace.encoding import TextFile, decode
from greenline.workspace.root import Located
from greenline.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from greenline.index.live.reader import IndexReader

Kind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]
MAX_OUTPUT = 20_000
"""Characters of one tool's answer; the rest is said to be left out."""


class ReadGate(Protocol):
    """The part of the gate that tools ask."""

    def may_stage(self, relative: str) -> bool:
        """Return whether a file may enter a container."""

    def may_prompt(self, path: str) -> bool:
        """Return whether a file's text may be shown to a model."""

    def check_read(self, path: str) -> None:
        """Raise where the agent may not read."""


@attrs.frozen
class Asking:
    """The two ways to the user; each waits for the answer, and raises `Cancelled`."""

    permission: Callable[[str], str]
    """Asks about one call; returns `allowOnce`, `allowAlways`, `rejectOnce` or `rejectAlways`."""
    question: Callable[[str, tuple[str, ...]], str]
    """Asks a question with some answers to choose from; returns the answer, which may be another."""


@attrs.frozen
class ToolContext:
    """What the tools of one run work on."""

    root: str
    snapshot: Snapshot
    staging: Staging
    gate: ReadGate
    verifier: Verifier
    sandbox: Sandbox
    asking: Asking
    label: str
    limits: Limits
    cancellation: Cancellation
    index: IndexReader | None = None
    """None where nothing is indexed; the tools over it are then not offered."""

    def locate(self, path: str) -> Located:
        """Return where a path leads, after the gate; raises `OutsideWorkspace`, `FileWithheld`."""
        located = self.snapshot.locate(self.absolute(path))
        self.gate.check_read(located.path)
        return located

    @property
    def roots(self) -> tuple[str, ...]:
        """The workspace's roots; `root` is the first."""
        return self.snapshot.roots

    def absolute(self, path: str) -> str:
        """Return a path as absolute; raises `OutsideWorkspace` where the roots leave a choice."""
        return resolve(path, self.roots, self._exists)

    def shown(self, path: str) -> str:
        """Return a path as the model sees it: with the name of its root in front where there are several."""
        located = self.snapshot.locate(self.absolute(path))
        return shown(located.root, located.relative, self.roots)

    def _exists(self, path: str) -> bool:
        if any(change.path == path for change in self.staging.edit_set().changes):
            return self.staging.current(path) is not None
        return os.path.lexists(path) or path in self.snapshot.overlay

    def read(self, path: str) -> TextFile:
        """Return a file's text with what is staged; raises `EditRejected` (`missing`)."""
        located = self.locate(path)
        data = self.staging.current(located.target)
        if data is None:
            raise EditRejected(
                f"There is no file {path}.", remedy="List the folder to see what is there.", code="missing"
            )
        return decode(data)

    def files(self) -> list[str]:
        """Return the files that a model may see, staged ones included, as the model sees them."""
        found: dict[str, str] = {}
        for root in self.roots:
            for name in self.snapshot.list_files(root):
                path = f"{root.rstrip('/')}/{name}"
                if not any(path.startswith(f"{other}/") for other in self.roots if len(other) > len(root)):
                    found[path] = shown(root, name, self.roots)
        for change in self.staging.edit_set().changes:
            located = self.snapshot.locate(change.path)
            found.pop(located.path, None)
            if change.after is not None:
                found[located.path] = shown(located.root, located.relative, self.roots)
        return sorted(name for path, name in found.items() if self.gate.may_prompt(path))

    def changes_in(self, root: str) -> EditSet:
        """Return what is staged in one root."""
        changes = self.staging.edit_set().changes
        return EditSet(tuple(c for c in changes if self.snapshot.locate(c.path).root == root))

    def tree(self, root: str) -> Tree:
        """Return the base tree of a root."""
        return self.snapshot.tree(root, self.gate)


@attrs.frozen
class Tool:
    """One tool."""

    spec: ToolSpec
    kind: Kind
    run: Callable[[Mapping[str, Any], ToolContext], str]
    """Returns the answer as text; raises `GreenlineError`, which the model is told, or `Cancelled`."""


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def spec(name: str, description: str, required: str = "", **properties: tuple[str, str]) -> ToolSpec:
    """Return a spec: properties as name=(JSON type, description), `required` as names apart by blanks."""
    schema: dict[str, Any] = {
        key: {"type": kind, "description": text, **({"items": {"type": "string"}} if kind == "array" else {})}
        for key, (kind, text) in properties.items()
    }
    return ToolSpec(name, description, {"type": "object", "properties": schema, "required": required.split()})


def check_arguments(tool: ToolSpec, arguments: Mapping[str, Any]) -> None:
    """Raise `InvalidInput`, naming the argument, where a call does not fit its schema."""
    properties = tool.parameters["properties"]
    for name in tool.parameters["required"]:
        if name not in arguments:
            raise InvalidInput(f"{tool.name} needs the argument {name}.", remedy="Call it again with it.")
    for name, value in arguments.items():
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise InvalidInput(f"{tool.name} has no argument {name}.", remedy=f"It takes: {known}.")
        kind = properties[name]["type"]
        wrong = isinstance(value, bool) and kind == "integer"
        if wrong or not isinstance(value, _TYPES[kind]):
            raise InvalidInput(f"{name} of {tool.name} must be of type {kind}.", remedy="Call it again.")


def bounded(text: str, limit: int = MAX_OUTPUT) -> str:
    """Return a text of at most `limit` characters that says what was left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit} more characters are left out"
