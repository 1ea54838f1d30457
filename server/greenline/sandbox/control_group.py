"""Control groups made by ourselves: the limits of a sandbox that no engine makes, where we may write them.

Version 1 and version 2; version 2 has only been run against files that stand for it.
Invariant: a group lies below one that we are in already, or, for version 2, beside it below an ancestor that
is ours to write to; it is named after its owner, and whoever comes next removes those of dead owners.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from greenline.core.port import Limits
from greenline.sandbox.owner import is_left, own_name

CONTROLLERS = ("memory", "pids", "cpu")
_PERIOD_US = 100_000
_REMOVE_TRIES = 40
_REMOVE_PAUSE_S = 0.025
_ESCAPED = re.compile(r"\\([0-7]{3})")


@attrs.frozen
class Hierarchy:
    """A folder below which groups can be made."""

    folder: Path
    controllers: tuple[str, ...]
    version: int

    def limits(self, limits: Limits) -> Iterator[tuple[str, str]]:
        """Yield file and content of each limit, in the order in which they are written."""
        quota = max(1000, int(limits.cpus * _PERIOD_US))
        memory = str(limits.memory_mb << 20)
        if self.version == 2:
            texts = {
                "memory": [("memory.max", memory), ("memory.swap.max", "0")],
                "pids": [("pids.max", str(limits.pids))],
                "cpu": [("cpu.max", f"{quota} {_PERIOD_US}")],
            }
        else:
            texts = {
                "memory": [("memory.limit_in_bytes", memory), ("memory.memsw.limit_in_bytes", memory)],
                "pids": [("pids.max", str(limits.pids))],
                "cpu": [("cpu.cfs_period_us", str(_PERIOD_US)), ("cpu.cfs_quota_us", str(quota))],
            }
        for controller in self.controllers:
            yield from texts[controller]


_OPTIONAL = frozenset({"memory.memsw.limit_in_bytes", "memory.swap.max"})
"""Files that are not there where the kernel keeps no account of swap."""


@attrs.frozen
class ControlGroup:
    """The groups of one sandbox, one in each hierarchy that could be used; none is a group without limits."""

    folders: tuple[Path, ...]
    held: frozenset[str]
    """The controllers that hold."""

    @property
    def doors(self) -> list[str]:
        """The files that a process writes its number to in order to join."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    def ran_out_of_memory(self) -> bool:
        """Ask the kernel's own counter."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    if re.search(r"^oom_kill [1-9]", (folder / name).read_text(), re.MULTILINE):
                        return True
        return False

    def remove(self) -> None:
        """End every process that is left in it, and remove it; what resists is left to the next sweep."""
        for folder in self.folders:
            _remove(folder)


def make(limits: Limits, found: tuple[Hierarchy, ...] | None = None) -> ControlGroup:
    """Make the groups that can be made; never raises."""
    name = own_name("greenline")
    folders: list[Path] = []
    held: set[str] = set()
    for hierarchy in hierarchies() if found is None else found:
        folder = hierarchy.folder / name
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            for file, content in hierarchy.limits(limits):
                if file not in _OPTIONAL or (folder / file).exists():
                    (folder / file).write_text(content)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            continue
        folders.append(folder)
        held |= set(hierarchy.controllers)
    return ControlGroup(tuple(folders), frozenset(held))


def sweep(found: tuple[Hierarchy, ...] | None = None) -> None:
    """Remove the groups of owners that are gone; never raises."""
    for hierarchy in hierarchies() if found is None else found:
        with contextlib.suppress(OSError):
            for folder in list(hierarchy.folder.iterdir()):
                if folder.name.startswith("greenline-") and is_left(folder.name):
                    _remove(folder)


def hierarchies(process: Path = Path("/proc/self")) -> tuple[Hierarchy, ...]:
    """Return where this process may make groups with limits; empty where nowhere."""
    try:
        own = [line.split(":", 2) for line in (process / "cgroup").read_text().splitlines()]
        mounts = [_mount(line) for line in (process / "mountinfo").read_text().splitlines()]
    except OSError:
        return ()
    paths = {name: path for _, names, path in own for name in names.split(",")}
    found: dict[Path, list[str]] = {}
    for controller in CONTROLLERS:
        for kind, options, root, folder in mounts:
            if kind == "cgroup" and controller in options and controller in paths:
                place = _below(folder, root, paths[controller])
                if os.access(place, os.W_OK):
                    found.setdefault(place, []).append(controller)
                break
    result = [Hierarchy(place, tuple(controllers), 1) for place, controllers in found.items()]
    left = [name for name in CONTROLLERS if not any(name in one.controllers for one in result)]
    for kind, _, root, folder in mounts:
        if kind == "cgroup2" and "" in paths and left:
            result += _unified(folder, _below(folder, root, paths[""]), left)
    return tuple(result)


def _unified(top: Path, own: Path, wanted: list[str]) -> list[Hierarchy]:
    """Return the nearest folder that hands limits down, from our own group upwards.

    A group with processes cannot, so that it is mostly not our own: the one above it, where that is ours.
    """
    for place in (own, *own.parents):
        if not place.is_relative_to(top):
            break
        try:
            handed = (place / "cgroup.subtree_control").read_text().split()
        except OSError:
            continue
        controllers = tuple(name for name in wanted if name in handed)
        # Who moves a process must be allowed to write to the group above both places.
        if controllers and all(os.access(path, os.W_OK) for path in (place, place / "cgroup.procs")):
            return [Hierarchy(place, controllers, 2)]
    return []


def _mount(line: str) -> tuple[str, frozenset[str], str, Path]:
    """Return kind, options, root and folder of a line of `mountinfo`."""
    left, _, right = line.partition(" - ")
    fields, (kind, _, options) = left.split(" "), right.split(" ")[:3]
    root, folder = (_ESCAPED.sub(lambda m: chr(int(m[1], 8)), fields[index]) for index in (3, 4))
    return kind, frozenset(options.split(",")), root, Path(folder)


def _below(folder: Path, root: str, path: str) -> Path:
    """Return where a group lies in a mount that may show a part of its hierarchy only."""
    relative = os.path.relpath(path, root)
    return folder if relative.startswith("..") else folder / relative


def _remove(folder: Path) -> None:
    for _ in range(_REMOVE_TRIES):
        with contextlib.suppress(OSError):
            folder.rmdir()
        if not folder.exists():
            return
        with contextlib.suppress(OSError, ValueError):
            for pid in (folder / "cgroup.procs").read_text().split():
                # 0 is a process that cannot be seen from here.
                if int(pid) > 0:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
        time.sleep(_REMOVE_PAUSE_S)
