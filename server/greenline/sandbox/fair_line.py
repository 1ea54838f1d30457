"""Who is next: workspaces in turn, in each its callers in turn, and what one caller wants in order; pure.

Invariant: while a workspace waits for something that could be served, every other one is served at most once
before it. So it is with the callers of a workspace among themselves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
_Callers = dict[str, deque[T]]
"""Caller → what it wants, the callers in the order of their turns."""


class FairLine(Generic[T]):
    """A line of items; not safe to use from several threads."""

    def __init__(self) -> None:
        self._workspaces: dict[str, _Callers[T]] = {}
        """In the order of their turns."""

    def __len__(self) -> int:
        return sum(len(items) for callers in self._workspaces.values() for items in callers.values())

    def put(self, workspace: str, caller: str, item: T, *, first: bool = False) -> None:
        """Let an item wait; with `first` it goes before everything, as what was served for nothing."""
        callers = self._workspaces.setdefault(workspace, {})
        items = callers.setdefault(caller, deque())
        if not first:
            items.append(item)
            return
        items.appendleft(item)
        self._workspaces[workspace] = {caller: items, **callers}
        self._workspaces = {workspace: self._workspaces[workspace], **self._workspaces}

    def take(self, fits: Callable[[T], bool]) -> T | None:
        """Remove and return the next item that fits; one that does not keeps its turn.

        What one caller wants is served in order: behind an item that does not fit, none of its own goes.
        """
        for workspace, callers in self._workspaces.items():
            for caller, items in callers.items():
                if fits(items[0]):
                    item = items.popleft()
                    # Whoever was served goes to the end.
                    del callers[caller]
                    if items:
                        callers[caller] = items
                    del self._workspaces[workspace]
                    if callers:
                        self._workspaces[workspace] = callers
                    return item
        return None

    def remove(self, item: T) -> bool:
        """Let an item wait no more; return whether it did."""
        for workspace, callers in self._workspaces.items():
            for caller, items in callers.items():
                if item in items:
                    items.remove(item)
                    if not items:
                        del callers[caller]
                    if not callers:
                        del self._workspaces[workspace]
                    return True
        return False

    def order(self) -> Iterator[T]:
        """Yield all items in the order in which they would be served if all fitted."""
        rings = [deque(deque(items) for items in callers.values()) for callers in self._workspaces.values()]
        turns = deque(rings)
        while turns:
            ring = turns.popleft()
            items = ring.popleft()
            yield items.popleft()
            if items:
                ring.append(items)
            if ring:
                turns.append(ring)
