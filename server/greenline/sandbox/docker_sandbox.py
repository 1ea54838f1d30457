"""Docker: one fresh, limited container for each request. The only importer of docker-py.

The tree is streamed into a tmpfs at the project's own path, so that nothing of the user's is ever writable;
tests and reporter run under two different unprivileged users, and the container is removed whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import docker
import docker.errors
import docker.types
import requests.exceptions

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import Limits, SandboxHealth, SandboxRequest, SandboxResult
from greenline.sandbox import base_image
from greenline.sandbox.engine import REMEDY, candidate_hosts, knock
from greenline.sandbox.exec_stream import ExecStream
from greenline.sandbox.host_toolchain import HostToolchain, resolve
from greenline.sandbox.package_data import sandbox_folder
from greenline.sandbox.staging import tar_blocks

REPORTER_UID = 64001
UNPRIVILEGED_UID = 64000
"""Whose name the tests run under where the caller is root."""
LABEL_RUN = "greenline.run"
LABEL_OWNER = "greenline.owner"
HOME = "/tmp/home"
RUN_FOLDER = "/run/greenline"
"""Writable for the reporter alone; it makes its FIFO there."""
MAX_REPORT_BYTES = 64 * 1024 * 1024
_CONNECT_S = 5
_CALL_S = 60
_READY_S = 20.0
_REPORTER_GRACE_S = 3.0
_KILL_GRACE_S = 2.0
_OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
"""Of cgroup v2 and v1; one of them exists."""
_ENGINE_ERRORS = (docker.errors.DockerException, requests.exceptions.RequestException, OSError)


@attrs.frozen
class SandboxSettings:
    """What the user chose about the sandbox."""

    docker_host: str | None = None
    runtime: str | None = None
    """An OCI runtime such as `runsc`, or None for the engine's default."""
    environment: Mapping[str, str] = attrs.field(factory=lambda: dict(os.environ))
    """The user's environment: read to find the engine and the interpreter, never passed on."""


