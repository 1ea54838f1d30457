"""One Docker container from start to end: staged, timed, reported on, and asked for more on demand.

What runs in it and who watches it: `reporter` under its own user, the command under the tests' user.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import docker.errors
import requests.exceptions

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import SandboxRequest, SandboxResult
from greenline.sandbox.conversation import KILL_GRACE_S, MAX_WAITS, READY_S, Reporter, Watch, converse
from greenline.sandbox.exec_stream import OUTPUT, ExecStream
from greenline.sandbox.host_toolchain import HostToolchain
from greenline.sandbox.inside import REPORTER_UID
from greenline.sandbox.staging import tar_blocks

ENGINE_ERRORS = (docker.errors.DockerException, requests.exceptions.RequestException, OSError)
_SILENT_S = 3.0
"""How long a container may be dead before its streams, which the engine should have ended, are."""
_OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
"""Of cgroup v2 and v1; one of them exists."""


class Session:
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
        self._streams: list[ExecStream] = []
        self._ended_by_itself = False

    def watch_end(self) -> None:
        """End the streams where the container ends by itself, as gVisor's does that has no memory left."""

        def wait() -> None:
            with contextlib.suppress(*ENGINE_ERRORS):
                self._api.wait(self._container.id, timeout=None)
                self._ended_by_itself = True
            self._abort_later()

        threading.Thread(target=wait, name="sandbox-end", daemon=True).start()

    def run(self, cancellation: Cancellation) -> SandboxResult:
        """Run the request in the started container and return what came out; the caller removes it."""
        reporter = self._start_reporter() if self._request.reporter else None
        self._stage()
        if reporter and not reporter.wait_until_ready():
            raise self._no_reporter(reporter)
        cancellation.raise_if_cancelled()
        wall_s = self._request.limits.wall_s
        with Watch(wall_s + KILL_GRACE_S, self.kill) as watch:
            exit_code, output = self._execute(reporter, watch)
        timed_out = watch.ran_out or (exit_code in (124, 137) and watch.worked_s >= wall_s)
        if timed_out:
            self.kill()
        cancellation.raise_if_cancelled()
        out_of_memory = not timed_out and self._out_of_memory(exit_code)
        report = reporter.finish() if reporter else b""
        return SandboxResult(exit_code, timed_out, output, report, watch.worked_s, out_of_memory)

    def collect(self, folders: Sequence[str]) -> Iterator[bytes]:
        """Yield a tar of folders of the root, as the command left them; raises `ENGINE_ERRORS`."""
        command = ["tar", "-c", "-f", "-", "-C", self._request.root, *folders]
        created = self._api.exec_create(self._container.id, command, user=self._user)
        with contextlib.closing(self._opened(created)) as stream:
            yield from stream.chunks(OUTPUT)
        if self._api.exec_inspect(created["Id"])["ExitCode"] != 0:
            raise docker.errors.DockerException("what was made could not be read")

    def answers(self, ports: Sequence[int], wait_s: float) -> bool:
        """Return whether somebody listens at all of these ports of loopback, or will soon."""
        program = ("{python}", "-I", "/opt/greenline/runner/wait_port.py", f"{wait_s:g}", *map(str, ports))
        created = self._api.exec_create(self._container.id, self._argv(program), user=self._user)
        with contextlib.closing(self._opened(created)) as stream:
            stream.tail(4096)
        return bool(self._api.exec_inspect(created["Id"])["ExitCode"] == 0)

    def kill(self) -> None:
        """Kill the container and everything in it; used from other threads."""
        with contextlib.suppress(*ENGINE_ERRORS):
            self._container.kill()
        self._abort_later()

    def _abort_later(self) -> None:
        def abort() -> None:
            for stream in self._streams:
                stream.abort()

        timer = threading.Timer(_SILENT_S, abort)
        timer.name, timer.daemon = "sandbox-silent", True
        timer.start()

    def _opened(self, created: dict[str, str]) -> ExecStream:
        """Start an exec and return its stream, which is aborted should the container die silently."""
        stream = ExecStream(self._api.exec_start(created["Id"], socket=True))
        self._streams.append(stream)
        return stream

    def _argv(self, argv: tuple[str, ...]) -> list[str]:
        return [self._toolchain.python if part == "{python}" else part for part in argv]

    def _stage(self) -> None:
        """Stream the tree into the tmpfs: `put_archive` refuses a read-only container."""
        self._open_parents()
        command = ["tar", "-x", "-f", "-", "-C", self._request.root, "--no-same-owner"]
        created = self._api.exec_create(self._container.id, command, stdin=True, user=self._user)
        stream = self._opened(created)
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

    def _open_parents(self) -> None:
        """Let the tests' user write to the folders that the engine made for mounts further down."""
        parents = {
            str(parent)
            for name in self._toolchain.environment
            for parent in PurePosixPath(name).parents
            if str(parent) != "."
        }
        if not parents:
            return
        # They are root's; without any capability it is still their owner.
        command = ["chmod", "0777", *(f"{self._request.root}/{parent}" for parent in sorted(parents))]
        created = self._api.exec_create(self._container.id, command, user="0:0")
        with contextlib.closing(self._opened(created)) as stream:
            stream.tail(4096)

    def _start_reporter(self) -> Reporter:
        """Start the reporter, whose interpreter comes up while the tree is staged."""
        created = self._api.exec_create(
            self._container.id,
            self._argv(self._request.reporter),
            user=f"{REPORTER_UID}:{REPORTER_UID}",
            workdir="/",
        )
        return Reporter(self._opened(created), ENGINE_ERRORS)

    def _no_reporter(self, reporter: Reporter) -> SandboxUnavailable:
        if not reporter.ended:
            return SandboxUnavailable(
                f"The reporter was not ready after {READY_S:.0f} s.",
                remedy="The machine may be overloaded: try again when less runs on it.",
            )
        return SandboxUnavailable(
            f"The reporter did not start: {reporter.words()}.",
            remedy=f"Check that {self._toolchain.python} runs on this machine.",
        )

    def _execute(self, reporter: Reporter | None, watch: Watch) -> tuple[int | None, bytes]:
        request = self._request
        asks = request.followup is not None and reporter is not None
        lives_s = request.limits.wall_s * (MAX_WAITS if asks else 1)
        argv = ["timeout", "-s", "KILL", f"{lives_s:.3f}", *self._argv(request.command)]
        created = self._api.exec_create(
            self._container.id,
            argv,
            stdin=asks,
            user=self._user,
            workdir=request.root,
            environment=dict(request.environment),
        )
        with contextlib.closing(self._opened(created)) as stream:
            if asks and reporter is not None and request.followup is not None:
                talk = (stream, reporter, request.followup, watch)
                threading.Thread(target=converse, args=talk, name="sandbox-rounds", daemon=True).start()
            output = stream.tail(request.limits.output_bytes)
        try:
            code = self._api.exec_inspect(created["Id"])["ExitCode"]
        except docker.errors.NotFound:
            code = None
        return 137 if self._ended_by_itself else code, output

    def _out_of_memory(self, exit_code: int | None) -> bool:
        """Ask the kernel's own counter, after a kill only: the engine's flag is wrong in both directions."""
        if exit_code != 137:
            return False
        if self._ended_by_itself:
            # Nobody else is left to ask.
            with contextlib.suppress(*ENGINE_ERRORS):
                self._container.reload()
                return bool(self._container.attrs["State"]["OOMKilled"])
        with contextlib.suppress(*ENGINE_ERRORS):
            created = self._api.exec_create(self._container.id, ["cat", *_OOM_COUNTERS], user=self._user)
            with contextlib.closing(self._opened(created)) as stream:
                counters = stream.tail(4096)
            return re.search(rb"^oom_kill [1-9]", counters, re.MULTILINE) is not None
        return False
