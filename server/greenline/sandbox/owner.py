"""Whose a container is, as labels that no other process and no other machine is mistaken for."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Mapping
from pathlib import Path

from greenline.journal.owner import is_alive, process_owner

LABEL_OWNER = "greenline.process"
"""The process that removes the container."""
LABEL_HOST = "greenline.host"
"""Where that process runs: engines are shared by machines, and by containers that see other processes."""


def labels() -> dict[str, str]:
    """Return the labels of a container of this process."""
    return {LABEL_OWNER: process_owner(), LABEL_HOST: _host()}


def is_orphan(found: Mapping[str, str]) -> bool:
    """Return whether a container's owner is known to be gone: it ran here, and does no more."""
    return found.get(LABEL_HOST) == _host() and not is_alive(found.get(LABEL_OWNER, ""))


def _host() -> str:
    parts = [platform.node()]
    with contextlib.suppress(OSError):
        parts.append(Path("/etc/machine-id").read_text(encoding="ascii", errors="replace").strip())
    with contextlib.suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(part for part in parts if part)
