"""How long hover and code action take on a pending hunk, idle and while runs and verifications are at work.

Every answer is checked: one that is empty or about something else is a failed measurement, not a fast one.
The peers answer their own hover on the same file, in turn with ours, under the same load.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import attrs

from bench.lsp_client import Client, ServerSilent
from bench.peer import OURS, commands
from bench.table import Log, Table, Target, load, milliseconds, quantile
from greenline.demo.scene import REPAIR_REQUEST, sample_project
from greenline.edit.hunk import diff_text

N_REQUESTS = 240
"""Of ours, of each kind, idle and under load."""
PEER_EVERY = 4
"""One request to each peer for so many of ours: under load theirs take long."""
_PAUSE_S = 0.05
_RUN_S = 600.0
_LIMIT_MS, _FLOOR_MS = 50.0, 20.0
HOVER, ACTION = "hover", "code action"
Times = dict[str, list[float]]


@attrs.define
class Desk:
    """A server with a pending hunk, and what a right answer about it holds."""

    client: Client
    uri: str
    line: int
    proposal_id: str
    hunk_id: str
    added: tuple[str, ...]

    @classmethod
    def open(cls, client: Client, root: Path) -> Desk:
        """Open the sample and have its fault repaired, so that a verified hunk waits."""
        done = client.request("agent/execute", {"request": REPAIR_REQUEST}, _RUN_S)
        proposal = done.get("proposal")
        if not proposal or proposal["verdict"] != "verified":
            raise ServerSilent(f"The sample was not repaired: {done.get('note') or done['state']}.")
        hunk = proposal["hunks"][0]
        client.open(Path(hunk["uri"].removeprefix("file://")))
        line = hunk["range"]["start"]["line"]
        added = tuple(f"+{text}" for text in hunk["after"].splitlines())
        return cls(client, hunk["uri"], line, proposal["id"], hunk["id"], added)

    def hover(self) -> float:
        """Ask for the hunk's hover; return the seconds to a right answer."""
        where = {"textDocument": {"uri": self.uri}, "position": {"line": self.line, "character": 6}}
        started = time.perf_counter()
        answer = self.client.request("textDocument/hover", where)
        seconds = time.perf_counter() - started
        text = answer["contents"]["value"] if answer else ""
        wanted = ("verified", "Covered by", *self.added)
        if missing := [part for part in wanted if part not in text]:
            raise ServerSilent(f"The hover lacks {missing[0]!r}: {text[:200]!r}.")
        return seconds

    def action(self) -> float:
        """Ask for the code actions on the hunk; return the seconds to a right answer."""
        place = {"line": self.line, "character": 6}
        params = {
            "textDocument": {"uri": self.uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": []},
        }
        started = time.perf_counter()
        actions = self.client.request("textDocument/codeAction", params)
        seconds = time.perf_counter() - started
        named = [a["command"]["command"] for a in actions or () if self._is_about_hunk(a)]
        if not {"greenline.server.acceptHunk", "greenline.server.rejectHunk"} <= set(named):
            raise ServerSilent(f"The code actions lack the hunk: {named}.")
        return seconds

    def _is_about_hunk(self, action: dict[str, Any]) -> bool:
        arguments = action.get("command", {}).get("arguments") or [{}]
        return bool(arguments[0].get("hunkId") == self.hunk_id)


@attrs.define
class Work:
    """Runs and verifications, each begun again when it ends, so that there is always one of both."""

    desk: Desk
    command: list[str]
    environment: Mapping[str, str]
    n_runs: int = 0
    n_proposals: int = 0
    n_verifications: int = 0
    _run: int | None = None
    _verification: subprocess.Popen[bytes] | None = None

    def keep_going(self) -> None:
        """Begin what has ended; call often."""
        client = self.desk.client
        if self._run is None or client.has_answer(self._run):
            if self._run is not None:
                self._put_away(client.answer(self._run))
            self._run = client.ask("agent/execute", {"request": REPAIR_REQUEST})
        if self._verification is None or self._verification.poll() is not None:
            if self._verification is not None:
                self._count(self._verification.returncode)
            null = subprocess.DEVNULL
            self._verification = subprocess.Popen(
                self.command, stdin=null, stdout=null, stderr=null, env=self.environment
            )

    def stop(self) -> None:
        """End both."""
        if self._verification is not None:
            self._verification.terminate()
            self._verification.wait()
        if self._run is not None:
            active = self.desk.client.request("agent/status", {}).get("activeRuns", [])
            for run_id in active:
                self.desk.client.request("agent/cancel", {"runId": run_id})

    def _count(self, code: int) -> None:
        if code != 0:
            raise ServerSilent(f"`greenline verify` ended with {code} under load.")
        self.n_verifications += 1

    def _put_away(self, done: dict[str, Any]) -> None:
        """Reject the run's own proposal, which would otherwise make the next answers longer.

        What was rejected is not proposed again, so later runs search to the end and find nothing.
        """
        self.n_runs += 1
        if done.get("proposal") is None:
            if not self.n_proposals:
                raise ServerSilent(f"A run under load proposed nothing: {done.get('note')}.")
            return
        self.n_proposals += 1
        argument = {"proposalId": done["proposal"]["id"]}
        params = {"command": "greenline.server.rejectAll", "arguments": [argument]}
        self.desk.client.request("workspace/executeCommand", params)


@attrs.frozen
class Peer:
    """Another server over the same file."""

    client: Client
    uri: str

    def hover(self) -> float:
        """Ask for the hover of the function in the sample; return the seconds to a right answer."""
        where = {"textDocument": {"uri": self.uri}, "position": {"line": 6, "character": 8}}
        started = time.perf_counter()
        answer = self.client.request("textDocument/hover", where)
        seconds = time.perf_counter() - started
        if "quantity" not in str(answer):
            raise ServerSilent(f"The peer's hover lacks the function: {str(answer)[:200]!r}.")
        return seconds


def measure(log: Log) -> Table:
    """Measure idle, then under load."""
    with sample_project() as root, ExitStack() as stack:
        environment = {**os.environ, "GREENLINE_STATE_DIR": str(root.parent / "state")}
        environment.pop("GREENLINE_MODEL", None)
        servers = commands()
        client = stack.enter_context(Client(servers.pop(OURS), root, environment))
        client.initialize(root)
        log(f"latency: repairing the sample, load {load()}")
        desk = Desk.open(client, root)
        peers = {name: stack.enter_context(_peer(c, root, environment)) for name, c in servers.items()}
        for _ in range(10):
            _tick(desk, {}, {HOVER: [], ACTION: []})
        client.pump(3.0)
        log(f"latency: idle, load {load()}")
        idle_load, idle = load(), _sample(desk, peers, None)
        work = Work(desk, _verification(root), environment)
        log("latency: under load")
        try:
            busy = _sample(desk, peers, work)
        finally:
            work.stop()
        return _table(idle, busy, work, idle_load)


@contextmanager
def _peer(command: list[str], root: Path, environment: Mapping[str, str]) -> Iterator[Peer]:
    with Client(command, root, environment) as client:
        client.initialize(root)
        path = root / "ledger" / "discount.py"
        client.open(path)
        peer = Peer(client, path.as_uri())
        for _ in range(3):
            peer.hover()
        yield peer


def _verification(root: Path) -> list[str]:
    """Return the command that verifies the right patch of the sample."""
    path = root / "ledger" / "discount.py"
    before = path.read_text()
    patch = root.parent / "fix.diff"
    patch.write_text(diff_text("ledger/discount.py", before, before.replace("> pieces", ">= pieces")))
    greenline = [sys.executable, "-m", "greenline", "verify", "--json"]
    return [*greenline, "--root", str(root), "--patch", str(patch)]


def _sample(desk: Desk, peers: Mapping[str, Peer], work: Work | None) -> Times:
    """Ask in turn until there are enough answers, and under load a run and a verification have ended."""
    times: Times = {HOVER: [], ACTION: [], **{name: [] for name in peers}}
    if work is not None:
        work.keep_going()
        # The first containers must be at work before the first request counts.
        desk.client.pump(3.0)
    while len(times[HOVER]) < N_REQUESTS or (work and not (work.n_runs and work.n_verifications)):
        n_ticks = len(times[HOVER])
        _tick(desk, peers if n_ticks % PEER_EVERY == 0 else {}, times)
        desk.client.pump(_PAUSE_S)
        if work is not None:
            work.keep_going()
    return times


def _tick(desk: Desk, peers: Mapping[str, Peer], times: Times) -> None:
    times[HOVER].append(desk.hover())
    times[ACTION].append(desk.action())
    for name, peer in peers.items():
        peer.client.pump(0.001)
        times[name].append(peer.hover())


def _table(idle: Times, busy: Times, work: Work, idle_load: str) -> Table:
    rows = []
    targets = []
    for name in idle:
        figures = [quantile(times[name], share) for times in (idle, busy) for share in (0.5, 0.95)]
        n_answers = f"{len(idle[name])}+{len(busy[name])}"
        ratio = f"{figures[3] / figures[1]:.1f}"
        label = f"{OURS} {name}" if name in (HOVER, ACTION) else f"{name} hover"
        rows.append(
            (label, *(milliseconds(f) for f in figures), milliseconds(max(busy[name])), ratio, n_answers)
        )
        if name in (HOVER, ACTION):
            loaded_ms = figures[3] * 1000
            targets.append(
                Target(f"{name} p95 loaded", loaded_ms, max(2 * figures[1] * 1000, _FLOOR_MS), "ms")
            )
            targets.append(Target(f"{name} p95 loaded, in any case", loaded_ms, _LIMIT_MS, "ms"))
    headers = ("request", "idle p50", "idle p95", "loaded p50", "loaded p95", "max", "p95 ratio", "answers")
    notes = (
        "milliseconds; every answer was checked; a run and a verification were under way at every request",
        f"{work.n_runs} runs and {work.n_verifications} verifications ended meanwhile",
        f"load average {idle_load} when idle, {load()} after the work",
    )
    return Table("hover and code action on a pending hunk", headers, tuple(rows), tuple(targets), notes)
