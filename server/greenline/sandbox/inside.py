"""What a container looks like inside, whichever engine makes it: users, folders, variables."""

from __future__ import annotations

import os
from pathlib import Path

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits
from greenline.sandbox.host_toolchain import HostToolchain, Mount
from greenline.sandbox.package_data import sandbox_folder

UNPRIVILEGED_UID = 64000
"""Whose name the tests run under where the caller is root."""
REPORTER_UID = 64001
HOME = "/tmp/home"
RUN_FOLDER = "/run/greenline"
"""Writable for the reporter alone; it makes its FIFO there."""
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_FILES_A_MB = 256
"""How many files a folder in memory may hold for each megabyte of its size."""


@attrs.frozen
class MemoryFolder:
    """A folder in memory that the tests may write to."""

    target: str
    size_mb: int
    mode: int
    is_theirs: bool = True
    """Whether it belongs to the tests' user, or else to root."""

    @property
    def n_files(self) -> int:
        """How many files it may hold: the kernel's own bound is half of the machine's pages."""
        return self.size_mb * _FILES_A_MB


def caller() -> tuple[int, int]:
    """Return the uid and gid that tests run under: the caller's own, or a fixed one instead of root's."""
    if os.getuid() == 0:
        return UNPRIVILEGED_UID, UNPRIVILEGED_UID
    return os.getuid(), os.getgid()


def memory_folders(root: str, limits: Limits) -> tuple[MemoryFolder, ...]:
    """Return the folders that a project at `root` may write to."""
    return (
        MemoryFolder(root, limits.tmpfs_mb, 0o755),
        MemoryFolder("/tmp", limits.tmpfs_mb, 0o1777, is_theirs=False),
        MemoryFolder(HOME, limits.tmpfs_mb, 0o700),
    )


def shipped_mounts() -> list[Mount]:
    """Return the mounts of the runner and of the toolbox; raises `SandboxUnavailable` where one is missing.

    Without the toolbox a project that has no coverage of its own would run, and nothing be known of it.
    """
    shipped = sandbox_folder()
    names = ("runner", "toolbox")
    for name in names:
        if not Path(shipped, name).is_dir():
            raise SandboxUnavailable(
                f"A part of Greenline is missing: {shipped / name}.",
                remedy="Run `make install` in a checkout, or install the wheel again.",
            )
    return [Mount(str(shipped / name), f"/opt/greenline/{name}") for name in names]


def variables(toolchain: HostToolchain, own_path: str = "") -> dict[str, str]:
    """Return a container's variables; `own_path` is its image's PATH, or empty."""
    path = [*toolchain.bin_folders, *(own_path or SYSTEM_PATH).split(os.pathsep)]
    return {
        "PATH": os.pathsep.join(dict.fromkeys(path)),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **dict(toolchain.variables),
    }


def check_root(root: str) -> None:
    """Raise `SandboxUnavailable` for a project whose path cannot be handed to programs line by line."""
    if any(character < " " for character in root):
        raise SandboxUnavailable(
            f"The folder {root!r} has a character in its path that no line of text can hold.",
            remedy="Give it another name.",
        )
