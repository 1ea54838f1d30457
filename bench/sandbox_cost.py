"""What a verified run costs over the same two test runs on the host."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.table import Log, Table, Target, load, median
from greenline.app import make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import Sandbox, SandboxRequest, StagedFile, Verifier, VerifyRequest
from greenline.guard.gate import Gate
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.host_toolchain import resolve
from greenline.sandbox.package_data import sandbox_folder
from greenline.verify.base_cache import BaseCache
from greenline.verify.flaky_memory import FlakyMemory
from greenline.verify.memory import Memory
from greenline.workspace.snapshot import Snapshot

ROUNDS = 7
STAGED = (5_000, 50_000)
"""How many files the trees have whose way into a container is measured."""
N_STAGED = 3
HOST = "two pytest runs on the host, one after the other"
VERIFIED = "a verification: B and P, and what differs again"
LIMIT_S = 1.5
FAULTY = "def fare(zones):\n    return 250 if zones < 2 else 250 + 90 * (zones - 1) + 1\n"
SOUND = FAULTY.replace(" + 1\n", "\n")
FARES = (250, 250, 340, 430, 520, 610, 700, 790, 880, 970)
TESTS = "from tariff import fare\n" + "".join(
    f"\n\ndef test_{zones}_zones():\n    assert fare({zones}) == {fare}\n" for zones, fare in enumerate(FARES)
)
"""Ten tests, of which the faulty program fails eight."""


class NotVerified(Exception):
    """The measured verification did not come to the verdict that it should."""


def measure(log: Log) -> Table:
    """Measure host, one container, one test run and a whole verification in turn."""
    taken: dict[str, list[float]] = {}
    sandbox = DockerSandbox(SandboxSettings(load_settings().docker_host, n_ready=2))
    verifier = make_verifier(sandbox)
    with tempfile.TemporaryDirectory(prefix="greenline-bench-") as folder:
        root = Path(folder).resolve() / "tariff"
        root.mkdir()
        state = Path(folder) / "state"
        state.mkdir()
        memory = Memory(BaseCache(lambda _: state), FlakyMemory(lambda _: state))
        remembering = make_verifier(sandbox, memory=memory)
        (root / "tariff.py").write_text(FAULTY)
        (root / "test_tariff.py").write_text(TESTS)
        tree = Snapshot((str(root),)).tree(str(root), Gate((str(root),)))
        empty = SandboxRequest(str(root), tree, ("{python}", "-c", "pass"), label="bench")
        works: dict[str, Callable[[], object]] = {
            "a container in which Python does nothing": lambda: sandbox.run(empty, Cancellation()),
            "one test run in the sandbox, with coverage": lambda: verifier.run_tests(
                str(root), tree, (), "bench", Cancellation()
            ),
            VERIFIED: lambda: _verify(verifier, root),
            "the same where B is known: P, and on both sides what differs again": lambda: _verify(
                remembering, root
            ),
        }
        for number in range(ROUNDS + 1):
            seconds = {HOST: _host(root)} | {name: _timed(sandbox, work) for name, work in works.items()}
            # The first round makes the image and fills the disk cache and is not counted.
            if number:
                for name, each in seconds.items():
                    taken.setdefault(name, []).append(each)
            log(f"sandbox_cost: round {number} of {ROUNDS}, load {load()}")
        for n_files in STAGED:
            name = f"a container in which Python does nothing, over {n_files:,} files"
            taken[name] = [_staged(sandbox, root, n_files) for _ in range(N_STAGED)]
            log(f"sandbox_cost: {n_files} files staged, load {load()}")
    sandbox.close()
    return _table(taken)


def _timed(sandbox: DockerSandbox, work: Callable[[], object]) -> float:
    """Return the seconds of a piece of work, as in the agent's process: it starts containers ahead."""
    if not sandbox.wait():
        raise NotVerified("No containers could be started ahead.")
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _staged(sandbox: Sandbox, root: Path, n_files: int) -> float:
    """Return the seconds of a container over a tree of so many modules of half a kilobyte."""
    text = FAULTY.encode() * 6
    tree = {f"package{number // 100}/module{number}.py": StagedFile(text) for number in range(n_files)}
    started = time.perf_counter()
    sandbox.run(SandboxRequest(str(root), tree, ("{python}", "-c", "pass"), label="bench"), Cancellation())
    return time.perf_counter() - started


def _host(root: Path) -> float:
    """Return the seconds of both programs' tests, run plainly by the same interpreter."""
    python = resolve(str(root), os.environ).python
    # What the container sees, too: the interpreter's own pytest with its plugins, else the toolbox's.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False)
    if found.returncode:
        environment["PYTHONPATH"] = str(sandbox_folder() / "toolbox")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    started = time.perf_counter()
    codes = []
    for text in (FAULTY, SOUND):
        (root / "tariff.py").write_text(text)
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
        codes.append(done.returncode)
    seconds = time.perf_counter() - started
    (root / "tariff.py").write_text(FAULTY)
    if codes != [1, 0]:
        raise NotVerified(f"pytest on the host ended with {codes}, where 1 and 0 are right.")
    return seconds


def _verify(verifier: Verifier, root: Path) -> None:
    snapshot = Snapshot((str(root),))
    edit = FileChange(str(root / "tariff.py"), FAULTY.encode(), SOUND.encode())
    tree = snapshot.tree(str(root), Gate((str(root),)))
    request = VerifyRequest(str(root), tree, EditSet((edit,)), (), label="bench")
    evidence = verifier.verify(request, Cancellation(), lambda _: None)
    if evidence.verdict is not Verdict.VERIFIED:
        raise NotVerified(f"The verdict is {evidence.verdict.value}: {evidence.detail}")


def _table(taken: dict[str, list[float]]) -> Table:
    rows = tuple(
        (name, f"{median(values):.2f}", f"{min(values):.2f}", f"{max(values):.2f}")
        for name, values in taken.items()
    )
    host, verification = taken[HOST], taken[VERIFIED]
    more = median([v - h for v, h in zip(verification, host, strict=True)])
    return Table(
        "a verified run of ten tests, of which eight differ",
        ("what", "median s", "min s", "max s"),
        rows,
        (Target("a verified run over the same two runs on the host", more, LIMIT_S, "s"),),
        (
            f"load average {load()}; {ROUNDS} rounds, in turn",
            "the target is the median of the rounds' differences",
        ),
    )
