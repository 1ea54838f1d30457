"""The real worker over the real sandbox: a repair from request to proposal, and nothing left behind."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import attrs
import docker
import pytest
import pytest_asyncio

from greenline.agent.client import WorkerClient
from greenline.core.document import OpenDocument
from greenline.core.error import NoModel
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Verdict
from greenline.core.task import RunState, Task
from greenline.journal.store import SqliteJournal

BROKEN = "def add(a, b):\n    return a - b\n"
TESTS = """from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
"""
SLOW = "import time\n\n\ndef test_slow():\n    time.sleep(60)\n    assert False\n"


@attrs.define
class Project:
    """A small project with one bug, and the hand on a worker for it."""

    root: Path
    client: WorkerClient
    journal: SqliteJournal
    events: list[Event] = attrs.field(factory=list)

    def task(self, request: str = "make the failing tests pass") -> Task:
        return Task(request, (str(self.root),))


@pytest_asyncio.fixture
async def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Project]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("GREENLINE_MODEL", raising=False)
    from greenline.app import open_journal

    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "calc.py").write_text(BROKEN)
    (root / "conftest.py").write_text("")
    (root / "tests" / "test_calc.py").write_text(TESTS)
    journal = open_journal(str(root))
    argv = [sys.executable, "-P", "-m", "greenline.app", str(root), "{}"]
    client = WorkerClient(argv, journal, tmp_path / "worker.log")
    project = Project(root, client, journal)
    client.on_event = project.events.append
    await client.start()
    yield project
    await client.stop()
    journal.close()


def containers_of(run_id: str) -> list[str]:
    """Return the ids of the containers of a run, ended ones too."""
    client = docker.from_env()
    try:
        found = client.containers.list(all=True, ignore_removed=True)
        return [c.id for c in found if run_id in c.labels.values()]
    finally:
        client.close()


async def until(condition: Callable[[], bool], limit_s: float) -> None:
    """Poll a condition; fails at the limit."""
    async with asyncio.timeout(limit_s):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_failing_test_is_repaired_into_a_verified_proposal(project: Project) -> None:
    planned = await project.client.plan(project.task(), ())
    assert planned.plan is not None
    assert (planned.plan.engine, planned.plan.score) == ("repair", None)

    run_id = await project.client.execute(planned.run_id, ())

    proposal = project.journal.run(run_id).proposal
    assert proposal is not None, project.journal.run(run_id).note
    assert proposal.evidence.verdict is Verdict.VERIFIED
    assert [hunk.after for hunk in proposal.hunks] == ["    return a + b\n"]
    assert (project.root / "calc.py").read_text() == BROKEN
    assert [e.seq for e in project.events] == list(range(1, len(project.events) + 1))
    assert EventKind.TEST_REPORT in {event.kind for event in project.events}
    await until(lambda: containers_of(run_id) == [], 10)


@pytest.mark.asyncio
async def test_open_buffer_is_the_truth(project: Project) -> None:
    path = project.root / "calc.py"
    text = "# unsaved\r\n" + BROKEN.replace("\n", "\r\n")

    run_id = await project.client.execute(project.task(), (OpenDocument(str(path), 7, text, "python"),))

    proposal = project.journal.run(run_id).proposal
    assert proposal is not None, project.journal.run(run_id).note
    (hunk,) = proposal.hunks
    assert (hunk.before, hunk.after) == ("    return a - b\r\n", "    return a + b\r\n")
    assert (hunk.start_line, hunk.base_version) == (2, 7)


@pytest.mark.asyncio
async def test_cancelled_run_leaves_no_container_within_two_seconds(project: Project) -> None:
    (project.root / "tests" / "test_calc.py").write_text(SLOW)
    planning = asyncio.create_task(project.client.plan(project.task(), ()))
    await until(lambda: bool(project.events), 30)
    run_id = project.events[0].run_id
    await until(lambda: bool(containers_of(run_id)), 60)

    planning.cancel()
    async with asyncio.timeout(4):
        with pytest.raises(asyncio.CancelledError):
            await planning

    assert project.journal.run(run_id).state is RunState.CANCELLED
    await until(lambda: containers_of(run_id) == [], 10)


@pytest.mark.asyncio
async def test_stopped_worker_takes_its_containers_with_it(project: Project) -> None:
    (project.root / "tests" / "test_calc.py").write_text(SLOW)
    planning = asyncio.create_task(project.client.plan(project.task(), ()))
    await until(lambda: bool(project.events), 30)
    run_id = project.events[0].run_id
    await until(lambda: bool(containers_of(run_id)), 60)

    await project.client.stop()

    assert containers_of(run_id) == []
    assert project.journal.run(run_id).state is RunState.INTERRUPTED
    await asyncio.gather(planning, return_exceptions=True)


@pytest.mark.asyncio
async def test_request_that_needs_a_model_is_refused_with_a_remedy(project: Project) -> None:
    with pytest.raises(NoModel, match="GREENLINE_MODEL"):
        await project.client.plan(project.task("add a subtract function"), ())

    assert project.journal.runs() == []
