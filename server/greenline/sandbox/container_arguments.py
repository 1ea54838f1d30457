"""What a container is made with: its limits, guards, folders and variables."""

from __future__ import annotations

import os
from typing import Any

import docker.types

from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits, SandboxRequest
from greenline.sandbox import seccomp
from greenline.sandbox.docker_session import REPORTER_UID
from greenline.sandbox.host_toolchain import HostToolchain, Image
from greenline.sandbox.owner import labels
from greenline.sandbox.package_data import sandbox_folder

UNPRIVILEGED_UID = 64000
"""Whose name the tests run under where the caller is root."""
LABEL_RUN = "greenline.run"
HOME = "/tmp/home"
RUN_FOLDER = "/run/greenline"
"""Writable for the reporter alone; it makes its FIFO there."""
_FILES_A_MB = 256
"""How many files a folder in memory may hold for each megabyte of its size."""


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
        "environment": _environment(toolchain, image.path),
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
        "pids_limit": limits.pids,
        "labels": {LABEL_RUN: label or "none", **labels()},
    }


def caller() -> tuple[int, int]:
    """Return the uid and gid that tests run under: the caller's own, or a fixed one instead of root's."""
    if os.getuid() == 0:
        return UNPRIVILEGED_UID, UNPRIVILEGED_UID
    return os.getuid(), os.getgid()


def shipped_mounts() -> list[Any]:
    """Return the mounts of the runner and of the toolbox; raises `SandboxUnavailable` where one is missing.

    Without the toolbox a project that has no coverage of its own would run, and nothing be known of it.
    """
    shipped = sandbox_folder()
    names = ("runner", "toolbox")
    for name in names:
        if not (shipped / name).is_dir():
            raise SandboxUnavailable(
                f"A part of Greenline is missing: {shipped / name}.",
                remedy="Run `make install` in a checkout, or install the wheel again.",
            )
    return [bind(str(shipped / name), f"/opt/greenline/{name}") for name in names]


def bind(source: str, target: str) -> Any:
    return docker.types.Mount(target, source, type="bind", read_only=True)


def _tmpfs(root: str, limits: Limits, uid: int, gid: int) -> dict[str, str]:
    owner = f"uid={uid},gid={gid}"
    # The kernel's own bound on files is half of the machine's pages.
    size = f"size={limits.tmpfs_mb}m,nr_inodes={limits.tmpfs_mb * _FILES_A_MB}"
    few = "size=16m,nr_inodes=1024"
    return {
        root: f"rw,exec,nosuid,nodev,{size},{owner},mode=0755",
        "/tmp": f"rw,exec,nosuid,nodev,{size},mode=1777",
        HOME: f"rw,exec,nosuid,nodev,{size},{owner},mode=0700",
        RUN_FOLDER: f"rw,nosuid,nodev,noexec,{few},uid={REPORTER_UID},gid={REPORTER_UID},mode=0711",
    }


def _environment(toolchain: HostToolchain, own_path: str) -> dict[str, str]:
    """Return a container's variables; `own_path` is its image's PATH, or empty."""
    system = own_path.split(os.pathsep) if own_path else ["/usr/local/bin", "/usr/bin", "/bin"]
    path = [*toolchain.bin_folders, *system]
    return {
        "PATH": os.pathsep.join(dict.fromkeys(path)),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **dict(toolchain.variables),
    }
