"""bubblewrap: sandboxes without an engine, of the kernel's namespaces alone. A weaker mode, never chosen by
itself, and said wherever its results are shown.

Where root calls, root makes them and the tests have a user of their own, as with Docker. Anybody else makes a
user namespace first, where there is one user: the reporter is then kept apart by namespaces alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import stat
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import Limits, SandboxHealth, SandboxRequest, SandboxResult
from greenline.sandbox import control_group, owned_folder, seccomp_program
from greenline.sandbox.bubblewrap_session import REMEDY, BubblewrapSession, Ground
from greenline.sandbox.bubblewrap_start import program
from greenline.sandbox.bubblewrap_view import View, arguments
from greenline.sandbox.fingerprint import folders_fingerprint
from greenline.sandbox.host_toolchain import HostToolchain, resolve, system_mounts
from greenline.sandbox.inside import (
    REPORTER_UID,
    caller,
    check_root,
    memory_folders,
    shipped_mounts,
    variables,
)

NAME = "bubblewrap"
ONE_USER = (
    "The reporter and the tests ran as one user, since bubblewrap without root has no other: "
    "namespaces and a read-only channel alone kept them apart."
)
_PROBE_ROOT = "/tmp/greenline-probe"
_PROBE = Limits(memory_mb=256, wall_s=10, tmpfs_mb=16)
_VERSION_S = 10


@attrs.frozen
class BubblewrapSettings:
    """What the user chose about the sandbox."""

    toolchain: str = "host"
    variables: tuple[tuple[str, str], ...] = ()
    """What the user hands to the tests."""
    unserved: tuple[str, ...] = ()
    """Settings that are given and that only an engine can serve: nothing runs without them."""
    environment: Mapping[str, str] = attrs.field(factory=lambda: dict(os.environ))
    """The user's environment: read to find programs and the interpreter, never passed on."""


class BubblewrapSandbox:
    """Implements `Sandbox` with bubblewrap; safe to use from several threads."""

    def __init__(self, settings: BubblewrapSettings | None = None) -> None:
        self._settings = settings or BubblewrapSettings()
        self._lock = threading.Lock()
        self._ground: Ground | None = None
        self._version = ""
        self._held: frozenset[str] | None = None
        """What control groups hold, known once a sandbox has been made."""

    def health(self) -> SandboxHealth:
        """Return whether a sandbox can be made, after making one; never raises."""
        try:
            ground = self._prepared()
            if self._held is None:
                self._probe(ground)
        except SandboxUnavailable as error:
            return SandboxHealth(False, NAME, problem=error.message, remedy=error.remedy)
        except OSError as error:
            return SandboxHealth(False, NAME, problem=f"bubblewrap failed: {error}.", remedy=REMEDY)
        weaker = f"(weaker: {'; '.join(weaknesses(self._held or frozenset(), ground.is_root))})"
        return SandboxHealth(
            True,
            f"{NAME} {weaker}",
            f"{self._version} {weaker}",
            toolchain=self._settings.toolchain,
            warning="" if ground.is_root else ONE_USER,
        )

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run a request in a fresh sandbox; raises `SandboxUnavailable`, or `Cancelled` within 2 s."""
        cancellation.raise_if_cancelled()
        check_root(request.root)
        try:
            ground = self._prepared()
            toolchain = resolve(request.root, self._settings.environment)
            return self._run(ground, request, toolchain, cancellation)
        except SandboxUnavailable:
            # A sandbox that is killed while it is being filled looks like a sick one.
            cancellation.raise_if_cancelled()
            raise
        except OSError as error:
            if cancellation.cancelled:
                raise Cancelled("The run was cancelled.") from error
            raise SandboxUnavailable(f"bubblewrap failed: {error}.", remedy=REMEDY) from error

    def fingerprint(self, request: SandboxRequest) -> str:
        """Return a hash of sandbox, machine and of all that is mounted; see `Fingerprinted`."""
        ground = self._prepared()
        toolchain = resolve(request.root, self._settings.environment)
        mounts = (*toolchain.mounts, *shipped_mounts())
        memory = memory_folders(request.root, request.limits)
        view = View(mounts, memory, work=request.root, is_root=ground.is_root)
        # The folder's own name is another one in each process; what it holds is `/etc`'s content.
        words = [word.replace(str(ground.owned.path), "") for word in arguments(view, ground.owned)]
        etc = folder_content(ground.owned.etc)
        machine = [platform.release(), platform.machine(), os.cpu_count(), caller()]
        facts = [self._version, machine, toolchain.python, toolchain.environment, words, etc]
        limits = attrs.asdict(request.limits)
        given = [variables(toolchain), self._settings.variables, ground.seccomp.hex()]
        text = json.dumps([*facts, limits, *given], sort_keys=True)
        modules = os.path.realpath(dict(toolchain.variables).get("GOMODCACHE", "/nowhere"))
        folders = folders_fingerprint((mount.source for mount in mounts), modules)
        return hashlib.blake2b(
            f"{text}\n{folders}".encode("utf-8", "surrogateescape"), digest_size=20
        ).hexdigest()

    def close(self) -> None:
        """Remove what this process keeps for its sandboxes, and what dead ones left; may be called twice."""
        with self._lock:
            ground, self._ground = self._ground, None
        if ground is not None:
            ground.owned.remove()
            _sweep()

    def _prepared(self) -> Ground:
        with self._lock:
            if self._ground is None:
                self._ground = self._prepare()
            return self._ground

    def _prepare(self) -> Ground:
        if self._settings.toolchain != "host":
            raise SandboxUnavailable(
                "bubblewrap has no images: it shows the machine's own programs.",
                remedy='Set `toolchain` to "host", or `sandbox` to "docker".',
            )
        if self._settings.unserved:
            names = " and ".join(f"`{name}`" for name in self._settings.unserved)
            raise SandboxUnavailable(
                f"bubblewrap cannot serve the settings {names}.",
                remedy='Drop them, or set `sandbox` to "docker".',
            )
        shipped_mounts()
        found = find_program(self._settings.environment)
        self._version = _version_of(found)
        filters = seccomp_program.program()
        _sweep()
        uid, gid = caller()
        owned = owned_folder.make(uid, gid, REPORTER_UID)
        return Ground(found, owned, filters, os.getuid() == 0, self._settings.variables)

    def _probe(self, ground: Ground) -> None:
        """Make a sandbox of the machine's own programs; raises `SandboxUnavailable` where that fails."""
        toolchain = HostToolchain(program("true"), tuple(system_mounts()))
        request = SandboxRequest(_PROBE_ROOT, {}, ("{python}",), limits=_PROBE)
        result = self._run(ground, request, toolchain, Cancellation())
        if result.exit_code != 0:
            words = result.output.decode("utf-8", "replace").strip() or f"exit code {result.exit_code}"
            raise SandboxUnavailable(f"bubblewrap makes no sandbox: {words}.", remedy=REMEDY)

    def _run(
        self, ground: Ground, request: SandboxRequest, toolchain: HostToolchain, cancellation: Cancellation
    ) -> SandboxResult:
        group = control_group.make(request.limits)
        session = BubblewrapSession(ground, request, toolchain, group)
        with cancellation.hook(session.kill):
            result = session.run(cancellation)
        self._held = group.held
        return result


