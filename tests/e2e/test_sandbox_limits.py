"""Each limit of the sandbox against a program that tries to break it, in real containers."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
import venv
from pathlib import Path
from types import SimpleNamespace

import docker
import docker.errors
import pytest

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.evidence import RunEnd
from greenline.core.port import Limits, Sandbox, SandboxRequest, SandboxResult, StagedFile
from greenline.sandbox.container_arguments import LABEL_RUN
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.owner import LABEL_HOST, LABEL_OWNER, labels
from greenline.sandbox.reaper import reap_orphans
from greenline.verify.report import parse_rounds

CASES = Path(__file__).parents[1] / "data" / "cases"
PYTEST = ("{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider")
TOOLBOX = {"PYTHONPATH": "/opt/greenline/toolbox"}


@pytest.fixture(scope="module")
def sandbox(docker_host: str) -> DockerSandbox:
    return DockerSandbox(SandboxSettings(docker_host=os.environ.get("DOCKER_HOST")))


def run(sandbox: Sandbox, root: Path, code: str, limits: Limits | None = None) -> SandboxResult:
    """Run one Python program over a tree that holds nothing else."""
    tree = {"program.py": StagedFile(code.encode())}
    request = SandboxRequest(
        str(root), tree, ("{python}", "program.py"), limits=limits or Limits(wall_s=30), label="limits"
    )
    return sandbox.run(request, Cancellation())


def staged(folder: Path) -> dict[str, StagedFile]:
    return {
        str(path.relative_to(folder)): StagedFile(path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def left_over(label: str) -> list[object]:
    with_label = {"label": f"{LABEL_RUN}={label}"}
    client = docker.from_env()
    try:
        return list(client.containers.list(all=True, filters=with_label, ignore_removed=True))
    finally:
        client.close()


def test_memory_bomb_is_stopped(sandbox: DockerSandbox, tmp_path: Path) -> None:
    limits = Limits(memory_mb=64, wall_s=30)

    result = run(sandbox, tmp_path, "data = []\nwhile True: data.append(bytearray(1 << 20))", limits)

    assert result.exit_code == 137
    assert result.out_of_memory
    assert not result.timed_out


def test_fork_bomb_is_held(sandbox: DockerSandbox, tmp_path: Path) -> None:
    code = (
        "import os, time\nn = 0\n"
        "try:\n    while True:\n        if os.fork() == 0: time.sleep(30); os._exit(0)\n        n += 1\n"
        "except OSError: print('held at', n, flush=True); os.killpg(0, 9)"
    )

    result = run(sandbox, tmp_path, code, Limits(pids=64, wall_s=20))

    assert b"held at" in result.output
    assert int(result.output.split()[2]) < 64


def test_nothing_of_the_host_can_be_written_or_reached(sandbox: DockerSandbox, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    code = """
import os, socket
def attempt(name, action):
    try:
        action()
    except OSError as error:
        print(name, 'refused')
    else:
        print(name, 'POSSIBLE')
