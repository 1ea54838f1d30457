"""One Job on a cluster from start to end: filled, timed, reported on, and asked for more on demand.

The runner is sent into the reporter's container, whose folder the tests' container sees read-only, and the
tree into the tests' own. Reporter and command are then started in them as they are in a Docker container.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import SandboxRequest, SandboxResult
from greenline.sandbox.conversation import KILL_GRACE_S, MAX_WAITS, READY_S, Reporter, Watch, converse
from greenline.sandbox.kubernetes_exec import KubernetesExec
from greenline.sandbox.kubernetes_failure import ApiFailure, clipped, cut, unavailable
from greenline.sandbox.kubernetes_manifest import REPORTER, SHIPPED_FOLDER, TESTS
from greenline.sandbox.kubernetes_pod import PodFollower
from greenline.sandbox.staging import tar_blocks

if TYPE_CHECKING:
    from greenline.sandbox.kubernetes_api import Cluster

_TOLD_S, _SOON_S = 3.0, 1.0
"""How long the cluster may take to say why a command's connection ended, and why another did."""
_LAST_WORDS_S = 1.0
"""How long connections stay open once the pod is in trouble, for what is under way."""
_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
"""Of cgroup v2 and v1; one of them exists."""
_LEAKS = 66
_PROBE = f"""\
import os, socket, sys, time
host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
for wait_s in (1, 2, 3, 0) if host else ():
    try:
        socket.create_connection((host, int(port)), 1.5).close()
    except OSError:
        sys.exit(0)
    time.sleep(wait_s)
sys.exit({_LEAKS} if host else 0)
"""
"""Tries to reach the one address that every pod is told: the cluster's own API.

Some network plug-ins take seconds to close a new pod, so that one who gets through tries again.
"""


