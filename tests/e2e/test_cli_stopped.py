"""Ctrl-C ends a command in good order: soon, with one line, and with no container left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import docker
import pytest

from greenline.journal.owner import process_owner
from greenline.sandbox.owner import LABEL_OWNER

SLOW = "import time\n\n\ndef test_slow():\n    time.sleep(200)\n"
PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-X = 1\n+X = 2\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_command_leaves_no_container(
    tmp_path: Path, docker_host: str, number: signal.Signals
) -> None:
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.py").write_text("X = 1\n")
    (root / "test_slow.py").write_text(SLOW)
    (tmp_path / "p.diff").write_text(PATCH)
    command = [sys.executable, "-P", "-m", "greenline", "verify", "--root", str(root)]
    client = docker.DockerClient(base_url=docker_host)

    def containers(owner: str) -> list[str]:
        mine = {"label": f"{LABEL_OWNER}={owner}"}
        return [c.id for c in client.containers.list(all=True, filters=mine, ignore_removed=True)]

    with subprocess.Popen([*command, "--patch", str(tmp_path / "p.diff")], stderr=subprocess.PIPE) as process:
        owner = process_owner(process.pid)
        deadline = time.monotonic() + 60
        while not containers(owner):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(number)
        _, error = process.communicate(timeout=15)

    assert (process.returncode, error) == (130, b"greenline: stopped\n")
    assert containers(owner) == []
    client.close()