open('kept.txt', 'w').write('changed')
open('made.txt', 'w').write('made')
attempt('usr', lambda: open('/usr/made', 'w'))
attempt('etc', lambda: open('/etc/made', 'w'))
attempt('runner', lambda: open('/opt/greenline/runner/made', 'w'))
attempt('report', lambda: open('/run/greenline/made', 'w'))
attempt('shadow', lambda: open('/etc/shadow').read())
attempt('socket', lambda: os.stat('/var/run/docker.sock'))
attempt('network', lambda: socket.create_connection(('192.0.2.1', 80), 2))
attempt('root', lambda: os.setuid(0))
attempt('mount', lambda: os.chroot('/tmp'))
print('uid', os.getuid(), 'secret', os.environ.get('SECRET'))
"""

    result = run(sandbox, tmp_path, code)

    assert result.exit_code == 0, result.output
    assert b"POSSIBLE" not in result.output
    assert result.output.count(b"refused") == 9
    assert b"uid 0" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
    assert (tmp_path / "kept.txt").read_text() == "kept"


def test_much_output_costs_little_memory(sandbox: DockerSandbox, tmp_path: Path) -> None:
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code = "import sys\nfor _ in range(200): sys.stdout.write('x' * (1 << 20))\nprint('the end')"

    result = run(sandbox, tmp_path, code, Limits(wall_s=60, output_bytes=4096))

    assert len(result.output) == 4096
    assert result.output.endswith(b"the end\n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 50_000


def test_timeout_kills_the_whole_tree(sandbox: DockerSandbox, tmp_path: Path) -> None:
    folder = CASES / "47-timeout-kills-tree" / "tree"
    request = SandboxRequest(
        str(tmp_path),
        staged(folder),
        (*PYTEST, "test_hang.py"),
        environment=TOOLBOX,
        limits=Limits(wall_s=3),
        label="case47",
    )
    started = time.monotonic()

    result = sandbox.run(request, Cancellation())

    assert result.timed_out
    assert time.monotonic() - started < 15
    assert sandbox.wait()
    assert left_over("case47") == []


def test_real_tree_keeps_its_bytes_and_owners(sandbox: DockerSandbox, tmp_path: Path) -> None:
    files = staged(CASES / "49-root-owned-files" / "tree")
    for name, file in files.items():
        (tmp_path / name).write_bytes(file.content)
    before = {path: (path.read_bytes(), path.stat()) for path in tmp_path.iterdir()}

    result = sandbox.run(
        SandboxRequest(str(tmp_path), files, PYTEST, environment=TOOLBOX, limits=Limits(wall_s=30)),
        Cancellation(),
    )

    assert result.exit_code == 0, result.output
    assert {path: (path.read_bytes(), path.stat()) for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("host", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:9"])
def test_without_an_engine_nothing_runs(host: str, tmp_path: Path) -> None:
    files = staged(CASES / "52-no-silent-unsandboxed" / "tree")
    canary = tmp_path / "canary"
    absent = DockerSandbox(SandboxSettings(docker_host=host))
    request = SandboxRequest(str(tmp_path), files, PYTEST, environment={**TOOLBOX, "CANARY": str(canary)})

    with pytest.raises(SandboxUnavailable) as caught:
        absent.run(request, Cancellation())

    assert "engine.sh ensure" in caught.value.remedy
    assert not absent.health().available
    assert not canary.exists()


def test_cancellation_is_prompt_and_leaves_nothing(sandbox: DockerSandbox, tmp_path: Path) -> None:
    cancellation = Cancellation()
    cancelled_at: list[float] = []

    def cancel_soon() -> None:
        # The container must be running: that is when killing it matters.
        deadline = time.monotonic() + 20
        while not left_over("cancelled") and time.monotonic() < deadline:
            time.sleep(0.05)
        cancelled_at.append(time.monotonic())
        cancellation.cancel()

    thread = threading.Thread(target=cancel_soon)
    thread.start()
    tree = {"program.py": StagedFile(b"import time; time.sleep(60)")}
    with pytest.raises(Cancelled):
        sandbox.run(
            SandboxRequest(str(tmp_path), tree, ("{python}", "program.py"), label="cancelled"), cancellation
        )
    thread.join()

    assert time.monotonic() - cancelled_at[0] < 4
    assert sandbox.wait()
    assert left_over("cancelled") == []


def test_reporter_speaks_for_itself_alone(sandbox: DockerSandbox, tmp_path: Path) -> None:
    reporter = (
        "import os, sys; os.umask(0); os.mkfifo('/run/greenline/report', 0o622); print('ready', flush=True); "
        "sys.stdout.write(f'{os.getuid()} ' + open('/run/greenline/report').read()); sys.stdout.flush()"
    )
    code = b"""
