"""Which process works on a run, as text that outlives the process and is never mistaken for another's."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def process_owner(pid: int | None = None) -> str:
    """Return `pid:start` of a process (this one by default); `start` tells a reused pid apart where known."""
    pid = os.getpid() if pid is None else pid
    return f"{pid}:{_start_of(pid) or ''}"


def is_alive(owner: str) -> bool:
    """Return whether the process that `owner` names still runs; True where nobody can tell."""
    pid_text, _, start = owner.partition(":")
    if not pid_text.isdigit():
        return False
    pid = int(pid_text)
    if start:
        return _start_of(pid) == start
    if sys.platform == "win32":
        # Signal 0 would end the process there; whoever started a worker reports its death by name.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_of(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command in parentheses may hold spaces and parentheses; the fields begin after the last one.
    fields = stat.rpartition(")")[2].split()
    if fields[0] in {"Z", "X"}:
        return None
    return fields[19]
