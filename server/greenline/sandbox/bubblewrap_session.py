"""One request in two sandboxes of bubblewrap: the command's, and the reporter's beside it.

The reporter has process, mount and network namespaces of its own, so that tests cannot see it whoever its
user is. What both share is the folder of its channel, which the tests' sandbox has read-only: a pipe can be
written to there, and neither be replaced nor have its mode changed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits, SandboxRequest, SandboxResult
from greenline.sandbox import bubblewrap_start as start
from greenline.sandbox.bubblewrap_view import INFORMATION, SECCOMP, View, arguments, bounds
from greenline.sandbox.control_group import ControlGroup
from greenline.sandbox.conversation import (
    KILL_GRACE_S,
    MAX_WAITS,
    READY_S,
    Reporter,
    Watch,
    converse,
    last_of,
)
from greenline.sandbox.file_bound import bound_files
from greenline.sandbox.host_toolchain import HostToolchain
from greenline.sandbox.inside import (
    REPORTER_UID,
    MemoryFolder,
    caller,
    memory_folders,
    shipped_mounts,
    variables,
)
from greenline.sandbox.launch import Child, launch
from greenline.sandbox.owned_folder import OwnedFolder
from greenline.sandbox.pipe_stream import Lines, PipeStream
from greenline.sandbox.staging import tar_blocks

_REPORTER_MB = 1024
_REPORTER_FOLDER = MemoryFolder("/tmp", 16, 0o1777, is_theirs=False)
_LIFELINE = 6
"""A descriptor whose other end is ours alone, so that it ends with us."""
_JOIN = f"""
while [ "$1" != -- ]; do echo $$ > "$1" || exit 1; shift; done; shift
(
  exec </dev/null >/dev/null 2>&1
  exec {start.TREE}<&- {start.STATUS}>&- {start.GO}<&- {SECCOMP}<&- {INFORMATION}>&-
  read -r _ <&{_LIFELINE}
  kill -KILL 0
) &
exec {_LIFELINE}<&-
exec "$@"
"""
"""What a shell does first: it joins control groups, leaves one behind that ends them all with us, and becomes
what follows. bubblewrap's own way to end with its parent begins late: a first process that still waits for a
parent that is dead would wait for ever."""
_SAID_BYTES = 4096
_STAGE_S = 300.0
REMEDY = 'See docs/sandbox.md for what bubblewrap needs, or use a container engine (`sandbox = "docker"`).'


@attrs.frozen
class Ground:
    """What all sandboxes of a process have in common."""

    program: str
    owned: OwnedFolder
    seccomp: bytes
    is_root: bool
    variables: tuple[tuple[str, str], ...] = ()
    """What the user hands to the tests; what the sandbox itself sets goes before."""

    @property
    def reporter_user(self) -> tuple[int, int] | None:
        """Who the reporter becomes; None where it can only be the caller."""
        return (REPORTER_UID, REPORTER_UID) if self.is_root else None

    @property
    def tests_user(self) -> tuple[int, int] | None:
        """Who the tests become; None where they can only be the caller."""
        return caller() if self.is_root else None


class BubblewrapSession:
    """One request from start to end; `run` in one thread, `kill` from any."""

    def __init__(
        self, ground: Ground, request: SandboxRequest, toolchain: HostToolchain, group: ControlGroup
    ) -> None:
        self._ground = ground
        self._request = request
        self._toolchain = toolchain
        self._group = group
        self._children: list[Child] = []
        self._lock = threading.Lock()
        self._killed = False
        self._left = ExitStack()
        self._watched, self._lifeline = -1, -1

    def run(self, cancellation: Cancellation) -> SandboxResult:
        """Run the request and return what came out; nothing of it is left. Raises `SandboxUnavailable`."""
        with self._left:
            self._left.callback(self._group.remove)
            self._left.callback(self._end)
            self._watched, self._lifeline = os.pipe()
            return self._run(cancellation)

    def kill(self) -> None:
        """Kill everything in the sandboxes, which die with their first process."""
        with self._lock:
            self._killed = True
            for child in self._children:
                child.kill()

    def _run(self, cancellation: Cancellation) -> SandboxResult:
        request, wall_s = self._request, self._request.limits.wall_s
        channel = self._channel() if request.reporter else None
        reporter = self._start_reporter(channel) if channel is not None else None
        command = self._start_command(channel)
        self._stage(command)
        if reporter and not reporter.wait_until_ready():
            raise self._no_reporter(reporter)
        cancellation.raise_if_cancelled()
        with Watch(wall_s + KILL_GRACE_S, self.kill) as watch:
            if reporter is not None and request.followup is not None:
                talk = (command.stream, reporter, request.followup, watch)
                threading.Thread(target=converse, args=talk, name="sandbox-rounds", daemon=True).start()
            command.go_on()
            output = last_of(command.stream.chunks(), request.limits.output_bytes)
            code = command.child.wait()
        exit_code = code if code >= 0 else 128 - code
        timed_out = watch.ran_out or (exit_code in (124, 137) and watch.worked_s >= wall_s)
        cancellation.raise_if_cancelled()
        out_of_memory = exit_code == 137 and not timed_out and self._group.ran_out_of_memory()
        report = reporter.finish() if reporter else b""
        return SandboxResult(exit_code, timed_out, output, report, watch.worked_s, out_of_memory)

    def _end(self) -> None:
        self.kill()
        for end in (self._watched, self._lifeline):
            if end >= 0:
                os.close(end)
        for child in self._children:
            child.wait()

    def _channel(self) -> Path:
        folder = self._ground.owned.make_channel(self._ground.reporter_user)
        self._left.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _start_reporter(self, channel: Path) -> Reporter:
        """Start the reporter, whose interpreter comes up while the tree is staged."""
        view = self._view((_REPORTER_FOLDER,), channel, is_reporter=True)
        # Its own processes are one; the user may have others.
        held = self._group.held | {"pids"}
        life_s = READY_S + self._life_s()
        steps = start.Steps(self._ground.reporter_user, Limits(memory_mb=_REPORTER_MB), life_s, held)
        words = start.becoming(steps, variables(self._toolchain))
        reading, writing = os.pipe()
        stream = PipeStream(reading)
        nothing = os.open(os.devnull, os.O_RDONLY)
        ends = {0: nothing, 1: writing, 2: writing}
        try:
            self._launch(view, [*words, *self._argv(self._request.reporter)], ends)
        except BaseException:
            stream.close()
            raise
        return Reporter(stream, (OSError, ValueError))

    def _start_command(self, channel: Path | None) -> _Command:
        request = self._request
        view = self._view(memory_folders(request.root, request.limits), channel, work=request.root)
        steps = start.Steps(self._ground.tests_user, request.limits, self._life_s(), self._group.held)
        parents = {
            str(PurePosixPath(request.root, parent))
            for name in self._toolchain.environment
            for parent in PurePosixPath(name).parents
            if str(parent) != "."
        }
        handed = [folder.target for folder in view.memory if folder.is_theirs]
        environment = {**dict(self._ground.variables), **variables(self._toolchain), **request.environment}
        words = start.staging(request.root, handed, sorted(parents), steps, environment)
        output, tree, status, go = os.pipe(), os.pipe(), os.pipe(), os.pipe()
        ends = {1: output[1], 2: output[1], start.TREE: tree[0], start.STATUS: status[1], start.GO: go[0]}
        feed = None
        if request.followup is not None and request.reporter:
            ends[0], feed = os.pipe()
        else:
            ends[0] = os.open(os.devnull, os.O_RDONLY)
        own = (PipeStream(output[0], feed), PipeStream(status[0], tree[1]), go[1])
        for stream in own[:2]:
            self._left.callback(stream.close)
        self._left.callback(os.close, go[1])
        child, first = self._launch(view, [*words, *self._argv(request.command)], ends)
        return _Command(child, first, view, *own, Lines(status[0]))

    def _stage(self, command: _Command) -> None:
        """Bound the folders in memory, and stream the tree into them."""
        if command.lines.next(READY_S) != start.UP:
            raise self._not_started(command)
        bound_files(command.first, bounds(command.view))
        command.go_on()

        def feed() -> None:
            # What stopped the program that unpacks is told by itself.
            with contextlib.suppress(OSError):
                for block in tar_blocks(self._request.tree, self._toolchain.environment):
                    command.status.send(block)
            command.status.end_input()

        feeder = threading.Thread(target=feed, name="sandbox-stage", daemon=True)
        feeder.start()
        reason = "nothing was said of it"
        while (line := command.lines.next(_STAGE_S)) is not None:
            if line == f"{start.STAGED} 0":
                feeder.join(10)
                return
            if line.startswith(f"{start.STAGED} "):
                break
            reason = line
        raise SandboxUnavailable(
            f"The files of {self._request.root} could not be staged: {reason}.",
            remedy="A larger tmpfs_mb in the settings may help.",
        )

    def _life_s(self) -> float:
        """Return how long the command may live before it is ended from within."""
        asks = self._request.followup is not None and self._request.reporter
        return self._request.limits.wall_s * (MAX_WAITS if asks else 1)

    def _no_reporter(self, reporter: Reporter) -> SandboxUnavailable:
        said = reporter.words() if reporter.ended else f"it was not ready after {READY_S:.0f} s"
        return SandboxUnavailable(
            f"The reporter did not start: {said}.",
            remedy=f"Check that {self._toolchain.python} runs on this machine.",
        )

    def _not_started(self, command: _Command) -> SandboxUnavailable:
        self.kill()
        said = last_of(command.stream.chunks(), _SAID_BYTES).decode("utf-8", "replace").strip().splitlines()
        return SandboxUnavailable(
            f"bubblewrap makes no sandbox: {said[-1] if said else 'it says nothing'}.", remedy=REMEDY
        )

    def _view(
        self,
        memory: tuple[MemoryFolder, ...],
        channel: Path | None,
        *,
        is_reporter: bool = False,
        work: str = "/",
    ) -> View:
        mounts = (*self._toolchain.mounts, *shipped_mounts())
        return View(mounts, memory, channel, is_reporter, work, self._ground.is_root)

    def _argv(self, argv: tuple[str, ...]) -> list[str]:
        return [self._toolchain.python if part == "{python}" else part for part in argv]

    def _launch(self, view: View, words: list[str], ends: dict[int, int]) -> tuple[Child, int]:
        """Start a sandbox; return it and its first process. `ends` are closed here."""
        program = os.memfd_create("greenline-seccomp")
        telling, told = os.pipe()
        ends = {**ends, SECCOMP: program, INFORMATION: told}
        watched = {_LIFELINE: self._watched}
        argv = [start.program("sh"), "-c", _JOIN, "greenline", *self._group.doors, "--"]
        argv += [self._ground.program, *arguments(view, self._ground.owned), "--", *words]
        with os.fdopen(telling, "rb") as information:
            try:
                os.write(program, self._ground.seccomp)
                os.lseek(program, 0, os.SEEK_SET)
                with self._lock:
                    if self._killed:
                        raise SandboxUnavailable("The sandbox was killed before it started.")
                    child = launch(argv, ends | watched)
                    self._children.append(child)
            finally:
                for end in set(ends.values()):
                    os.close(end)
            said = information.read()
        return child, int(json.loads(said)["child-pid"]) if said else 0


@attrs.frozen
class _Command:
    """The command's sandbox, and our ends of it."""

    child: Child
    first: int
    """The number of its first process here."""
    view: View
    stream: PipeStream
    status: PipeStream
    """What the starting script says, and the tree that it is fed."""
    go: int
    lines: Lines

    def go_on(self) -> None:
        """Let the starting script go on; it may be gone."""
        with contextlib.suppress(OSError):
            os.write(self.go, b"\n")
