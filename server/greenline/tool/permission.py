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
    """Decides about calls, and remembers what the user said for always, for one run.

    `allowAlways` holds for the very same call alone (a command with the same text): a command line can do
    anything, so that the first words of an allowed one say nothing of another. `rejectAlways` holds for the
    tool.
    """

    setting: str
    """`ask`, `auto` or `deny`."""
    ask: Callable[[str], str]
    _allowed: set[tuple[str, str]] = attrs.field(factory=set)
    _rejected: set[str] = attrs.field(factory=set)

    def allows(self, name: str, kind: str, call: str, words: str) -> bool:
        """Return whether a call may go on.

        `call` tells one call of the tool from another; `words` say to the user what would be done.
        """
        if kind in _FREE or name in _FREE_TOOLS:
            return True
        if self.setting == "deny":
            return False
        if self.setting == "auto":
            return True
        if name in self._rejected:
            return False
        if (name, call) in self._allowed:
            return True
        answer = self.ask(words)
        if answer == "rejectAlways":
            self._rejected.add(name)
        elif answer == "allowAlways":
            self._allowed.add((name, call))
        return answer in ("allowOnce", "allowAlways")
