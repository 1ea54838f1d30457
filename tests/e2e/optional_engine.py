"""Engines that a machine may have beside its own, each started for tests with everything in one folder."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
from process_table import with_words

from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.engine import knock

_STARTS_S = 60.0
_ENDS_S = 20.0


class NotThere(Exception):
    """The engine cannot be started here; the text says why."""


@attrs.frozen
class Engine:
    """An engine that answers."""

    name: str
    host: str
    runtime: str | None = None

    def sandbox(self, runtime: str | None = None, **environment: str) -> DockerSandbox:
        """Return a sandbox of it, over the system's own programs."""
        kept = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), **environment}
        return DockerSandbox(SandboxSettings(self.host, runtime or self.runtime, environment=kept))


@contextmanager
def podman() -> Iterator[Engine]:
    """Yield Podman's service; raises `NotThere`."""
    program, runtime = _needed("podman"), shutil.which("runc") or _needed("crun")
    with _folder("greenline-podman-") as folder:
        configuration = folder / "containers.conf"
        # Podman asks for more open files than root may have on every machine.
        configuration.write_text('[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n')
        place = ["--root", str(folder / "root"), "--runroot", str(folder / "run")]
        how = ["--storage-driver", "vfs", "--runtime", runtime, "--cgroup-manager", "cgroupfs"]
        host = f"unix://{folder}/podman.sock"
        argv = [program, *place, *how, "system", "service", "--time", "0", host]
        with _running(argv, folder, host, CONTAINERS_CONF=str(configuration)):
            yield Engine("podman", host)


@contextmanager
def gvisor() -> Iterator[Engine]:
    """Yield a Docker engine with gVisor as a runtime; raises `NotThere`."""
    program, runsc = _needed("dockerd"), _needed("runsc")
    with _folder("greenline-gvisor-") as folder:
        runtime = {"path": runsc, "runtimeArgs": ["--platform=ptrace", "--network=none"]}
        (folder / "daemon.json").write_text(json.dumps({"runtimes": {"runsc": runtime}}))
        host = f"unix://{folder}/docker.sock"
        places = [f"--{name}={folder}/{name}" for name in ("data-root", "exec-root", "pidfile")]
        network = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]
        others = [
            "--userland-proxy=false",
            "--shutdown-timeout=5",
            "--exec-opt",
            "native.cgroupdriver=cgroupfs",
        ]
        argv = [program, f"--host={host}", f"--config-file={folder}/daemon.json", *places, *network, *others]
        with _running(argv, folder, host):
            yield Engine("gvisor", host, "runsc")


def _needed(name: str) -> str:
    if os.getuid() != 0:
        raise NotThere("only root can start an engine for a test")
    path = shutil.which(name)
    if path is None:
        raise NotThere(f"{name} is not installed")
    return path


@contextmanager
def _folder(prefix: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(argv: list[str], folder: Path, host: str, **variables: str) -> Iterator[None]:
    """Run an engine until the block ends; raises `NotThere` with its last word where it does not start."""
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env={**os.environ, **variables}
        )
    try:
        deadline = time.monotonic() + _STARTS_S
        while not _answers(host):
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text("utf-8", "replace").strip().splitlines()
                raise NotThere(f"{Path(argv[0]).name} does not start: {said[-1] if said else 'no word'}")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # Podman's monitors stay for minutes after what they watched.
        for pid in with_words(f"{folder}/"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _answers(host: str) -> bool:
    with contextlib.suppress(OSError):
        knock(host, 2)
        return True
    return False
