"""What a sandbox of bubblewrap sees, as the program's arguments.

The root is in memory and read-only in the end; everything else of the machine is a read-only mount.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from greenline.sandbox.host_toolchain import Mount
from greenline.sandbox.inside import RUN_FOLDER, MemoryFolder
from greenline.sandbox.owned_folder import OwnedFolder

SECCOMP, INFORMATION = 8, 9
"""Descriptors: the list of system calls, and where bubblewrap tells the number of the first process."""
SHARED_MEMORY = MemoryFolder("/dev/shm", 64, 0o1777, is_theirs=False)
_MASKED = ("acpi", "asound", "kcore", "keys", "latency_stats", "sched_debug", "scsi", "timer_list")
"""What Docker hides of `/proc`, too."""
_SETUP = ("CAP_CHOWN", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID")
"""What the first program needs to hand its folders, and then itself, to the tests' user."""


@attrs.frozen
class View:
    """One sandbox: what it sees, and who makes it."""

    mounts: tuple[Mount, ...]
    memory: tuple[MemoryFolder, ...]
    channel: Path | None = None
    """The folder of the reporter's channel on the machine."""
    is_reporter: bool = False
    """Whether it may write to the channel's folder."""
    work: str = "/"
    """Where programs start."""
    is_root: bool = False
    """Whether root makes it, who needs no user namespace for that."""


def arguments(view: View, owned: OwnedFolder) -> list[str]:
    """Return bubblewrap's arguments, without its own name and without a command."""
    spaces = [f"--unshare-{name}" for name in ("pid", "net", "ipc", "uts", "cgroup")]
    if view.is_root:
        rights = [word for name in _SETUP for word in ("--cap-add", name)]
    else:
        spaces.append("--unshare-user")
        rights = []
    places = dict(_places(view, owned))
    found = [
        *spaces,
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", *rights),
        *("--hostname", "sandbox", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"),
    ]
    for target in list(places):
        for parent in map(str, Path(target).parents[:-1]):
            # bubblewrap would give them the narrow mode of what lies below.
            places.setdefault(parent, ["--dir", parent])
    # What lies below comes after.
    for target in sorted(places, key=lambda target: Path(target).parts):
        found += places[target]
    found += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", view.work]
    return [*found, "--seccomp", str(SECCOMP), "--info-fd", str(INFORMATION)]


def bounds(view: View) -> list[tuple[str, int]]:
    """Return the folders in memory with the number of files that each may hold."""
    return [(folder.target, folder.n_files) for folder in (*view.memory, SHARED_MEMORY)]


def _places(view: View, owned: OwnedFolder) -> Iterator[tuple[str, list[str]]]:
    """Yield what makes each place; a later one of the same name counts."""
    for folder in owned.folders:
        yield folder, ["--dir", folder]
    for path, target in owned.links:
        yield path, ["--symlink", target, path]
    yield "/etc", ["--ro-bind", str(owned.etc), "/etc"]
    yield "/proc", ["--proc", "/proc"]
    yield from _masks(owned)
    yield "/dev", ["--dev", "/dev"]
    for mount in view.mounts:
        yield mount.target, ["--ro-bind", mount.source, mount.target]
    for memory in (*view.memory, SHARED_MEMORY):
        size = ["--perms", f"{memory.mode:04o}", "--size", str(memory.size_mb << 20)]
        yield memory.target, [*size, "--tmpfs", memory.target]
    if view.channel is not None:
        kind = "--bind" if view.is_reporter else "--ro-bind"
        yield RUN_FOLDER, [kind, str(view.channel), RUN_FOLDER]


def _masks(owned: OwnedFolder) -> Iterable[tuple[str, list[str]]]:
    for name in _MASKED:
        path = f"/proc/{name}"
        if os.path.lexists(path):
            yield path, ["--ro-bind", str(owned.empty) if Path(path).is_dir() else os.devnull, path]
