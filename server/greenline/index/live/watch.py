"""Noticing changes on the disk: by the system's events, or, where those cannot be had, by looking."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from greenline.index.live.network import is_on_network


class Hearer(Protocol):
    """Is told what happened; called on a watch's own thread."""

    def on_paths(self, paths: Iterable[str]) -> None:
        """Files or folders that may have changed, absolute."""

    def on_lost(self) -> None:
        """Events were lost: everything has to be looked at."""

    def on_git(self, root: str) -> None:
        """What git knows of a root may have changed: its index, its head or its excludes."""

    def on_limit(self, problem: str) -> None:
        """No more folders can be watched."""


class Watch(Protocol):
    """Watches folders until it is closed."""

    def add(self, folders: Iterable[str]) -> None:
        """Watch these folders too, which hold files although the rules leave them out."""

    def close(self) -> None:
        """Watch nothing any more; idempotent."""


class Unwatchable(Exception):
    """The system tells of no changes here; the text says why, and what would help."""


LeftOut = Callable[[str], bool]
"""Says of a folder, by its absolute path, that nothing in it belongs to the index."""


def open_watch(roots: Sequence[str], hearer: Hearer, left_out: LeftOut) -> Watch:
    """Watch roots by the system's events; raises `Unwatchable`."""
    network = [root for root in roots if is_on_network(root)]
    if network:
        raise Unwatchable(f"{network[0]} is on a network drive, whose changes by others are not told.")
    if platform.system() == "Linux":
        from greenline.index.live.inotify_watch import InotifyWatch

        return InotifyWatch(roots, hearer, left_out)
    from greenline.index.live.observer_watch import ObserverWatch

    return ObserverWatch(roots, hearer)
