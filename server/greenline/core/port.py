"""The seams between packages as Protocols, and the frozen values that cross them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, Hunk
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence, TestReport
from greenline.core.task import ActiveRun, Plan, Proposal, Run, RunState, RunStory, Task

# --- the tree -----------------------------------------------------------------------------------------


@attrs.frozen
class StagedFile:
    """One file of a staged tree: content, or the target of a symbolic link."""

    content: bytes = b""
    mode: int = 0o644
    link: str | None = None
    """Target of a symbolic link, as stored; `content` is then empty."""


Tree = Mapping[str, StagedFile]
"""Path relative to the root, with `/` → file."""


# --- the sandbox --------------------------------------------------------------------------------------


@attrs.frozen
class Limits:
    """What one container may use."""

    memory_mb: int = 2048
    cpus: float = 2.0
    pids: int = 256
    wall_s: float = 300.0
    output_bytes: int = 65536
    """How much of the output's tail is kept."""
    tmpfs_mb: int = 1024
    test_s: float | None = None
    """How much processor time one test may take, and a fifth of how long it may wait, before it counts as
    failed; None: only `wall_s` ends it."""


@attrs.frozen
class SandboxRequest:
    """One command in one fresh container, over a tree staged at `root`."""

    root: str
    """Absolute path of the project; the tree is staged there, and it is the working directory."""
    tree: Tree
    command: tuple[str, ...]
    """argv; `{python}` stands for the interpreter that the toolchain resolved for the project."""
    reporter: tuple[str, ...] = ()
    """argv of the reporter, run under its own uid before `command`; it prints `ready` on a line of its own
    first, and all that it prints afterwards comes back as `SandboxResult.report`. Empty: no reporter."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    limits: Limits = Limits()
    label: str = ""
    """Run id, put on the container as a label."""
    followup: Callable[[bytes], bytes | None] | None = None
    """Asked, with the report so far, each time the reporter prints a `roundEnd` record: what it returns is
    fed to the command, None closes its input. It may block, and that time counts against no limit."""
    waiting: Callable[[str], None] | None = None
    """Told, in one sentence, whenever the request's place in a queue is another; must not block."""


@attrs.frozen
class SandboxResult:
    """What came back from one container."""

    exit_code: int | None
    timed_out: bool
    output: bytes
    """Tail of standard output and error."""
    report: bytes
    """What the reporter printed after `ready`."""
    duration_s: float
    out_of_memory: bool = False


@attrs.frozen
class SandboxHealth:
    """Whether a sandbox can be used now, and if not, what to do."""

    available: bool
    name: str
    """`docker`, `podman`, `kubernetes`, or `bubblewrap` with the ways in which it is weaker."""
    engine: str = ""
    """`docker 28.2.2`."""
    image: str = ""
    toolchain: str = ""
    problem: str = ""
    remedy: str = ""
    notes: tuple[str, ...] = ()
    """What cannot be checked from here, one sentence each."""
    warning: str = ""
    """What everybody who reads a result of it must know; one sentence or none."""


class Sandbox(Protocol):
    """Runs project code, isolated; the only place where project code runs."""

    def health(self) -> SandboxHealth:
        """Return whether the sandbox can be used; never raises, takes at most a few seconds."""

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run `request` in a fresh container; raises `SandboxUnavailable`, or `Cancelled` within 2 s.

        Blocking; may be called from several threads at once.
        """

    def close(self) -> None:
        """Remove everything that the sandbox left on the machine; may be called twice."""


@runtime_checkable
class Fingerprinted(Protocol):
    """A sandbox that can say whether a request would meet the same conditions as an earlier one."""

    def fingerprint(self, request: SandboxRequest) -> str:
        """Return a hash of all that a request's outcome can depend on and that is not in the request.

        Environment, image, engine, mounts, the runner that is shipped. Raises `SandboxUnavailable`.
        """


# --- verification -------------------------------------------------------------------------------------


@attrs.frozen
class VerifyRequest:
    """One patch over one base tree of one project."""

    root: str
    base: Tree
    edit_set: EditSet
    hunks: tuple[Hunk, ...] = ()
    checks: tuple[str, ...] = ()
    """Test ids of the plan's acceptance checks."""
    label: str = ""
    limits: Limits = Limits()
    fresh: bool = False
    """Whether the base is measured anew, also where its outcome is known from before."""


