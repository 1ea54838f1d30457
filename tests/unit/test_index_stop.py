"""An index worker ends when its front wants it to, whatever it is doing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from index_live import until

from greenline.index.live.client import LiveIndexClient
from greenline.journal.owner import is_alive, process_owner

HELD = "import pathlib, threading\npathlib.Path({mark!r}).touch()\nthreading.Event().wait()\n"


def test_a_worker_ends_while_it_loads(tmp_path: Path) -> None:
    root, mark = tmp_path / "root", tmp_path / "loading"
    root.mkdir()
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "numpy.py").write_text(HELD.format(mark=str(mark)))
    environment = {
        **os.environ,
        "GREENLINE_STATE_DIR": str(tmp_path / "state"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "modules"), *filter(None, sys.path)]),
    }
    argv = [sys.executable, "-P", "-m", "greenline.app", "index", "{}", json.dumps([str(root)])]
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        until(mark.exists, 60)
        worker.stdin.close()

        assert worker.wait(60) == 0


@pytest.mark.asyncio
async def test_a_worker_that_does_not_listen_is_not_waited_for(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    client = LiveIndexClient([sys.executable, "-c", HELD.format(mark=str(mark))], tmp_path / "log")
    client.start([str(tmp_path)])
    await asyncio.to_thread(until, mark.exists, 60)
    pid = client.pid
    assert pid is not None
    owner = process_owner(pid)
    await client.stop()

    assert not is_alive(owner)
