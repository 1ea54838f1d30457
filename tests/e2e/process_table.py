"""Which processes the machine has, by what `/proc` says."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def with_words(words: str) -> list[int]:
    """Return the processes with these words on their command line, whatever their state."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            # The owner's own program holds them as well.
            if words.encode() in line and b"BubblewrapSandbox" not in line:
                found.append(int(entry.name))
    return found


def working_in(folder: str) -> list[int]:
    """Return the processes that work in a folder of this path, in whatever mount namespace."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if str((entry / "cwd").readlink()) == folder:
                    found.append(int(entry.name))
    return found


def runs(pid: int) -> bool:
    """Return whether a process is there, and no zombie that nobody has buried yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def below(pid: int) -> set[int]:
    """Return the processes below a process, however deep."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
        except (OSError, ValueError):
            continue
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {pid}