class DockerSandbox:
    """Implements `Sandbox` on a Docker engine with the `host` toolchain; safe to use from several threads."""

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self._settings = settings or SandboxSettings()
        self._lock = threading.Lock()
        self._client: Any = None
        self._engine = ""
        self._images: dict[str, str] = {}

    def health(self) -> SandboxHealth:
        """Return whether an engine answers and the image can be had; never raises."""
        try:
            client = self._connect()
            tag = self._image(client)
            client.ping()
        except SandboxUnavailable as error:
            return SandboxHealth(False, "docker", problem=error.message, remedy=error.remedy)
        except _ENGINE_ERRORS as error:
            problem = f"The container engine does not answer any more: {_words(error)}."
            return SandboxHealth(False, "docker", problem=problem, remedy=REMEDY)
        return SandboxHealth(True, "docker", self._engine, self._images[tag], "host")

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run a request in a fresh container; raises `SandboxUnavailable`, or `Cancelled` within 2 s."""
        cancellation.raise_if_cancelled()
        client = self._connect()
        toolchain = resolve(request.root, self._settings.environment)
        container = None
        try:
            container = client.containers.create(**self._arguments(client, request, toolchain))
            session = _Session(client, container, request, toolchain, _caller())
            with cancellation.hook(session.kill):
                return session.run(cancellation)
        except SandboxUnavailable:
            # A container killed while it is being filled looks like a sick one.
            cancellation.raise_if_cancelled()
            raise
        except _ENGINE_ERRORS as error:
            if cancellation.cancelled:
                raise Cancelled("The run was cancelled.") from error
            raise SandboxUnavailable(
                f"The container engine failed: {_words(error)}.", remedy=REMEDY
            ) from error
        finally:
            if container is not None:
                with contextlib.suppress(*_ENGINE_ERRORS):
                    container.remove(force=True)

    def _connect(self) -> Any:
        with self._lock:
            if self._client is not None:
                return self._client
            hosts = candidate_hosts(self._settings.docker_host, self._settings.environment)
            problem = "No container engine was found."
            for host in hosts:
                try:
                    knock(host, _CONNECT_S)
                    client = docker.DockerClient(base_url=host, timeout=_CONNECT_S)
                    self._engine = f"docker {client.version()['Version']}"
                    client.api.timeout = _CALL_S
                except _ENGINE_ERRORS as error:
                    problem = f"No container engine answers at {host}: {_words(error)}."
                    continue
                self._client = client
                reap_orphans(client)
                return client
            raise SandboxUnavailable(problem, remedy=REMEDY)

    def _image(self, client: Any) -> str:
        """Return the tag of the empty image, importing it where the engine has it not."""
        uid, gid = _caller()
        tag, data = base_image.build(uid, gid, REPORTER_UID)
        with self._lock:
            if tag in self._images:
                return tag
            try:
                try:
                    image = client.images.get(tag)
                except docker.errors.ImageNotFound:
                    name, version = tag.split(":")
                    client.api.import_image_from_data(data, repository=name, tag=version)
                    image = client.images.get(tag)
            except _ENGINE_ERRORS as error:
                raise SandboxUnavailable(
                    f"The image {tag} is missing: {_words(error)}.", remedy=REMEDY
                ) from error
            self._images[tag] = str(image.id)
            return tag

    def _arguments(self, client: Any, request: SandboxRequest, toolchain: HostToolchain) -> dict[str, Any]:
        uid, gid = _caller()
        limits = request.limits
        memory = f"{limits.memory_mb}m"
        mounts = [_bind(mount.source, mount.target) for mount in toolchain.mounts]
        shipped = sandbox_folder()
        for name in ("runner", "toolbox"):
            if (shipped / name).is_dir():
                mounts.append(_bind(str(shipped / name), f"/opt/greenline/{name}"))
        return {
            "image": self._image(client),
            "command": ["sleep", "infinity"],
            "init": True,
            "runtime": self._settings.runtime,
            "network_mode": "none",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges:true"],
            "ipc_mode": "private",
            "user": f"{uid}:{gid}",
            "mem_limit": memory,
            "memswap_limit": memory,
            "nano_cpus": int(limits.cpus * 1e9),
            "pids_limit": limits.pids,
            "working_dir": request.root,
            "mounts": mounts,
            "tmpfs": _tmpfs(request.root, limits, uid, gid),
            "environment": _environment(request, toolchain),
            "labels": {LABEL_RUN: request.label or "none", LABEL_OWNER: str(os.getpid())},
            "log_config": docker.types.LogConfig(type="none"),
        }


class _Session:
    """One container from start to end."""

    def __init__(
        self,
        client: Any,
        container: Any,
        request: SandboxRequest,
        toolchain: HostToolchain,
        caller: tuple[int, int],
    ) -> None:
        self._api = client.api
        self._container = container
        self._request = request
        self._toolchain = toolchain
        self._user = f"{caller[0]}:{caller[1]}"
        self._timed_out = False

    def run(self, cancellation: Cancellation) -> SandboxResult:
        self._container.start()
        self._stage()
        reporter = self._start_reporter() if self._request.reporter else None
        cancellation.raise_if_cancelled()
        wall_s = self._request.limits.wall_s
        argv = ["timeout", "-s", "KILL", f"{wall_s:.3f}", *self._argv(self._request.command)]
        started = time.monotonic()
        timer = threading.Timer(wall_s + _KILL_GRACE_S, self._time_out)
        timer.name = "sandbox-timeout"
        timer.start()
        try:
            exit_code, output = self._execute(argv)
        finally:
            timer.cancel()
        duration_s = time.monotonic() - started
        timed_out = self._timed_out or (exit_code in (124, 137) and duration_s >= wall_s)
        if timed_out:
            self.kill()
        cancellation.raise_if_cancelled()
        out_of_memory = not timed_out and self._out_of_memory(exit_code)
        report = reporter.finish() if reporter else b""
        return SandboxResult(exit_code, timed_out, output, report, duration_s, out_of_memory)

    def kill(self) -> None:
        """Kill the container and everything in it; used from other threads."""
        with contextlib.suppress(*_ENGINE_ERRORS):
            self._container.kill()

    def _time_out(self) -> None:
        self._timed_out = True
        self.kill()

    def _argv(self, argv: tuple[str, ...]) -> list[str]:
        return [self._toolchain.python if part == "{python}" else part for part in argv]

    def _stage(self) -> None:
        """Stream the tree into the tmpfs: `put_archive` refuses a read-only container."""
        command = ["tar", "-x", "-f", "-", "-C", self._request.root, "--no-same-owner"]
        created = self._api.exec_create(self._container.id, command, stdin=True, user=self._user)
        stream = ExecStream(self._api.exec_start(created["Id"], socket=True))
        failed: list[OSError] = []

        def feed() -> None:
            try:
                for block in tar_blocks(self._request.tree, self._toolchain.environment):
                    stream.send(block)
                stream.end_input()
            except OSError as error:
                failed.append(error)

        feeder = threading.Thread(target=feed, name="sandbox-stage", daemon=True)
        feeder.start()
        complaint = stream.tail(4096)
        feeder.join(10)
        stream.close()
        code = self._api.exec_inspect(created["Id"])["ExitCode"]
        if code != 0 or failed:
            words = complaint.decode("utf-8", "replace").strip().splitlines()
            reason = words[-1] if words else f"exit code {code}"
            raise SandboxUnavailable(
                f"The files of {self._request.root} could not be staged: {reason}.",
                remedy="A larger tmpfs_mb in the settings may help.",
            )

    def _start_reporter(self) -> _Reporter:
        created = self._api.exec_create(
            self._container.id,
            self._argv(self._request.reporter),
            user=f"{REPORTER_UID}:{REPORTER_UID}",
            workdir="/",
        )
        reporter = _Reporter(ExecStream(self._api.exec_start(created["Id"], socket=True)))
        if not reporter.wait_until_ready():
            raise SandboxUnavailable(
                f"The reporter did not start: {reporter.words()}.",
                remedy=f"Check that {self._toolchain.python} runs on this machine.",
            )
        return reporter

    def _execute(self, argv: list[str]) -> tuple[int | None, bytes]:
        created = self._api.exec_create(self._container.id, argv, user=self._user, workdir=self._request.root)
        with contextlib.closing(ExecStream(self._api.exec_start(created["Id"], socket=True))) as stream:
            output = stream.tail(self._request.limits.output_bytes)
        try:
            code = self._api.exec_inspect(created["Id"])["ExitCode"]
        except docker.errors.NotFound:
            code = None
        return code, output

    def _out_of_memory(self, exit_code: int | None) -> bool:
        """Ask the kernel's own counter, after a kill only: the engine's flag is wrong in both directions."""
        if exit_code != 137 or self._timed_out:
            return False
        with contextlib.suppress(*_ENGINE_ERRORS):
            created = self._api.exec_create(self._container.id, ["cat", *_OOM_COUNTERS], user=self._user)
            with contextlib.closing(ExecStream(self._api.exec_start(created["Id"], socket=True))) as stream:
                counters = stream.tail(4096)
            return re.search(rb"^oom_kill [1-9]", counters, re.MULTILINE) is not None
        return False


class _Reporter:
    """Collects what the reporter prints, in a thread of its own."""

    def __init__(self, stream: ExecStream) -> None:
        self._stream = stream
        self._data = bytearray()
        self._changed = threading.Condition()
        self._ended = False
        threading.Thread(target=self._collect, name="sandbox-reporter", daemon=True).start()

    def wait_until_ready(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or b"\n" in self._data, _READY_S)
            return bytes(self._data).startswith(b"ready\n")

    def words(self) -> str:
        return bytes(self._data[-400:]).decode("utf-8", "replace").strip() or "it printed nothing"

    def finish(self) -> bytes:
        """Wait for the reporter's own end, which comes when the last writer has closed the FIFO."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended, _REPORTER_GRACE_S)
            return bytes(self._data[len(b"ready\n") :])

    def _collect(self) -> None:
        with contextlib.suppress(*_ENGINE_ERRORS), contextlib.closing(self._stream):
            for chunk in self._stream.chunks():
                with self._changed:
                    if len(self._data) < MAX_REPORT_BYTES:
                        self._data += chunk
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _caller() -> tuple[int, int]:
    """Return the uid and gid that tests run under: the caller's own, or a fixed one instead of root's."""
    if os.getuid() == 0:
        return UNPRIVILEGED_UID, UNPRIVILEGED_UID
    return os.getuid(), os.getgid()


