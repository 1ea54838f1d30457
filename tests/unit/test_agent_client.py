"""The front's hand on a real worker process: answers, events, cancellation, and the worker's death."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_asyncio

from greenline.agent.client import IN_BACKGROUND, WorkerClient
from greenline.core.error import ModelFailed, NotFound, WrongState
from greenline.core.event import Event
from greenline.core.task import RunState, Task
from greenline.journal.owner import is_alive, process_owner
from greenline.journal.store import SqliteJournal
from greenline.process.client import WorkerDied
from greenline.workspace.state import state_folder

ENTRY = {"intent": "do it \U0001f600"}
PLAN: tuple[dict[str, Any], ...] = (
    {"tool_calls": [{"name": "submit_plan", "arguments": {"entries": [ENTRY]}}]},
    {"tool_calls": [{"name": "submit_score", "arguments": {"score": 9}}]},
)
HANG: dict[str, Any] = {"content": "late", "delay_s": 600}


@attrs.define
class Front:
    """A client of the real worker, whose model plays a script, with what it told."""

    client: WorkerClient
    journal: SqliteJournal
    root: str
    log: Path
    script: Path
    events: list[Event] = attrs.field(factory=list)
    died: list[tuple[str, ...]] = attrs.field(factory=list)

    def task(self) -> Task:
        return Task("do it", (self.root,))

    def play(self, *turns: dict[str, Any]) -> None:
        """Give the next worker its turns."""
        self.script.write_text(json.dumps(turns))


def worker_of(tmp_path: Path) -> tuple[list[str], dict[str, str], Path]:
    """Return how the real worker is started, for a project under a path, and where its journal lies."""
    root = tmp_path / "project"
    root.mkdir()
    environment = {
        **os.environ,
        "GREENLINE_STATE_DIR": str(tmp_path / "state"),
        "GREENLINE_MODEL": f"scripted:{tmp_path / 'script.json'}",
        "DOCKER_HOST": f"unix://{tmp_path}/none.sock",
    }
    journal = state_folder(str(root), environment) / "journal.db"
    return [sys.executable, "-P", "-m", "greenline.app", str(root), "{}"], environment, journal


@pytest_asyncio.fixture
async def front(tmp_path: Path) -> AsyncIterator[Front]:
    argv, environment, path = worker_of(tmp_path)
    journal, log = SqliteJournal(path), path.with_name("worker.log")
    client = WorkerClient(argv, journal, log, environment)
    front = Front(client, journal, str(tmp_path / "project"), log, tmp_path / "script.json")
    front.play(*PLAN)
    client.on_event = front.events.append
    client.on_died = front.died.append
    await client.start()
    yield front
    await client.stop()
    journal.close()


async def until(condition: Callable[[], bool]) -> None:
    """Poll a condition; fails after 10 s."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_plan_comes_back_with_its_events_in_order(front: Front) -> None:
    planned = await front.client.plan(front.task(), ())

    assert planned.plan is not None
    assert planned.plan.score == 9
    assert [e.seq for e in front.events] == list(range(1, len(front.events) + 1))
    assert front.events == list(front.journal.events(planned.run_id))


def test_prints_of_libraries_and_children_stay_out_of_the_pipe() -> None:
    program = (
        "import os, subprocess, sys\n"
        "from greenline.process.server import take_pipes\n"
        "source, sink = take_pipes()\n"
        "print('noise that is no line of ours', flush=True)\n"
        "os.write(1, b'more noise\\n')\n"
        "subprocess.run([sys.executable, '-c', 'print(input(), 1)'], check=False)\n"
        "sink.write(source.readline())\n"
        "sink.flush()\n"
    )

    done = subprocess.run(
        [sys.executable, "-P", "-c", program], input=b"a line of ours\n", capture_output=True, check=True
    )

    assert done.stdout == b"a line of ours\n"
    assert b"noise that is no line of ours\nmore noise\n" in done.stderr
    assert b"EOFError" in done.stderr


@pytest.mark.asyncio
async def test_domain_errors_keep_their_class(front: Front) -> None:
    with pytest.raises(NotFound):
        await front.client.execute("run-x", ())
    planned = await front.client.plan(front.task(), ())
    with pytest.raises(WrongState):
        await front.client.pause(planned.run_id)


