"""One project of a tree: what kind it is, which runner drives its tests, and why that is believed."""

from __future__ import annotations

import json
from typing import Literal

import attrs

Kind = Literal["python", "node", "go", "java"]
IN_DRIVER = frozenset({"pytest", "unittest"})
"""Runners that run in the driver's own interpreter; all others are programs that it starts."""


@attrs.frozen
class Project:
    """What detection found about one folder."""

    kind: Kind
    runner: str
    """`pytest`, `unittest`, `node:test`, `jest`, `vitest`, `mocha`, `go test` or `junit`; empty: none."""
    folder: str
    """Relative to the tree's root, with `/`; empty for the root itself."""
    why: tuple[str, ...]
    """What was seen, in the order in which it was looked at; sentences for people."""
    flags: tuple[str, ...] = ()
    """The runner's own options, from the project's test command."""
    patterns: tuple[str, ...] = ()
    """Which files, folders or packages the project's test command names."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the test command sets."""
    problem: str = ""
    """Why a manifest cannot be read, in one sentence; the tests then cannot be collected."""
    no_runner: str = ""
    """Why no runner can be used, in one sentence with the remedy."""
    is_likely: bool = True
    """Whether more than stray files speak for it; one that is not is passed over beside others."""

    @property
    def place(self) -> str:
        """The folder as people read it."""
        return self.folder or "."

    def settings(self) -> str:
        """Return what the driver is told of the project, as JSON; empty for the driver's own runners."""
        if self.runner in IN_DRIVER:
            return ""
        value = {
            "flags": list(self.flags),
            "patterns": list(self.patterns),
            "environment": dict(self.environment),
        }
        return json.dumps(value, separators=(",", ":"))