def weaknesses(held: frozenset[str], is_root: bool) -> list[str]:
    """Return in which ways these sandboxes are weaker than an engine's containers, in words."""
    found = ["no AppArmor or SELinux profile"]
    if not is_root:
        found.append("one user for reporter and tests")
    if "memory" not in held:
        found.append("memory is limited for each process alone")
    if "pids" not in held:
        found.append("processes are limited by their user's count")
    if "cpu" not in held:
        found.append("no limit on processors")
    return found


def find_program(environment: Mapping[str, str]) -> str:
    """Return where bubblewrap is; raises `SandboxUnavailable` where there is none that can be trusted.

    It must be root's: its first process is in sight of the tests, who can write to files of their own user.
    """
    entries = environment.get("PATH", "").split(os.pathsep)
    folders = [entry for entry in entries if Path(entry).is_absolute()]
    found = shutil.which("bwrap", path=os.pathsep.join([*folders, "/usr/bin"]))
    if found is None:
        raise SandboxUnavailable(
            "The program bwrap is not installed.",
            remedy='Install bubblewrap (`apt-get install bubblewrap`), or set `sandbox` to "docker".',
        )
    status = Path(found).stat()
    if status.st_uid != 0 or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SandboxUnavailable(
            f"{found} is not a program of root's that nobody else can write to.",
            remedy="Install bubblewrap from the system's packages.",
        )
    return found


def folder_content(folder: Path) -> str:
    """Return a hash of what a small folder holds."""
    digest = hashlib.blake2b(digest_size=20)
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()).encode() if path.is_symlink() else b""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _version_of(found: str) -> str:
    try:
        done = subprocess.run(
            [found, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{found} does not run: {error}.", remedy=REMEDY) from error
    return done.stdout.decode("utf-8", "replace").strip()


def _sweep() -> None:
    control_group.sweep()
    owned_folder.sweep()