Progress = Callable[[str], None]
"""Called with one short sentence whenever a stage begins; must not block."""


class Verifier(Protocol):
    """Turns a patch into Evidence by running tests in the sandbox."""

    def run_tests(
        self,
        root: str,
        tree: Tree,
        tests: Sequence[str],
        label: str,
        cancellation: Cancellation,
        limits: Limits | None = None,
    ) -> TestReport:
        """Run `tests` (ids; none: all) over `tree` with coverage per test; a sick sandbox is a report.

        `limits` are the verifier's own where none are given.
        """

    def verify(self, request: VerifyRequest, cancellation: Cancellation, progress: Progress) -> Evidence:
        """Run B and P (and N and O where the protocol asks) and return the verdict with all reports."""


# --- the model ----------------------------------------------------------------------------------------


@attrs.frozen
class ToolSpec:
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""


@attrs.frozen
class ToolRequest:
    """A model's wish to call a tool."""

    id: str
    name: str
    arguments: dict[str, Any]
    problem: str = ""
    """Why the call cannot be run as it was written, for the model to read; empty where it can."""


@attrs.frozen
class Image:
    """An image that a model looks at."""

    media_type: str
    data: bytes


@attrs.frozen
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_call_id: str = ""
    images: tuple[Image, ...] = ()


@attrs.frozen
class Usage:
    """What one call cost."""

    prompt_tokens: int = 0
    """All input, whether or not a cache had it."""
    completion_tokens: int = 0
    cost_usd: float = 0.0
    cache_read_tokens: int = 0
    """The part of the prompt that came from the server's cache."""
    cache_write_tokens: int = 0
    """The part of the prompt that went into it."""


@attrs.frozen
class Completion:
    """One answer of a model."""

    message: Message
    finish_reason: Literal["stop", "toolCalls", "length", "refused"]
    usage: Usage = Usage()


class Model(Protocol):
    """A language model."""

    name: str

    def sees_images(self, cancellation: Cancellation) -> bool:
        """Return whether the model takes images; may block, raises `Cancelled`."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Answer; raises `ModelFailed` with a remedy, or `Cancelled` (within 2 s). Blocking."""


# --- the journal --------------------------------------------------------------------------------------


class Journal(Protocol):
    """The durable record of runs; may be used from several threads and processes at once."""

    def close(self) -> None:
        """Close the file; idempotent."""

    def create_run(self, task: Task) -> Run:
        """Insert a run in state `planning` and its first `state` event."""

    def append(self, run_id: str, kind: EventKind, data: Mapping[str, Any]) -> Event:
        """Append an event with the next `seq`."""

    def set_state(self, run_id: str, state: RunState, note: str = "") -> Event:
        """Change the run's state, and append the `state` event, in one transaction."""

    def save_plan(self, run_id: str, plan: Plan) -> Event:
        """Store a plan's version; earlier versions stay readable."""

    def save_proposal(self, proposal: Proposal) -> None:
        """Insert or replace a proposal (hunks, review state, evidence)."""

    def keep_text(self, text: str) -> None:
        """Store a text that hunks were made against, so that they can be moved after a restart."""

    def keep_content(self, data: bytes) -> str:
        """Store what a task refers to; return its name."""

    def content(self, name: str) -> bytes | None:
        """Return a stored content, or None where it is gone or damaged."""

    def text(self, text_hash: str) -> str | None:
        """Return a stored text by the hash that hunks carry, or None where it is gone or damaged."""

    def open_proposals(self) -> list[Proposal]:
        """Return the newest proposal of each run that has hunks which wait for a review, oldest first."""

    def run(self, run_id: str) -> Run:
        """Return a run; raises `NotFound`."""

    def story(self, run_id: str) -> RunStory | None:
        """Return what there is to say of a run, or None where there is none; cheap."""

    def runs(self, limit: int = 50, before: float | None = None) -> list[Run]:
        """Return runs, newest first."""

    def runs_of(self, session: str) -> list[Run]:
        """Return the runs of a conversation, oldest first."""

    def sessions(self) -> list[str]:
        """Return the ids of the conversations that have runs, the one that was begun last first."""

    def active_runs(self) -> tuple[ActiveRun, ...]:
        """Return the runs that are under way, newest first; cheap."""

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal; raises `NotFound`."""

    def events(self, run_id: str, after: int = 0) -> Iterator[Event]:
        """Yield events with `seq` greater than `after`, in order."""