open('/run/greenline/report', 'w').write('heard')
try: open('/run/greenline/report')
except PermissionError: print('cannot read')
print('ready')
"""
    request = SandboxRequest(
        str(tmp_path),
        {"program.py": StagedFile(code)},
        ("{python}", "program.py"),
        reporter=("{python}", "-I", "-c", reporter),
        limits=Limits(wall_s=30),
    )

    result = sandbox.run(request, Cancellation())

    assert result.report == b"64001 heard"
    assert result.output == b"cannot read\nready\n"


def test_environment_inside_the_workspace_is_used(sandbox: DockerSandbox, tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)
    site = next((tmp_path / ".venv" / "lib").glob("python3*/site-packages"))
    # This is what an editable install of a src layout leaves behind.
    (site / "project.pth").write_text(f"{tmp_path / 'src'}\n")
    tree = {
        "src/shop/__init__.py": StagedFile(b"ORIGIN = __file__\n"),
        "program.py": StagedFile(b"import shop, sys; print(sys.prefix); print(shop.ORIGIN)"),
        "link.py": StagedFile(link="program.py"),
    }
    request = SandboxRequest(str(tmp_path), tree, ("{python}", "link.py"), limits=Limits(wall_s=30))

    result = sandbox.run(request, Cancellation())

    assert result.output.decode().split() == [
        str(tmp_path / ".venv"),
        str(tmp_path / "src" / "shop" / "__init__.py"),
    ]


def test_containers_of_dead_owners_are_removed(sandbox: DockerSandbox) -> None:
    image = sandbox.health().image
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    client = docker.from_env()
    try:
        orphan = {**labels(), LABEL_OWNER: f"{dead.pid}:1", LABEL_RUN: "orphan"}
        client.containers.create(image, ["sleep", "1"], labels=orphan)
        elsewhere = {**orphan, LABEL_HOST: "another machine", LABEL_RUN: "elsewhere"}
        kept = client.containers.create(image, ["sleep", "1"], labels=elsewhere)
        assert left_over("orphan")
        reap_orphans(client)
        assert left_over("elsewhere")
        kept.remove(force=True)
    finally:
        client.close()

    assert left_over("orphan") == []


def test_what_the_engine_made_after_its_owner_died_is_removed_at_the_end(sandbox: DockerSandbox) -> None:
    late = DockerSandbox(SandboxSettings(docker_host=os.environ.get("DOCKER_HOST")))
    image = late.health().image
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    client = docker.from_env()
    try:
        orphan = {**labels(), LABEL_OWNER: f"{dead.pid}:1", LABEL_RUN: "late"}
        client.containers.create(image, ["sleep", "1"], labels=orphan)
    finally:
        client.close()
    assert left_over("late")

    late.close()

    assert left_over("late") == []


def test_a_container_that_resists_for_a_moment_is_tried_again() -> None:
    tries: list[bool] = []

    def remove(*, force: bool, v: bool) -> None:
        tries.append(force and v)
        if len(tries) < 3:
            raise docker.errors.APIError("removal is already in progress")
        raise docker.errors.NotFound("gone")

    dead = SimpleNamespace(labels={**labels(), LABEL_OWNER: "1:1"}, remove=remove)
    reap_orphans(SimpleNamespace(containers=SimpleNamespace(list=lambda **_: [dead])))

    assert tries == [True] * 3


def owned() -> int:
    """Return how many containers this process has."""
    client = docker.from_env()
    try:
        return len(
            client.containers.list(all=True, filters={"label": f"{LABEL_OWNER}={labels()[LABEL_OWNER]}"})
        )
    finally:
        client.close()


def test_containers_started_ahead_serve_one_request_each(tmp_path: Path) -> None:
    ahead = DockerSandbox(SandboxSettings(docker_host=os.environ.get("DOCKER_HOST"), n_ready=2))
    code = "import os, socket; print(socket.gethostname(), os.path.exists('left')); open('left', 'w')"
    hosts, before = [], owned()

    for _ in range(3):
        hosts.append(run(ahead, tmp_path, code).output.decode().split())
        assert ahead.wait()
        assert owned() == before + 2
    ahead.close()

    assert [left for _, left in hosts] == ["False"] * 3
    assert len({host for host, _ in hosts}) == 3
    assert owned() == before


def test_a_container_started_ahead_that_is_gone_is_replaced(tmp_path: Path) -> None:
    ahead = DockerSandbox(SandboxSettings(docker_host=os.environ.get("DOCKER_HOST"), n_ready=1))
    run(ahead, tmp_path, "pass")
    assert ahead.wait()
    client = docker.from_env()
    for container in client.containers.list(filters={"label": f"{LABEL_OWNER}={labels()[LABEL_OWNER]}"}):
        if LABEL_RUN not in container.labels:
            container.remove(force=True)
    client.close()

    assert run(ahead, tmp_path, "print('served')").output == b"served\n"
    ahead.close()


def test_a_container_started_ahead_is_not_used_for_other_mounts(tmp_path: Path) -> None:
    ahead = DockerSandbox(SandboxSettings(docker_host=os.environ.get("DOCKER_HOST"), n_ready=1))
    run(ahead, tmp_path, "pass")
    assert ahead.wait()
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)

    assert run(ahead, tmp_path, "import sys; print(sys.prefix)").output.decode().strip() == str(
        tmp_path / ".venv"
    )
    ahead.close()


def test_waiting_for_the_caller_counts_against_no_limit(sandbox: DockerSandbox, tmp_path: Path) -> None:
    """A command is asked for more twice; its caller takes longer than the command may."""
    reporter = (
        "import os; os.umask(0); os.mkfifo('/run/greenline/report', 0o622); print('ready', flush=True)\n"
        "for line in open('/run/greenline/report'): print(line, end='', flush=True)"
    )
    code = b"""