@pytest.mark.asyncio
async def test_cancelled_call_cancels_its_run_while_others_go_on(front: Front) -> None:
    front.play(HANG, *PLAN)
    # Which of the two takes the turn that hangs is not told.
    plans = [asyncio.create_task(front.client.plan(front.task(), ())) for _ in range(2)]
    (done,), (hanging,) = await asyncio.wait(plans, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    run_id = next(e.run_id for e in front.events if e.run_id != done.result().run_id)

    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging

    assert done.result().plan is not None
    assert front.journal.run(run_id).state is RunState.CANCELLED


@pytest.mark.asyncio
async def test_cancel_by_run_id(front: Front) -> None:
    front.play(HANG)
    hanging = asyncio.create_task(front.client.plan(front.task(), ()))
    await until(lambda: bool(front.events))

    state = await front.client.cancel(front.events[0].run_id)

    assert state is RunState.CANCELLED
    (result,) = await asyncio.gather(hanging, return_exceptions=True)
    assert "cancelled" in str(result)


@pytest.mark.asyncio
async def test_killed_worker_interrupts_its_runs_and_is_started_anew(front: Front) -> None:
    front.play(HANG)
    hanging = asyncio.create_task(front.client.plan(front.task(), ()))
    await until(lambda: bool(front.events))
    run_id = front.events[0].run_id
    assert front.client.pid is not None

    os.kill(front.client.pid, signal.SIGKILL)
    with pytest.raises(WorkerDied, match=r"worker\.log"):
        await hanging

    await until(lambda: bool(front.died))
    assert front.died == [(run_id,)]
    assert front.journal.run(run_id).state is RunState.INTERRUPTED
    # What the worker could not tell any more is told in its place.
    assert [e for e in front.events if e.run_id == run_id] == list(front.journal.events(run_id))
    assert front.events[-1].data["state"] == "interrupted"
    assert (await front.client.status()).worker == "dead"
    front.play(*PLAN)
    assert (await front.client.plan(front.task(), ())).plan is not None


@pytest.mark.asyncio
async def test_worker_that_cannot_serve_says_why(front: Front) -> None:
    front.script.write_text("no script")

    with pytest.raises(ModelFailed, match=r"script\.json cannot be played"):
        await front.client.plan(front.task(), ())
    status = await front.client.status()

    assert status.worker == "ready"
    assert status.model is not None
    assert "cannot be played" in status.model.problem
    assert "GREENLINE_MODEL" in status.model.remedy


@pytest.mark.asyncio
async def test_interrupted_run_is_resumed_by_the_next_worker(front: Front) -> None:
    front.play(*PLAN, {"content": "Nothing to do."}, {"content": "Nothing to do."})
    planned = await front.client.plan(front.task(), ())
    front.journal.set_state(planned.run_id, RunState.INTERRUPTED)

    state = await front.client.resume(planned.run_id, ())

    assert state is RunState.EXECUTING
    await until(lambda: front.journal.run(planned.run_id).state is RunState.FAILED)
    assert "noProgress" in front.journal.run(planned.run_id).note


@pytest.mark.asyncio
async def test_status_never_starts_a_worker(front: Front) -> None:
    assert (await front.client.status()).worker == "cold"
    assert front.client.pid is None

    await front.client.warm()
    await until(lambda: front.client.pid is not None)
    async with asyncio.timeout(30):
        while (status := await front.client.status()).worker != "ready":
            assert status.worker == "warming"

    assert status.model is not None
    assert status.model.name == f"scripted:{front.script}"
    assert status.sandbox is not None
    assert "none.sock" in status.sandbox.problem
    assert status.sandbox.remedy


@pytest.mark.asyncio
async def test_silent_worker_is_asked_for_its_status_once_and_nobody_waits_for_it(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = f"import sys; open({str(heard)!r}, 'w').writelines([*sys.argv, *iter(sys.stdin.readline, '')])"
    journal = SqliteJournal(tmp_path / "journal.db")
    client = WorkerClient([sys.executable, "-c", program], journal, tmp_path / "worker.log")
    await client.warm()
    await until(lambda: client.pid is not None)

    async with asyncio.timeout(8):
        first, second = await client.status(), await client.status()

    assert (first.worker, second.worker) == ("warming", "warming")
    await client.stop()
    journal.close()
    assert heard.read_text().count('"status"') == 1
    assert IN_BACKGROUND in heard.read_text()


@pytest.mark.asyncio
async def test_large_log_is_kept_as_the_old_one(tmp_path: Path) -> None:
    argv, environment, path = worker_of(tmp_path)
    log = tmp_path / "worker.log"
    log.write_bytes(b"x" * 5_000_000)
    journal = SqliteJournal(path)
    client = WorkerClient(argv, journal, log, environment)

    await client.warm()
    await until(lambda: client.pid is not None)

    await client.stop()
    journal.close()
    assert log.stat().st_size < 5_000_000
    assert (tmp_path / "worker.old.log").stat().st_size == 5_000_000


@pytest.mark.asyncio
async def test_stop_interrupts_what_is_under_way_and_leaves_no_process(front: Front) -> None:
    front.play(HANG)
    hanging = asyncio.create_task(front.client.plan(front.task(), ()))
    await until(lambda: bool(front.events))
    pid = front.client.pid
    assert pid is not None
    owner = process_owner(pid)

    await front.client.stop()

    assert not is_alive(owner)
    assert front.journal.run(front.events[0].run_id).state is RunState.INTERRUPTED
    await asyncio.gather(hanging, return_exceptions=True)
    assert front.died == []


@pytest.mark.asyncio
async def test_program_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    client = WorkerClient([str(tmp_path / "missing")], journal, tmp_path / "worker.log")

    with pytest.raises(WorkerDied, match="cannot be started"):
        await client.plan(Task("x", (str(tmp_path),)), ())

    await client.stop()
    journal.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(("is_warmed", "n_started"), [(True, 1), (False, 0)])
async def test_worker_is_warmed_only_where_the_settings_say_so(
    tmp_path: Path, is_warmed: bool, n_started: int
) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    argv, environment, _ = worker_of(tmp_path)
    client = WorkerClient(argv, journal, tmp_path / "worker.log", environment, is_warmed=is_warmed)

    await client.warm()

    names = [task.get_name() for task in asyncio.all_tasks()]
    assert names.count("warm the agent worker") == n_started
    await client.stop()
    journal.close()


def test_worker_ends_when_its_front_dies(tmp_path: Path) -> None:
    argv, environment, _ = worker_of(tmp_path)
    process = subprocess.Popen(
        argv,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    out, _ = process.communicate(b"", timeout=20)

    assert (process.returncode, out) == (0, b"")


def test_front_imports_nothing_heavy() -> None:
    code = "import sys, greenline.agent.client; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"litellm", "docker", "jedi", "tree_sitter"} & set(loaded)
