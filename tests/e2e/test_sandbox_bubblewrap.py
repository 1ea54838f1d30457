"""bubblewrap's sandboxes against programs that try to break their limits, made by root and by somebody else.

The same cases as in containers; what each mode cannot hold is told by its label, and tested here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from process_table import working_in
from test_sandbox_limits import CASES, PYTEST, TOOLBOX, run, staged
from unprivileged import as_somebody, open_folder, shipped_for_all
from verify_case import BUG, TESTS

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import Evidence, RunEnd, Verdict
from greenline.core.port import Limits, SandboxRequest, SandboxResult, StagedFile, VerifyRequest
from greenline.sandbox.bubblewrap_sandbox import ONE_USER, BubblewrapSandbox, BubblewrapSettings
from greenline.verify.report import parse_rounds
from greenline.verify.verifier import SandboxVerifier

CASE_52 = CASES / "52-no-silent-unsandboxed" / "tree" / "test_canary.py"
REPORTER = (
    "import os\nos.umask(0)\nos.mkfifo('/run/greenline/report', 0o622)\n"
    "fifo = os.open('/run/greenline/report', os.O_RDONLY | os.O_NONBLOCK)\n"
    "os.chmod('/run/greenline/report', 0o222)\nos.set_blocking(fifo, True)\nprint('ready', flush=True)\n"
    "import select\npoll = select.poll()\npoll.register(fifo)\npoll.poll()\n"
    "for line in os.fdopen(fifo): print(os.getuid(), line, end='', flush=True)\n"
)


@attrs.frozen
class Mode:
    """Who makes the sandbox."""

    sandbox: BubblewrapSandbox
    root: Path
    is_root: bool

    def call(self, work: Callable[[], SandboxResult]) -> SandboxResult:
        """Do what makes sandboxes, as this mode's user."""
        if self.is_root:
            return work()

        def work_and_close() -> SandboxResult:
            try:
                return work()
            finally:
                self.sandbox.close()

        return as_somebody(work_and_close)

    def run(self, code: str, limits: Limits | None = None) -> SandboxResult:
        """Run one Python program."""
        return self.call(lambda: run(self.sandbox, self.root, code, limits))


MODES = ("root", "somebody") if os.getuid() == 0 else ("somebody",)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[Mode]:
    """Yield each way to make sandboxes, with a project that everybody can look into."""
    with open_folder("bubblewrap-") as home:
        root = home / "project"
        root.mkdir()
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        sandbox = BubblewrapSandbox(BubblewrapSettings(environment=environment))
        if request.param == "root":
            yield Mode(sandbox, root, True)
            sandbox.close()
        else:
            with shipped_for_all(home):
                yield Mode(sandbox, root, False)


def test_memory_bomb_is_stopped(mode: Mode) -> None:
    code = "data = []\nwhile True: data.append(b'%d' % len(data) * (1 << 20))"

    result = mode.run(code, Limits(memory_mb=64, wall_s=30))

    if mode.is_root:
        assert (result.exit_code, result.out_of_memory) == (137, True)
    else:
        assert result.exit_code == 1
        assert b"MemoryError" in result.output
    assert not result.timed_out


def test_fork_bomb_is_held(mode: Mode) -> None:
    code = (
        "import os, time\nn = 0\n"
        "try:\n    while True:\n        if os.fork() == 0: time.sleep(30); os._exit(0)\n        n += 1\n"
        "except OSError: print('held at', n, flush=True); os.killpg(0, 9)"
    )

    result = mode.run(code, Limits(pids=64, wall_s=20))

    assert b"held at" in result.output
    assert int(result.output.split()[2]) < 64


def test_much_output_is_cut_to_its_end(mode: Mode) -> None:
    code = "import sys\nfor _ in range(200): sys.stdout.write('x' * (1 << 20))\nprint('the end')"

    result = mode.run(code, Limits(wall_s=60, output_bytes=4096))

    assert len(result.output) == 4096
    assert result.output.endswith(b"the end\n")


