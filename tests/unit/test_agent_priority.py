"""The worker warms up at low priority, and its requests do not wait at that priority."""

from __future__ import annotations

import io
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greenline.agent.agent import Agent
from greenline.agent.worker import Worker
from greenline.app import make_agent
from greenline.config.settings import Settings
from greenline.journal.store import SqliteJournal
from greenline.process.priority import NICENESS, in_background


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def test_background_work_yields_and_nothing_else_does() -> None:
    before, seen = niceness(), []

    in_background(lambda: seen.append(niceness()))

    assert seen == [NICENESS]
    assert niceness() == before


def test_failure_of_background_work_is_raised() -> None:
    def fail() -> None:
        raise ImportError("gone")

    with pytest.raises(ImportError, match="gone"):
        in_background(fail)


def test_warming_yields_until_a_request_waits_for_it(tmp_path: Path) -> None:
    """The request comes while the agent is being built, as one that arrives during the imports does."""
    journal = SqliteJournal(tmp_path / "journal.db")
    building, asked = threading.Event(), threading.Event()
    seen: list[int] = []

    def build() -> Agent:
        seen.append(niceness())
        building.set()
        assert asked.wait(30)
        seen.append(niceness())
        return make_agent(Settings(docker_host=f"unix://{tmp_path}/none.sock"), journal)

    read_fd, write_fd = os.pipe()
    with os.fdopen(read_fd, "rb") as source, os.fdopen(write_fd, "wb", buffering=0) as requests:
        sink = io.BytesIO()
        worker = Worker(build, sink)
        serving = threading.Thread(target=worker.run, args=(source,))
        serving.start()
        requests.write(json.dumps({"id": 1, "method": "warm", "params": {}}).encode() + b"\n")
        assert building.wait(30)
        task = {"request": "add a word", "roots": [str(tmp_path)]}
        params = {"task": task, "overlays": []}
        requests.write(json.dumps({"id": 2, "method": "plan", "params": params}).encode() + b"\n")
        until(lambda: niceness_of_warming() != NICENESS or os.geteuid() != 0)
        asked.set()
        until(lambda: sink.getvalue().count(b'{"id":') == 2)
        requests.close()
        serving.join(30)

    assert seen == [NICENESS, 0 if os.geteuid() == 0 else NICENESS]
    journal.close()


def until(condition: Callable[[], bool]) -> None:
    """Poll a condition; fails after 30 s."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def niceness_of_warming() -> int:
    """Return the priority of the thread that warms up."""
    thread = next(t for t in threading.enumerate() if t.name.startswith("warm"))
    return os.getpriority(os.PRIO_PROCESS, thread.native_id or 0)
