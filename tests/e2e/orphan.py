"""Processes of a verification killed at random moments, and what is left of them after the next start.

`python tests/e2e/orphan.py --points 100 [--seed N]` prints one JSON line, and exits 1 where anything is left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
from attrs import field, frozen

from greenline.core.error import GreenlineError
from greenline.demo.editor import Editor
from greenline.journal.owner import is_alive, process_owner
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.owner import LABEL_OWNER

VICTIMS = ("verify", "front", "worker", "all")
"""Whose end: of the command, of the editor's server, of its agent worker, of all processes of a server."""
_GREENLINE = (sys.executable, "-P", "-m", "greenline")
_ENDS_S = 30.0
_FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "import time\nfrom calc import add\n\n\ndef test_add():\n    time.sleep(0.3)\n"
    "    assert add(1, 2) == 3\n",
}
_PATCH = (
    "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
)


@frozen
class Ground:
    """A project, an engine, and a folder for temporary files that nobody else uses."""

    home: Path
    engine: str
    root: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "root", self.home / "w")
        for folder in (self.root, self.temporary):
            folder.mkdir()
        for name, text in _FILES.items():
            (self.root / name).write_text(text)
        (self.home / "p.diff").write_text(_PATCH)

    @property
    def temporary(self) -> Path:
        """Where the processes make temporary files."""
        return self.home / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        """What the processes are started with; there is no model, so that the repair engine works."""
        own = {
            "DOCKER_HOST": self.engine,
            "TMPDIR": str(self.temporary),
            "GREENLINE_STATE_DIR": str(self.home / "state"),
            "GREENLINE_INDEX": "false",
        }
        return {**{k: v for k, v in os.environ.items() if k != "GREENLINE_MODEL"}, **own}


def span_s(ground: Ground, victim: str) -> float:
    """Return how long the work takes that is cut short, when nobody does."""
    began = time.monotonic()
    with _work(ground, victim) as (_, wait):
        wait(120.0)
    return time.monotonic() - began


@frozen
class Killed:
    """What a death left."""

    orphans: tuple[str, ...]
    """Containers that were there without their owner, before anything was started anew."""
    left: tuple[str, ...]
    """What was still there after the next start."""


def kill_at(ground: Ground, victim: str, moment_s: float | None) -> Killed:
    """Begin, kill the victim so long afterwards (None: once it has a container), and start anew."""
    before = _engine_things(ground.engine)
    owners: set[str] = set()
    with _work(ground, victim) as (pid, wait):
        if moment_s is None:
            _wait_for_container(ground.engine, process_owner(pid))
        else:
            wait(moment_s)
        family = {pid, *_children(pid)}
        owners |= {process_owner(one) for one in family}
        workers = {one for one in family if "greenline.app" in _command(one)}
        killed = {"all": family, "worker": workers or {pid}}.get(victim, {pid})
        for one in killed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
    left = [f"process {owner}" for owner in owners if not _ends(owner)]
    orphans = _containers(ground.engine, owners)
    left += _next_start(ground, owners)
    left += [f"engine's {thing}" for thing in _engine_things(ground.engine) - before]
    left += [f"temporary {path.name}" for path in ground.temporary.iterdir()]
    return Killed(tuple(orphans), tuple(left))


def _next_start(ground: Ground, owners: set[str]) -> list[str]:
    """Connect as the next process does; return the containers of the killed ones that are still there."""
    sandbox = DockerSandbox(SandboxSettings(docker_host=ground.engine))
    assert sandbox.health().available
    sandbox.close()
    return _containers(ground.engine, owners)


def _wait_for_container(engine: str, owner: str) -> None:
    deadline = time.monotonic() + 120
    while not _containers(engine, {owner}):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _containers(engine: str, owners: set[str]) -> list[str]:
    client = docker.DockerClient(base_url=engine)
    try:
        found = client.containers.list(all=True, filters={"label": LABEL_OWNER}, ignore_removed=True)
        return [f"container {one.short_id}" for one in found if one.labels[LABEL_OWNER] in owners]
    finally:
        client.close()


def _engine_things(engine: str) -> set[str]:
    client = docker.DockerClient(base_url=engine)
    try:
        networks = {f"network {one.name}" for one in client.networks.list()}
        return networks | {f"volume {one.name}" for one in client.volumes.list()}
    finally:
        client.close()


@contextlib.contextmanager
def _work(ground: Ground, victim: str) -> Iterator[tuple[int, Callable[[float], None]]]:
    """Begin a verification; yield the process that it belongs to, and what waits for its end or so long."""
    if victim == "verify":
        command = [*_GREENLINE, "verify", "--root", str(ground.root), "--patch", str(ground.home / "p.diff")]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, env=ground.environment, stdout=quiet, stderr=quiet) as process:

            def wait(limit_s: float) -> None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(limit_s)

            yield process.pid, wait
        return
    with Editor([*_GREENLINE, "serve"], ground.environment, lambda method, params: None) as editor:
        job = threading.Thread(target=_repair, args=(editor, ground.root))
        job.start()
        yield editor.pid, job.join
    job.join(_ENDS_S)


def _repair(editor: Editor, root: Path) -> None:
    """Ask for a plan and carry it out, as far as the server lives."""
    with contextlib.suppress(GreenlineError, OSError, ValueError):
        editor.initialize(root)
        plan = editor.request("agent/plan", {"request": "make the failing tests pass"}, 120)
        editor.request("agent/execute", {"runId": plan["runId"]}, 120)


def _children(pid: int) -> set[int]:
    """Return the processes below a process."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    below = {pid}
    for _ in range(4):
        below |= {child for child, parent in parents.items() if parent in below}
    return below - {pid}


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def _ends(owner: str) -> bool:
    """Return whether a process ends by itself soon: a worker whose front is gone."""
    deadline = time.monotonic() + _ENDS_S
    while is_alive(owner) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_alive(owner)


def main() -> int:
    """Kill at many points, print the figures, and return whether nothing was left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    engine = os.environ["DOCKER_HOST"]
    choice = random.Random(arguments.seed)
    left: list[str] = []
    n_orphans = 0
    with tempfile.TemporaryDirectory(prefix="greenline-orphan-") as home:
        ground = Ground(Path(home), engine)
        spans = {victim: span_s(ground, victim) for victim in VICTIMS[:2]}
        for number in range(arguments.points):
            victim = VICTIMS[number % len(VICTIMS)]
            moment_s = choice.uniform(0, spans.get(victim, spans["front"]))
            killed = kill_at(ground, victim, moment_s)
            n_orphans += len(killed.orphans)
            left += [f"{victim} at {moment_s:.2f} s: {thing}" for thing in killed.left]
    print(json.dumps({"points": arguments.points, "spansS": spans, "orphans": n_orphans, "left": left}))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
