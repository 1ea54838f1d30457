"""How sandboxes of bubblewrap end: with a cancelled request, a killed owner, a process's own end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from process_table import below, runs, with_words

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled
from greenline.core.port import Limits, SandboxRequest
from greenline.sandbox import control_group
from greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox

MARK = f"bubblewrap-mark-{os.getpid()}"
"""What stands on the command line of what this process runs, and of nobody else's."""


def test_cancellation_is_prompt_and_leaves_nothing(tmp_path: Path) -> None:
    sandbox = BubblewrapSandbox()
    cancellation = Cancellation()
    cancelled_at: list[float] = []

    def cancel_soon() -> None:
        deadline = time.monotonic() + 20
        while not with_words(MARK) and time.monotonic() < deadline:
            time.sleep(0.05)
        cancelled_at.append(time.monotonic())
        cancellation.cancel()

    thread = threading.Thread(target=cancel_soon)
    thread.start()
    argv = ("{python}", "-c", "import time; time.sleep(60)", MARK)
    with pytest.raises(Cancelled):
        sandbox.run(SandboxRequest(str(tmp_path), {}, argv), cancellation)
    thread.join()

    assert time.monotonic() - cancelled_at[0] < 4
    assert with_words(MARK) == []
    sandbox.close()
    assert _left_by(os.getpid()) == []


@pytest.mark.parametrize("moment_s", [0.0, 0.005, 0.01, 0.02, 0.05, 0.5])
def test_a_killed_owner_takes_its_sandboxes_along_and_the_next_start_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment_s: float
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = f"""
from greenline.core.cancel import Cancellation
from greenline.core.port import SandboxRequest
from greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox
argv = ("{{python}}", "-c", "import time; time.sleep(600)", "{MARK}")
reporter = ("{{python}}", "-I", "/opt/greenline/runner/reporter.py")
BubblewrapSandbox().run(SandboxRequest({str(tmp_path)!r}, {{}}, argv, reporter=reporter), Cancellation())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-P", "-c", program], env=environment) as owner:
        # From its launch on, since each step has another way to be cut short.
        assert _within(30, lambda: bool(with_words(MARK)))
        time.sleep(moment_s)
        family = below(owner.pid)
        owner.send_signal(signal.SIGKILL)

    assert _within(5, lambda: not with_words(MARK))
    assert _within(5, lambda: not any(runs(pid) for pid in family))
    assert _left_by(owner.pid)
    sandbox = BubblewrapSandbox()
    assert sandbox.health().available
    assert _left_by(owner.pid) == []
    sandbox.close()


def test_a_process_that_ends_without_closing_leaves_nothing(tmp_path: Path) -> None:
    program = (
        "import os\nfrom greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox\n"
        "assert BubblewrapSandbox().health().available\nprint(len(os.listdir(os.environ['TMPDIR'])))"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, check=True
    )

    assert done.stdout == b"1\n"
    assert list(tmp_path.iterdir()) == []


def test_fingerprint_is_the_same_in_another_process_and_another_with_other_limits(tmp_path: Path) -> None:
    request = SandboxRequest(str(tmp_path), {}, ("{python}",))
    first, second = BubblewrapSandbox(), BubblewrapSandbox()

    assert first.fingerprint(request) == second.fingerprint(request)
    assert first.fingerprint(request) != first.fingerprint(attrs.evolve(request, limits=Limits(pids=99)))
    first.close()
    second.close()


def test_doctor_names_the_weaker_mode(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "greenline", "doctor", "--json", "--root", str(tmp_path)]
    environment = {**os.environ, "GREENLINE_SANDBOX": "bubblewrap", "DOCKER_HOST": "unix:///nowhere.sock"}

    done = subprocess.run(command, env=environment, capture_output=True, check=False)

    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["engine"]["ok"]
    assert found["engine"]["detail"].startswith("bubblewrap ")
    assert "(weaker: no AppArmor or SELinux profile" in found["engine"]["detail"]
    assert "image" not in found


def _left_by(pid: int) -> list[str]:
    """Return the folders and control groups that a process has."""
    places = [Path(tempfile.gettempdir()), *(one.folder for one in control_group.hierarchies())]
    return [str(path) for place in places for path in place.iterdir() if f"-{pid}-" in path.name]


def _within(limit_s: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