def test_folders_in_memory_hold_so_much_and_so_many(mode: Mode) -> None:
    code = """
import errno, os, shutil
def fill(write):
    try:
        for number in range(100_000): write(number)
    except OSError as error:
        print(errno.errorcode[error.errno])
for folder in ('.', '/tmp', os.environ['HOME'], '/dev/shm'):
    many = folder + '/many'
    os.mkdir(many)
    fill(lambda number: os.mknod(f'{many}/{number}'))
    shutil.rmtree(many)
    with open(folder + '/big', 'wb', buffering=0) as file:
        fill(lambda _: file.write(b'x' * (1 << 20)))
"""

    result = mode.run(code, Limits(wall_s=60, tmpfs_mb=16))

    assert result.output.decode().split() == ["ENOSPC"] * 8


def test_no_other_place_can_be_written_to(mode: Mode) -> None:
    places = (
        "/",
        "/dev",
        "/run",
        "/run/greenline",
        "/etc",
        "/usr",
        "/var/tmp",
        "/home",
        "/opt",
        "/proc/acpi",
    )
    code = f"""
for place in {places}:
    try: open(place + '/made', 'w')
    except OSError: continue
    print(place)
print('the end')
"""

    assert mode.run(code).output == b"the end\n"


def test_timeout_kills_the_whole_tree(mode: Mode) -> None:
    files = staged(CASES / "47-timeout-kills-tree" / "tree")
    request = SandboxRequest(
        str(mode.root), files, (*PYTEST, "test_hang.py"), environment=TOOLBOX, limits=Limits(wall_s=3)
    )
    started = time.monotonic()

    result = mode.call(lambda: mode.sandbox.run(request, Cancellation()))

    assert result.timed_out
    assert time.monotonic() - started < 15
    assert working_in(str(mode.root)) == []


def test_real_tree_keeps_its_bytes_and_owners(mode: Mode) -> None:
    files = staged(CASES / "49-root-owned-files" / "tree")
    for name, file in files.items():
        (mode.root / name).write_bytes(file.content)
    before = {path: (path.read_bytes(), path.stat()) for path in mode.root.iterdir()}
    request = SandboxRequest(str(mode.root), files, PYTEST, environment=TOOLBOX, limits=Limits(wall_s=30))

    result = mode.call(lambda: mode.sandbox.run(request, Cancellation()))

    assert result.exit_code == 0, result.output
    assert {path: (path.read_bytes(), path.stat()) for path in mode.root.iterdir()} == before
    assert mode.run("import os; print(os.getuid())").output != b"0\n"


def test_reporter_speaks_for_itself_alone(mode: Mode) -> None:
    code = """
import os
descriptor = os.open('/run/greenline/report', os.O_WRONLY)
os.write(descriptor, b'heard\\n')
def attempt(action):
    try: action()
    except OSError: print('refused')
attempt(lambda: open('/run/greenline/report'))
attempt(lambda: os.chmod('/run/greenline/report', 0o666))
attempt(lambda: os.unlink('/run/greenline/report'))
attempt(lambda: os.rename('/run/greenline/report', '/run/greenline/other'))
attempt(lambda: os.fchmod(descriptor, 0o666))
attempt(lambda: open(f'/proc/self/fd/{descriptor}'))
print(any('escape-reporter' in open(f'/proc/{p}/cmdline').read() for p in os.listdir('/proc') if p.isdigit()))
print('ready')
"""
    request = SandboxRequest(
        str(mode.root),
        {"program.py": StagedFile(code.encode())},
        ("{python}", "program.py"),
        reporter=("{python}", "-I", "-c", REPORTER, "escape-reporter"),
        limits=Limits(wall_s=30),
    )

    result = mode.call(lambda: mode.sandbox.run(request, Cancellation()))

    assert result.output.decode().split() == ["refused"] * 6 + ["False", "ready"]
    assert result.report.split()[1:] == [b"heard"]
    if mode.is_root:
        assert result.report.split()[0] == b"64001"


