"""Podman and gVisor, where the machine has them: the attempts to escape, the limits and the cases once more.

What is not there is said as `not run`, with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import attrs
import pytest
from escape_attempt import ATTEMPTS, stop_of
from escape_ground import LIMITS, SECRET, lay_out, outcomes, request, run_and_close
from optional_engine import Engine, NotThere, gvisor, podman
from test_sandbox_limits import CASES, PYTEST, TOOLBOX, run, staged
from unprivileged import open_folder
from verify_case import BUG, TESTS

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import Limits, SandboxRequest, StagedFile, VerifyRequest
from greenline.verify.verifier import SandboxVerifier

GVISOR_ENDS = ("memory", "fork-bomb")
"""What ends a whole sandbox of gVisor's, and the other attempts with it."""
Optional = Engine | None


@pytest.fixture(scope="module", params=[podman, gvisor], ids=["podman", "gvisor"])
def engine(request: pytest.FixtureRequest) -> Iterator[Optional]:
    """Yield an engine, or None where it is not there, after saying why."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(request.param())
        except NotThere as error:
            capture = request.config.pluginmanager.getplugin("capturemanager")
            with capture.global_and_fixture_disabled():
                print(f"\nnot run: {request.param.__name__}: {error}")
            found = None
        yield found


def test_every_attempt_is_stopped(engine: Optional) -> None:
    if engine is None:
        return
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GREENLINE_TEST_SECRET", SECRET)
        world = lay_out(stack.enter_context(open_folder("escape-")), engine.host, stack)
        left_out = GVISOR_ENDS if engine.name == "gvisor" else ()
        wanted = request({**world, "left_out": left_out}, attrs.evolve(LIMITS, memory_mb=512))
        result = run_and_close(engine.sandbox(HOME=str(world["home"])), wanted)
    assert result.exit_code == 0, result.output.decode()
    found = outcomes(result.output)
    tried = [one for one in ATTEMPTS if one.name not in left_out]

    free = {one.name: found.get(one.name) for one in tried}
    assert {
        name: free[name] for one in tried if free[name := one.name] not in stop_of(one, engine.name)[1]
    } == {}


@pytest.mark.parametrize(
    "code",
    [
        "data = []\nwhile True: data.append(b'%d' % len(data) * (1 << 20))",
        "import os, time\nfor _ in range(2000):\n    if os.fork() == 0: time.sleep(60)",
    ],
    ids=["memory", "processes"],
)
def test_bombs_are_stopped(engine: Optional, tmp_path: Path, code: str) -> None:
    if engine is None:
        return
    sandbox = engine.sandbox()
    started = time.monotonic()

    result = run(sandbox, tmp_path, code, Limits(memory_mb=256, pids=64, wall_s=60))
    sandbox.close()

    assert result.exit_code not in (0, None)
    assert not result.timed_out
    assert time.monotonic() - started < 60


def test_timeout_kills_the_whole_tree(engine: Optional, tmp_path: Path) -> None:
    if engine is None:
        return
    files = staged(CASES / "47-timeout-kills-tree" / "tree")
    limits = Limits(wall_s=5)
    wanted = SandboxRequest(
        str(tmp_path), files, (*PYTEST, "test_hang.py"), environment=TOOLBOX, limits=limits
    )
    sandbox = engine.sandbox()
    started = time.monotonic()

    result = sandbox.run(wanted, Cancellation())

    assert result.timed_out
    assert time.monotonic() - started < 30
    assert sandbox.wait(20)
    sandbox.close()


def test_real_tree_keeps_its_bytes_and_owners(engine: Optional, tmp_path: Path) -> None:
    if engine is None:
        return
    files = staged(CASES / "49-root-owned-files" / "tree")
    for name, file in files.items():
        (tmp_path / name).write_bytes(file.content)
    before = {path: (path.read_bytes(), path.stat()) for path in tmp_path.iterdir()}
    wanted = SandboxRequest(str(tmp_path), files, PYTEST, environment=TOOLBOX, limits=Limits(wall_s=60))

    result = run_and_close(engine.sandbox(), wanted)

    assert result.exit_code == 0, result.output
    assert {path: (path.read_bytes(), path.stat()) for path in tmp_path.iterdir()} == before


def test_without_its_runtime_nothing_runs(
    engine: Optional, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine is None:
        return
    canary = tmp_path / "canary"
    monkeypatch.setenv("CANARY", str(canary))
    test = CASES / "52-no-silent-unsandboxed" / "tree" / "test_canary.py"
    base = {"a.py": StagedFile(b"X = 1\n"), "test_canary.py": StagedFile(test.read_bytes())}
    change = EditSet((FileChange(str(tmp_path / "a.py"), b"X = 1\n", b"X = 2\n"),))
    # Podman names it, and would silently run another.
    sandbox = engine.sandbox("kata")

    evidence = SandboxVerifier(sandbox).verify(
        VerifyRequest(str(tmp_path), base, change), Cancellation(), lambda _: None
    )
    sandbox.close()

    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert not canary.exists()


def test_a_change_is_verified_and_its_evidence_names_the_engine(engine: Optional, tmp_path: Path) -> None:
    if engine is None:
        return
    base = {"calc.py": StagedFile(BUG.encode()), "test_calc.py": StagedFile(TESTS.encode())}
    after = BUG.replace("x < LIMIT", "x <= LIMIT").encode()
    change = EditSet((FileChange(str(tmp_path / "calc.py"), BUG.encode(), after),))
    sandbox = engine.sandbox()

    evidence = SandboxVerifier(sandbox).verify(
        VerifyRequest(str(tmp_path), base, change, limits=Limits(wall_s=90)), Cancellation(), lambda _: None
    )
    sandbox.close()

    assert evidence.verdict is Verdict.VERIFIED, evidence.detail
    assert evidence.warnings == ()
    if engine.name == "podman":
        assert evidence.engine.startswith("podman ")
        assert evidence.sandbox == "podman"
    else:
        assert evidence.engine.endswith("(runsc)")
