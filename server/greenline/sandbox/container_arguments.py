"""What a container is made with: its limits, guards, folders and variables."""

from __future__ import annotations

from typing import Any

import docker.types

from greenline.core.port import Limits, SandboxRequest
from greenline.sandbox import inside, seccomp
from greenline.sandbox.host_toolchain import HostToolchain, Image
from greenline.sandbox.inside import REPORTER_UID, RUN_FOLDER, caller, memory_folders, variables
from greenline.sandbox.owner import labels

LABEL_RUN = "greenline.run"
_GVISOR_THREADS = 512
"""How many gVisor needs for itself, below which it dies."""


def arguments(
    request: SandboxRequest, toolchain: HostToolchain, image: Image, runtime: str | None
) -> dict[str, Any]:
    """Return what docker-py takes; raises `SandboxUnavailable` where a part of Greenline is missing."""
    uid, gid = caller()
    limits = request.limits
    return {
        "image": image.identity,
        # An image's own entry point and check of health are not what it is wanted for.
        "entrypoint": ["sleep"],
        "command": ["infinity"],
        "healthcheck": {"test": ["NONE"]},
        "init": True,
        "read_only": True,
        "user": f"{uid}:{gid}",
        "working_dir": request.root,
        "mounts": [*(bind(mount.source, mount.target) for mount in toolchain.mounts), *shipped_mounts()],
        "tmpfs": _tmpfs(request.root, limits, uid, gid),
        "environment": variables(toolchain, image.path),
        "log_config": docker.types.LogConfig(type="none"),
        **guards(limits, runtime, request.label),
    }


def guards(limits: Limits, runtime: str | None, label: str) -> dict[str, Any]:
    """Return what every container has, whatever runs in it: no network, no capabilities, and limits."""
    memory = f"{limits.memory_mb}m"
    return {
        "runtime": runtime,
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={seccomp.profile()}"],
        "ipc_mode": "private",
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(limits.cpus * 1e9),
        "pids_limit": max(limits.pids, _GVISOR_THREADS if "runsc" in (runtime or "") else 0),
        "labels": {LABEL_RUN: label or "none", **labels()},
    }


def shipped_mounts() -> list[Any]:
    """Return the mounts of runner and toolbox; raises `SandboxUnavailable` where one is missing."""
    return [bind(mount.source, mount.target) for mount in inside.shipped_mounts()]


def bind(source: str, target: str) -> Any:
    return docker.types.Mount(target, source, type="bind", read_only=True)


def _tmpfs(root: str, limits: Limits, uid: int, gid: int) -> dict[str, str]:
    found = {}
    for folder in memory_folders(root, limits):
        owner = f"uid={uid},gid={gid}," if folder.is_theirs else ""
        bounds = f"size={folder.size_mb}m,nr_inodes={folder.n_files}"
        found[folder.target] = f"rw,exec,nosuid,nodev,{bounds},{owner}mode={folder.mode:04o}"
    few = "size=16m,nr_inodes=1024"
    found[RUN_FOLDER] = f"rw,nosuid,nodev,noexec,{few},uid={REPORTER_UID},gid={REPORTER_UID},mode=0711"
    return found
