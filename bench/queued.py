"""How long hover and code action take on a pending hunk while 20 verifications are in the queue.

They are of another process, as of a server for other agents, which spreads them over two engines of one
container each, so that 18 wait at any time; both engines are the machine's own, by two names.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from bench.latency import ACTION, HOVER, N_REQUESTS, Desk, Times
from bench.lsp_client import Client, ServerSilent
from bench.peer import OURS, commands
from bench.table import Log, Table, Target, load, milliseconds, quantile
from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import VerifyRequest
from greenline.demo.scene import sample_project
from greenline.guard.gate import Gate
from greenline.sandbox.engine import candidate_hosts
from greenline.workspace.snapshot import Snapshot

N_QUEUED = 20
_PAUSE_S = 0.05
_STARTS_S = 5.0
_LIMIT_MS, _FLOOR_MS = 50.0, 20.0


def measure(log: Log) -> Table:
    """Measure idle, then with the queue."""
    with sample_project() as root:
        environment = {**os.environ, "GREENLINE_STATE_DIR": str(root.parent / "state")}
        environment.pop("GREENLINE_MODEL", None)
        with Client(commands()[OURS], root, environment) as client:
            client.initialize(root)
            log(f"queued: repairing the sample, load {load()}")
            desk = Desk.open(client, root)
            client.pump(3.0)
            idle_load = load()
            log(f"queued: idle, load {idle_load}")
            idle = _sample(desk, None)
            log(f"queued: with {N_QUEUED} verifications in the queue")
            with _queue(root, environment) as queue:
                client.pump(_STARTS_S)
                busy = _sample(desk, queue)
        return _table(idle, busy, queue, idle_load)


@attrs.define
class _Queue:
    """The process that verifies, and how many verifications it has ended."""

    process: subprocess.Popen[str]
    n_ended: int = 0

    def follow(self) -> None:
        """Count what ends, until the process does."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip() == Verdict.VERIFIED.value:
                self.n_ended += 1


@contextmanager
def _queue(root: Path, environment: dict[str, str]) -> Iterator[_Queue]:
    host = next(iter(candidate_hosts(environment.get("DOCKER_HOST"), environment)), "")
    if not host.startswith("unix://"):
        raise ServerSilent("The two names of the engine are links to its socket, and it has none.")
    names = []
    for number in range(2):
        link = root.parent / f"engine{number}.sock"
        link.symlink_to(host.removeprefix("unix://"))
        names.append(f"unix://{link}")
    mine = {**environment, "GREENLINE_ENGINES": ",".join(names), "GREENLINE_ENGINE_SLOTS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.queued", str(root)], stdout=subprocess.PIPE, text=True, env=mine
    )
    queue = _Queue(process)
    follower = threading.Thread(target=queue.follow, daemon=True)
    follower.start()
    try:
        yield queue
        if process.poll() is not None:
            raise ServerSilent(f"The queue ended with {process.returncode}.")
    finally:
        process.terminate()
        process.wait()
        follower.join(5)


def _sample(desk: Desk, queue: _Queue | None) -> Times:
    times: Times = {HOVER: [], ACTION: []}
    while len(times[HOVER]) < N_REQUESTS or (queue is not None and not queue.n_ended):
        times[HOVER].append(desk.hover())
        times[ACTION].append(desk.action())
        desk.client.pump(_PAUSE_S)
        if queue is not None and queue.process.poll() is not None:
            raise ServerSilent(f"The queue ended with {queue.process.returncode}.")
    return times


def _table(idle: Times, busy: Times, queue: _Queue, idle_load: str) -> Table:
    rows, targets = [], []
    for name in idle:
        figures = [quantile(times[name], share) for times in (idle, busy) for share in (0.5, 0.95)]
        rows.append((name, *(milliseconds(figure) for figure in figures), milliseconds(max(busy[name]))))
        late_ms = figures[3] * 1000
        targets.append(Target(f"{name} p95 queued", late_ms, max(2 * figures[1] * 1000, _FLOOR_MS), "ms"))
        targets.append(Target(f"{name} p95 queued, in any case", late_ms, _LIMIT_MS, "ms"))
    headers = ("request", "idle p50", "idle p95", "queued p50", "queued p95", "queued max")
    notes = (
        f"milliseconds; {len(idle[HOVER])}+{len(busy[HOVER])} answers of each kind, every one checked",
        f"{N_QUEUED} verifications in the queue of two engines, one container each; {queue.n_ended} ended",
        f"load average {idle_load} when idle, {load()} after the work",
    )
    title = "hover and code action while 20 verifications are queued"
    return Table(title, headers, tuple(rows), tuple(targets), notes)


def _work(root: str) -> None:
    """Keep so many verifications of the sample's right patch in the queue until this process is ended."""
    settings = load_settings()
    sandbox = make_sandbox(settings)
    verifier = make_verifier(sandbox, settings)
    path = Path(root) / "ledger" / "discount.py"
    before = path.read_bytes()
    edit_set = EditSet((FileChange(str(path), before, before.replace(b"> pieces", b">= pieces")),))
    tree = Snapshot((root,)).tree(root, Gate((root,)))

    def work(number: int) -> None:
        while True:
            request = VerifyRequest(root, tree, edit_set, limits=settings.limits, label=f"v{number}")
            evidence = verifier.verify(request, Cancellation(), lambda _: None)
            print(evidence.verdict.value, flush=True)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(N_QUEUED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    _work(sys.argv[1])
