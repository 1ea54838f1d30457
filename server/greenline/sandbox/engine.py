"""Which address a container engine may listen at; nothing is started."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Mapping
from pathlib import Path

REMEDY = "Run `sandbox/engine.sh ensure` (or start Docker), or set DOCKER_HOST to a running engine."


def private_socket(environment: Mapping[str, str]) -> Path:
    """Return where `engine.sh` puts the socket of the engine that it starts."""
    state = environment.get("XDG_STATE_HOME") or str(Path(environment.get("HOME", "/")) / ".local" / "state")
    return Path(state) / "greenline" / "engine" / "docker.sock"


def candidate_hosts(configured: str | None, environment: Mapping[str, str]) -> list[str]:
    """Return engine addresses to try, best first; an address that the user names is the only one."""
    named = configured or environment.get("DOCKER_HOST")
    if named:
        return [named]
    runtime = environment.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    sockets = [
        Path("/var/run/docker.sock"),
        Path(runtime) / "docker.sock",
        Path(environment.get("HOME", "/")) / ".docker" / "run" / "docker.sock",
        private_socket(environment),
        Path(runtime) / "podman" / "podman.sock",
        Path("/run/podman/podman.sock"),
    ]
    return [f"unix://{path}" for path in sockets if _is_socket(path)]


def knock(host: str, timeout_s: float) -> None:
    """Raise `OSError` where nobody listens; the client library leaks its socket when it finds that out."""
    if not host.startswith("unix://"):
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(timeout_s)
        probe.connect(host.removeprefix("unix://"))


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False