import sys
report = open('/run/greenline/report', 'w', buffering=1)
print('{"kind":"hello"}', file=report)
print('{"kind":"roundEnd"}', file=report)
for line in sys.stdin:
    print('{"kind":"roundEnd"}' + line.strip(), file=report)
"""
    seen: list[bytes] = []

    def more(report: bytes) -> bytes | None:
        seen.append(report)
        if len(seen) == 1:
            threading.Event().wait(4.5)
        return None if len(seen) > 2 else b"more %d\n" % len(seen)

    request = SandboxRequest(
        str(tmp_path),
        {"program.py": StagedFile(code)},
        ("{python}", "program.py"),
        reporter=("{python}", "-I", "-c", reporter),
        limits=Limits(wall_s=2),
        followup=more,
    )

    result = sandbox.run(request, Cancellation())

    assert not result.timed_out
    assert result.exit_code == 0
    assert result.report.decode().splitlines()[1:] == [
        '{"kind":"roundEnd"}',
        '{"kind":"roundEnd"}more 1',
        '{"kind":"roundEnd"}more 2',
    ]
    assert len(seen) == 3
    assert result.report.startswith(seen[0])


def test_a_command_that_hangs_when_it_is_asked_for_more_is_stopped(
    sandbox: DockerSandbox, tmp_path: Path
) -> None:
    tests = b"import os, time\n\n\ndef test_it():\n    if os.path.exists('left'):\n        time.sleep(60)\n"
    tests += b"    open('left', 'w').close()\n    assert os.environ.get('NEVER')\n"
    request = SandboxRequest(
        str(tmp_path),
        {"test_it.py": StagedFile(tests)},
        ("{python}", "/opt/greenline/runner/run_tests.py", "--rounds"),
        reporter=("{python}", "-I", "/opt/greenline/runner/reporter.py"),
        environment={"GREENLINE_REPORT": "/run/greenline/report"},
        limits=Limits(wall_s=6),
        followup=lambda _: b'["test_it.py::test_it"]\n',
    )

    result = sandbox.run(request, Cancellation())

    assert result.timed_out
    assert [report.end for report in parse_rounds(result)] == [RunEnd.COMPLETE]
