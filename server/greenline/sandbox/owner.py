"""Whose a container is, as labels that no other process and no other machine is mistaken for."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import uuid
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


def own_name(kind: str) -> str:
    """Return a new name for a folder of this process, which `is_left` knows again once that is gone."""
    return f"{kind}-{_here()}-{process_owner().replace(':', '-')}-{uuid.uuid4().hex[:8]}"


def is_left(name: str) -> bool:
    """Return whether a folder belongs to a process of this machine that is gone."""
    parts = name.split("-")
    return len(parts) == 5 and parts[1] == _here() and not is_alive(f"{parts[2]}:{parts[3]}")


def _here() -> str:
    return hashlib.sha256(_host().encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _host() -> str:
    parts = [platform.node()]
    with contextlib.suppress(OSError):
        parts.append(Path("/etc/machine-id").read_text(encoding="ascii", errors="replace").strip())
    with contextlib.suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(part for part in parts if part)
