"""Podman behind Docker's interface: where it wants something else than Docker does.

It wants the path of a list of system calls where Docker wants the list (podman#27710), and its service reads
the file. An engine on another machine cannot read ours: its own list is left in place there, and said so.
Folders in memory it makes without an owner and without a bound on files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.sandbox import seccomp
from greenline.sandbox.file_bound import bound_files
from greenline.sandbox.inside import RUN_FOLDER, MemoryFolder

OWN_LIST = (
    "Podman's own list of system calls held instead of Greenline's, which a Podman that does not listen at a "
    "socket file cannot read; it allows more."
)


@attrs.frozen
class Adaptation:
    """What one Podman wants instead of what Docker does."""

    seccomp: str | None
    """What to ask it for, or None where its own list of system calls is left in place."""

    @property
    def warning(self) -> str:
        """What everybody who reads a result must know, or nothing."""
        return "" if self.seccomp else OWN_LIST

    def adapt(self, arguments: dict[str, Any], folders: Iterable[MemoryFolder]) -> dict[str, Any]:
        """Return a container's arguments in its words."""
        kept = [one for one in arguments["security_opt"] if not one.startswith("seccomp=")]
        options = [*kept, *filter(None, [self.seccomp])]
        return {**arguments, "tmpfs": tmpfs(folders), "security_opt": options}


def adaptation(host: str, environment: Mapping[str, str]) -> Adaptation:
    """Return what the Podman at an address wants; raises `SandboxUnavailable`."""
    return Adaptation(seccomp_option(host, environment))


def is_podman(version: Mapping[str, Any]) -> bool:
    """Return whether an engine's answer to `version` is Podman's."""
    names = [str(part.get("Name", "")) for part in version.get("Components") or ()]
    return any("podman" in name.lower() for name in names)


def words(version: Mapping[str, Any], runtime: str | None) -> str:
    """Return an engine's name and version, with the runtime that was asked for."""
    name = f"{'podman' if is_podman(version) else 'docker'} {version['Version']}"
    return f"{name} ({runtime})" if runtime else name


def check_runtime(wanted: str, information: Mapping[str, Any]) -> None:
    """Raise `SandboxUnavailable` for another runtime than its own, which it would take without a word."""
    own = Path(str(information.get("DefaultRuntime") or "")).name
    if wanted != own:
        raise SandboxUnavailable(
            f"Podman takes no runtime from those who ask it; its own is {own or 'not known'}, not {wanted}.",
            remedy=f'Set `runtime = "{wanted}"` in its containers.conf under [engine], or drop the setting.',
        )


def seccomp_option(host: str, environment: Mapping[str, str]) -> str | None:
    """Return what to ask a Podman for, or None where it cannot read our list; raises `SandboxUnavailable`."""
    if not host.startswith("unix://"):
        return None
    text = seccomp.profile().encode()
    state = environment.get("XDG_STATE_HOME") or str(Path(environment.get("HOME", "/")) / ".local" / "state")
    folder = Path(state) / "greenline" / "podman"
    name = f"seccomp-{hashlib.blake2b(text, digest_size=10).hexdigest()}.json"
    try:
        _write(folder / name, text)
    except OSError as error:
        raise SandboxUnavailable(
            f"The list of system calls for Podman could not be written: {error}.",
            remedy=f"Make {folder} writable.",
        ) from error
    return f"seccomp={folder / name}"


def tmpfs(folders: Iterable[MemoryFolder]) -> dict[str, str]:
    """Return folders in memory for everybody; a sticky bit keeps the channel the reporter's own."""
    found = {folder.target: f"rw,exec,nosuid,nodev,size={folder.size_mb}m,mode=1777" for folder in folders}
    # It would make these itself, as large as memory is.
    found |= {"/run": "rw,nosuid,nodev,size=1m,mode=0755", "/var/tmp": "ro,nosuid,nodev,size=1m,mode=0755"}
    return {**found, RUN_FOLDER: "rw,nosuid,nodev,noexec,size=16m,mode=1733"}


def bound(container: Any, folders: Iterable[MemoryFolder]) -> None:
    """Bound the files of a started container's folders, where the engine is on this machine."""
    container.reload()
    with contextlib.suppress(SandboxUnavailable):
        bound_files(container.attrs["State"]["Pid"], [(one.target, one.n_files) for one in folders])


def _write(path: Path, content: bytes) -> None:
    """Write a file whole, in a folder that only we may write to; others' processes may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    if path.is_file() and path.read_bytes() == content:
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    Path(name).replace(path)
