"""The containers of a stub's pods: processes of this machine in namespaces of their own.

As in a cluster, each has its own mounts, processes, network and user, and a read-only root: the machine's
`/usr` and `/etc`, and the pod's volumes where the manifest mounts them, read-only where it says so.
Not as in a cluster: every image is this machine, and limits of memory, processors and disk hold nothing.
It needs root, as making namespaces does.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import attrs

_READY_S = 20.0
_POLL_S = 0.01
_LINKED = ("bin", "lib", "lib32", "lib64", "sbin")
_DEVICES = ("null", "zero", "random", "urandom")
_LOOPBACK_UP = (
    "import fcntl,socket,struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41))"
)


@attrs.frozen
class Ground:
    """What a container is made on."""

    folder: Path
    """A folder of its own."""
    volumes: dict[str, Path]
    """Volumes of the pod by name."""
    variables: dict[str, str]
    """What every container of the cluster is told."""
    has_network: bool


class Container:
    """One container; `kill` must follow."""

    def __init__(self, spec: dict[str, Any], ground: Ground) -> None:
        self.name: str = spec["name"]
        self._spec = spec
        self._root = ground.folder / "root"
        self._root.mkdir(parents=True)
        self._variables = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            **ground.variables,
            **{entry["name"]: entry["value"] for entry in spec.get("env", ())},
        }
        self._beside: list[subprocess.Popen[bytes]] = []
        self.log = ground.folder / "log"
        net = () if ground.has_network else ("--net",)
        unshare = ("unshare", "--mount", "--pid", "--ipc", "--uts", *net, "--fork")
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [*unshare, "sh", "-ec", self._script(ground)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._first = self._wait_until_ready(ground.folder / "ready")

    def execute(self, argv: list[str], *, has_input: bool) -> subprocess.Popen[bytes]:
        """Start a process beside the container's first."""
        inside = ("nsenter", "--target", str(self._first), "--mount", "--pid", "--net", "--ipc", "--uts")
        process = subprocess.Popen(
            [*inside, *self._entry(argv)],
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._beside.append(process)
        return process

    def ended(self) -> int | None:
        """Return how the first process ended, or None while it runs."""
        return self._process.poll()

    def kill(self) -> None:
        """End every process; may be called twice."""
        if self._process.poll() is None:
            # What made the namespaces and what is first in them are one group; the rest goes with the first.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for process in self._beside:
            # Those whose client was lost are nobody's to wait for but the container's.
            process.kill()
            process.wait()

    def _entry(self, argv: list[str]) -> list[str]:
        """Return the command that starts another as the container's user."""
        security = self._spec["securityContext"]
        user = ["setpriv", "--reuid", str(security["runAsUser"]), "--regid", str(security["runAsGroup"])]
        user += ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        variables = [f"{name}={value}" for name, value in self._variables.items()]
        folder = self._spec.get("workingDir", "/")
        return ["chroot", str(self._root), *user, "env", "-i", "-C", folder, *variables, *argv]

    def _script(self, ground: Ground) -> str:
        """Return what makes the container's root and becomes its first process."""
        root = shlex.quote(str(self._root))
        lines = ["mount --make-rprivate /", f"mount -t tmpfs -o mode=0755 root {root}"]
        lines += [f"mkdir {root}/{name}" for name in ("usr", "etc", "proc", "dev", "tmp", "run", "opt")]
        for name in ("usr", "etc"):
            lines += [f"mount --bind /{name} {root}/{name}", f"mount -o remount,bind,ro {root}/{name}"]
        for name in _LINKED:
            if Path(f"/{name}").is_symlink():
                lines.append(f"ln -s {shlex.quote(str(Path(f'/{name}').readlink()))} {root}/{name}")
        for name in _DEVICES:
            lines += [f": > {root}/dev/{name}", f"mount --bind /dev/{name} {root}/dev/{name}"]
        lines.append(f"mount -t proc proc {root}/proc")
        mounts = sorted(self._spec.get("volumeMounts", ()), key=lambda mount: mount["mountPath"].count("/"))
        for mount in mounts:
            target = root + shlex.quote(mount["mountPath"])
            source = shlex.quote(str(ground.volumes[mount["name"]]))
            lines += [f"mkdir -p {target}", f"mount --bind {source} {target}"]
            if mount.get("readOnly"):
                lines.append(f"mount -o remount,bind,ro {target}")
        if self._spec["securityContext"].get("readOnlyRootFilesystem"):
            lines.append(f"mount -o remount,ro {root}")
        if not ground.has_network:
            lines.append(f"/usr/bin/python3 -I -S -c {shlex.quote(_LOOPBACK_UP)}")
        lines.append(f": > {shlex.quote(str(ground.folder / 'ready'))}")
        lines.append(f"exec {shlex.join(self._entry(self._spec['command']))}")
        return "\n".join(lines)

    def _wait_until_ready(self, sign: Path) -> int:
        """Return the number of the container's first process on this machine."""
        deadline = time.monotonic() + _READY_S
        while not sign.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"A container did not start: {self.log.read_text('utf-8', 'replace')}")
            time.sleep(_POLL_S)
        pid = self._process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
