"""Which calls need the user's word; fails closed: what is not known to be harmless is asked about.

Only the user's own settings can say `auto`; nothing that a file, a tool or a model says can.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

_FREE = frozenset({"read", "search", "edit", "delete", "move", "think", "other"})
"""Kinds that touch the staged copy alone, or nothing."""
_FREE_TOOLS = frozenset({"run_tests"})
"""What the project itself says is run to test it."""


@attrs.define
class Permission:
    """Decides about calls, and remembers what the user said for always, for one run."""

    setting: str
    """`ask`, `auto` or `deny`."""
    ask: Callable[[str], str]
    _always: dict[str, bool] = attrs.field(factory=dict)

    def allows(self, name: str, kind: str, words: str) -> bool:
        """Return whether a call may go on; `words` say to the user what would be done."""
        if kind in _FREE or name in _FREE_TOOLS:
            return True
        if self.setting == "deny":
            return False
        if self.setting == "auto":
            return True
        if name in self._always:
            return self._always[name]
        answer = self.ask(words)
        if answer in ("allowAlways", "rejectAlways"):
            self._always[name] = answer == "allowAlways"
        return answer in ("allowOnce", "allowAlways")