def _bind(source: str, target: str) -> Any:
    return docker.types.Mount(target, source, type="bind", read_only=True)


def _tmpfs(root: str, limits: Limits, uid: int, gid: int) -> dict[str, str]:
    owner = f"uid={uid},gid={gid}"
    return {
        root: f"rw,exec,nosuid,nodev,size={limits.tmpfs_mb}m,{owner},mode=0755",
        "/tmp": f"rw,exec,nosuid,nodev,size={limits.tmpfs_mb}m,mode=1777",
        HOME: f"rw,exec,nosuid,nodev,size={limits.tmpfs_mb}m,{owner},mode=0700",
        RUN_FOLDER: f"rw,nosuid,nodev,noexec,size=16m,uid={REPORTER_UID},gid={REPORTER_UID},mode=0711",
    }


def _environment(request: SandboxRequest, toolchain: HostToolchain) -> dict[str, str]:
    path = [*toolchain.bin_folders, "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "PATH": os.pathsep.join(dict.fromkeys(path)),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **request.environment,
    }


def reap_orphans(client: Any) -> None:
    """Remove containers whose owner process is gone: a killed worker cannot do it itself."""
    with contextlib.suppress(*_ENGINE_ERRORS):
        for container in client.containers.list(all=True, filters={"label": LABEL_OWNER}):
            if not Path(f"/proc/{container.labels[LABEL_OWNER]}").exists():
                with contextlib.suppress(*_ENGINE_ERRORS):
                    container.remove(force=True)


def _words(error: BaseException) -> str:
    text = str(getattr(error, "explanation", None) or error).strip().splitlines()
    return (text[0] if text else type(error).__name__).rstrip(".")