class KubernetesSession:
    """One Job from start to end."""

    def __init__(
        self, cluster: Cluster, job: str, request: SandboxRequest, skipped: tuple[str, ...], start_s: float
    ) -> None:
        """Serve a request by a Job that was made; folders that are `skipped` are not staged."""
        self._cluster = cluster
        self._job = job
        self._request = request
        self._skipped = skipped
        self._start_s = start_s
        self._pod = ""
        self._lock = threading.Lock()
        self._open: set[KubernetesExec] = set()
        self._over = False
        self._follower = PodFollower(cluster, job, self._part)

    def run(self, shipped: bytes, cancellation: Cancellation) -> SandboxResult:
        """Run the request in the Job's pod and return what came out; the caller removes the Job."""
        self._pod = self._follower.wait_until_running(self._start_s, lambda: cancellation.cancelled)
        cancellation.raise_if_cancelled()
        self._fill(shipped)
        reporter = self._start_reporter() if self._request.reporter else None
        if reporter and not reporter[0].wait_until_ready():
            raise self._no_reporter(*reporter)
        cancellation.raise_if_cancelled()
        wall_s = self._request.limits.wall_s
        with Watch(wall_s + KILL_GRACE_S, self.kill) as watch:
            process, output = self._execute(None if reporter is None else reporter[0], watch)
        cancellation.raise_if_cancelled()
        code = process.exit_code
        timed_out = watch.ran_out or (code in (124, 137) and watch.worked_s >= wall_s)
        out_of_memory = not timed_out and self._out_of_memory(code)
        is_whole = not (timed_out or out_of_memory)
        if is_whole and (code is None or (code == 137 and self._follower.trouble)):
            raise self._lost("while the command ran")
        report = b""
        if reporter is not None:
            report = reporter[0].finish()
            if is_whole and reporter[0].ended and reporter[1].exit_code is None:
                raise self._lost("while the report was read")
        return SandboxResult(
            137 if out_of_memory else code, timed_out, output, report, watch.worked_s, out_of_memory
        )

    def kill(self) -> None:
        """End everything of this session at once; used from other threads."""
        self.close()
        with contextlib.suppress(ApiFailure):
            self._cluster.delete_job(self._job)

    def close(self) -> None:
        """Cut every connection; whoever reads finds no more. May be called twice."""
        with self._lock:
            self._over = True
            connections = list(self._open)
        for connection in connections:
            connection.cut()
        self._follower.close()

    def _part(self) -> None:
        """Cut the connections to a pod in trouble: to a lost node they would stay open for ever."""
        timer = threading.Timer(_LAST_WORDS_S, self.close)
        timer.name, timer.daemon = "sandbox-part", True
        timer.start()

    def _start(self, container: str, argv: Iterable[str], *, has_input: bool = False) -> KubernetesExec:
        """Start a process; raises `SandboxUnavailable`."""
        command = ["python3" if part == "{python}" else part for part in argv]
        try:
            process = self._cluster.execute(self._pod, container, command, has_input=has_input)
        except ApiFailure as failure:
            raise self._follower.wait_for_trouble(0) or unavailable(
                failure, self._cluster.address
            ) from failure
        with self._lock:
            self._open.add(process)
            is_over = self._over
        if is_over:
            process.cut()
        return process

    def _done(self, process: KubernetesExec) -> None:
        with self._lock:
            self._open.discard(process)
        process.close()

    def _fill(self, shipped: bytes) -> None:
        """Send the runner and the tree, and see meanwhile that there is no way out."""
        request = self._request
        with ThreadPoolExecutor(2, thread_name_prefix="sandbox-fill") as pool:
            runner = pool.submit(self._unpack, REPORTER, SHIPPED_FOLDER, (shipped,))
            probe = pool.submit(self._try_network)
            self._unpack(TESTS, request.root, tar_blocks(request.tree, self._skipped))
            runner.result()
            probe.result()

    def _unpack(self, container: str, folder: str, blocks: Iterable[bytes]) -> None:
        command = ("tar", "-x", "-f", "-", "-C", folder, "--no-same-owner")
        process = self._start(container, command, has_input=True)

        def feed() -> None:
            # What went wrong is in what the process says, or in that it says nothing.
            with contextlib.suppress(OSError):
                for block in blocks:
                    process.send(block)
                process.end_input()

        feeder = threading.Thread(target=feed, name="sandbox-stage", daemon=True)
        feeder.start()
        complaint = process.tail(4096)
        feeder.join(10)
        self._done(process)
        if process.exit_code == 0:
            return
        if process.exit_code is None and not process.complaint:
            raise self._lost("while files were sent")
        words = complaint.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1] if words else process.complaint or f"exit code {process.exit_code}"
        raise SandboxUnavailable(
            f"The files of {folder} could not be staged: {clipped(reason)}.",
            remedy="The image needs tar, and a larger tmpfs_mb in the settings may help.",
        )

    def _try_network(self) -> None:
        """Raise `SandboxUnavailable` where the tests could reach the cluster's API."""
        process = self._start(TESTS, ("{python}", "-I", "-S", "-c", _PROBE))
        words = process.tail(400)
        self._done(process)
        if process.exit_code == _LEAKS:
            raise SandboxUnavailable(
                "The cluster does not enforce network policies: a pod without network could reach its API.",
                remedy="Use a cluster whose network plug-in enforces NetworkPolicy.",
            )
        if process.exit_code == 0:
            return
        if process.exit_code is None and not process.complaint:
            raise self._lost("while its network was tried")
        said = process.complaint or words.decode("utf-8", "replace")
        raise SandboxUnavailable(
            f"Python does not run in the image: {clipped(said)}.",
            remedy="The image needs python3 on its PATH.",
        )

    def _start_reporter(self) -> tuple[Reporter, KubernetesExec]:
        process = self._start(REPORTER, self._request.reporter)
        return Reporter(process), process

    def _no_reporter(self, reporter: Reporter, process: KubernetesExec) -> SandboxUnavailable:
        if not reporter.ended:
            return SandboxUnavailable(
                f"The reporter was not ready after {READY_S:.0f} s.",
                remedy="The node may be overloaded: try again when less runs on it.",
            )
        if process.exit_code is None and not process.complaint:
            return self._lost("before the reporter was ready")
        words = process.complaint or self._cluster.log(self._pod, REPORTER) or reporter.words()
        return SandboxUnavailable(
            f"The reporter did not start: {clipped(words)}.",
            remedy="Check that python3 of the image is 3.8 or newer.",
        )

    def _execute(self, reporter: Reporter | None, watch: Watch) -> tuple[KubernetesExec, bytes]:
        request = self._request
        asks = request.followup is not None and reporter is not None
        lives_s = request.limits.wall_s * (MAX_WAITS if asks else 1)
        variables = [f"{name}={value}" for name, value in request.environment.items()]
        argv = ("env", *variables, "timeout", "-s", "KILL", f"{lives_s:.3f}", *request.command)
        process = self._start(TESTS, argv, has_input=asks)
        if asks and reporter is not None and request.followup is not None:
            talk = (process, reporter, request.followup, watch)
            threading.Thread(target=converse, args=talk, name="sandbox-rounds", daemon=True).start()
        output = process.tail(request.limits.output_bytes)
        self._done(process)
        if process.complaint:
            raise SandboxUnavailable(
                f"The command could not be started: {clipped(process.complaint)}.",
                remedy="The image needs env and timeout, and the command's own program.",
            )
        return process, output

    def _out_of_memory(self, code: int | None) -> bool:
        """Return whether a command was ended for want of memory.

        A newer kernel ends the whole container then, an older one the command alone.
        """
        if code not in (None, 137):
            return False
        if self._follower.wait_for_trouble(_TOLD_S if code is None else _SOON_S) or code is None:
            return self._follower.ran_out_of_memory(TESTS)
        with contextlib.suppress(SandboxUnavailable):
            reader = self._start(TESTS, ("cat", *_COUNTERS))
            counters = reader.tail(4096)
            self._done(reader)
            return re.search(rb"^oom_kill [1-9]", counters, re.MULTILINE) is not None
        return False

    def _lost(self, when: str) -> SandboxUnavailable:
        """Return why a connection ended early, in the cluster's words where it has some."""
        return self._follower.wait_for_trouble(_SOON_S) or cut(when)