def test_waiting_for_the_caller_counts_against_no_limit(mode: Mode) -> None:
    tests = b"import os\n\n\ndef test_it():\n    assert os.environ.get('NEVER')\n"
    seen: list[int] = []

    def more(report: bytes) -> bytes | None:
        seen.append(len(report))
        threading.Event().wait(1.7)
        return None if len(seen) > 2 else b'["test_it.py::test_it"]\n'

    request = SandboxRequest(
        str(mode.root),
        {"test_it.py": StagedFile(tests)},
        ("{python}", "/opt/greenline/runner/run_tests.py", "--rounds"),
        reporter=("{python}", "-I", "/opt/greenline/runner/reporter.py"),
        environment={"GREENLINE_REPORT": "/run/greenline/report"},
        limits=Limits(wall_s=4),
        followup=more,
    )

    result = mode.call(lambda: mode.sandbox.run(request, Cancellation()))

    assert not result.timed_out
    assert [report.end for report in parse_rounds(result)] == [RunEnd.COMPLETE] * 3


def test_a_change_is_verified_and_its_evidence_names_the_weaker_mode(mode: Mode) -> None:
    base = {"calc.py": StagedFile(BUG.encode()), "test_calc.py": StagedFile(TESTS.encode())}
    after = BUG.replace("x < LIMIT", "x <= LIMIT").encode()
    edit_set = EditSet((FileChange(str(mode.root / "calc.py"), BUG.encode(), after),))
    request = VerifyRequest(str(mode.root), base, edit_set, limits=Limits(wall_s=60))
    verifier = SandboxVerifier(mode.sandbox)

    def verify() -> Evidence:
        return verifier.verify(request, Cancellation(), lambda _: None).without_coverage()

    evidence: Evidence = mode.call(verify)  # type: ignore[arg-type, assignment]

    assert (evidence.verdict, evidence.detail) == (Verdict.VERIFIED, evidence.detail)
    assert evidence.sandbox.startswith("bubblewrap (weaker: no AppArmor or SELinux profile")
    assert "(weaker: " in evidence.engine
    assert (ONE_USER in evidence.warnings) is not mode.is_root
    assert ("one user for reporter and tests" in evidence.sandbox) is not mode.is_root
    assert ("memory is limited for each process" in evidence.sandbox) is not mode.is_root


@pytest.mark.parametrize("variant", ["no program", "a program of somebody's", "it fails", "an image"])
def test_without_bubblewrap_nothing_runs(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary, folder = tmp_path / "canary", tmp_path / "bin"
    monkeypatch.setenv("CANARY", str(canary))
    monkeypatch.chdir(tmp_path)
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text("#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 9 && exit\necho no >&2\nexit 1\n")
    program.chmod(0o777 if variant == "a program of somebody's" else 0o755)
    if variant == "no program":
        program.unlink()
        monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    toolchain = "image" if variant == "an image" else "host"
    environment = {"PATH": f"{folder}:/usr/bin", "HOME": str(tmp_path)}
    sandbox = BubblewrapSandbox(BubblewrapSettings(toolchain, environment=environment))
    base = {"a.py": StagedFile(b"X = 1\n"), "test_canary.py": StagedFile(CASE_52.read_bytes())}
    edit_set = EditSet((FileChange(str(tmp_path / "a.py"), b"X = 1\n", b"X = 2\n"),))

    health = sandbox.health()
    evidence = SandboxVerifier(sandbox).verify(
        VerifyRequest(str(tmp_path), base, edit_set), Cancellation(), lambda _: None
    )
    with pytest.raises(SandboxUnavailable):
        sandbox.run(SandboxRequest(str(tmp_path), base, PYTEST), Cancellation())
    sandbox.close()

    assert not health.available
    assert health.problem
    assert health.remedy
    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert health.problem in evidence.detail
    assert not canary.exists()
