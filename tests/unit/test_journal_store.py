"""The journal: what is written is there for the next process, in order and without gaps."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import NotFound
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.core.task import ActiveRun, Plan, PlanEntry, Proposal, RunState, StopReason, Task
from greenline.journal.blob import BlobStore
from greenline.journal.migration import MIGRATIONS, JournalUnusable
from greenline.journal.owner import is_alive, process_owner
from greenline.journal.store import SqliteJournal

TASK = Task("make the tests pass", ("/w",), constraints=("keep ünïcode and lone \ud800",))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    store = SqliteJournal(tmp_path / "state" / "journal.db")
    yield store
    store.close()


def _proposal(run_id: str, state: HunkState = HunkState.PENDING) -> Proposal:
    report = TestReport(RunEnd.COMPLETE, (TestResult("t::a", Outcome.PASSED),), {"t::a": {"a.py": (1, 2)}})
    evidence = Evidence(Verdict.VERIFIED, "", "1 fixed", base=report, patched=report, fixed=("t::a",))
    hunk = Hunk("h1", "/w/a.py", "edit", 0, 1, "x\r\n", "y\r\n", "00", state=state)
    return Proposal("prop-1", run_id, (hunk,), evidence, stop_reason=StopReason.DONE)


def test_run_survives_reopening(journal: SqliteJournal) -> None:
    run = journal.create_run(TASK)
    plan = Plan(1, (PlanEntry(1, "fix", ("a.py",), ("t::a",)),), score=None, engine="repair")
    journal.save_plan(run.id, plan)
    journal.set_state(run.id, RunState.PROPOSED, "ready \ud800")
    journal.save_proposal(_proposal(run.id))

    other = SqliteJournal(journal.path)
    found = other.run(run.id)
    other.close()

    assert found.task == TASK
    assert found.state is RunState.PROPOSED
    assert found.note == r"ready \ud800"
    assert found.plan == plan
    assert found.proposal == _proposal(run.id)
    assert found.last_seq == 3


def test_plan_versions_stay_readable(journal: SqliteJournal) -> None:
    run = journal.create_run(TASK)
    first, second = Plan(1, (PlanEntry(1, "one"),)), Plan(2, (PlanEntry(1, "two"),))

    journal.save_plan(run.id, first)
    journal.save_plan(run.id, second)

    assert journal.plans(run.id) == (first, second)
    assert journal.run(run.id).plan == second


def test_proposal_is_replaced(journal: SqliteJournal) -> None:
    run = journal.create_run(TASK)
    journal.save_proposal(_proposal(run.id))
    journal.save_proposal(_proposal(run.id, HunkState.ACCEPTED))

    assert journal.proposal("prop-1").hunks[0].state is HunkState.ACCEPTED


def test_runs_are_listed_newest_first_and_paged(journal: SqliteJournal) -> None:
    runs = [journal.create_run(TASK) for _ in range(5)]

    newest = journal.runs(limit=2)
    rest = journal.runs(before=newest[-1].created)

    assert [r.id for r in newest + rest] == [r.id for r in reversed(runs)]


def test_unknown_ids_are_named(journal: SqliteJournal) -> None:
    with pytest.raises(NotFound, match="run-x"):
        journal.run("run-x")
    with pytest.raises(NotFound, match="run-x"):
        journal.append("run-x", EventKind.THOUGHT, {})
    with pytest.raises(NotFound, match="run-x"):
        journal.save_proposal(_proposal("run-x"))
    with pytest.raises(NotFound, match="prop-x"):
        journal.proposal("prop-x")


def test_events_from_many_threads_are_contiguous_and_reported_in_order(tmp_path: Path) -> None:
    seen: list[Event] = []
    journal = SqliteJournal(tmp_path / "journal.db", on_event=seen.append)
    second = SqliteJournal(tmp_path / "journal.db")
    run = journal.create_run(TASK)

    def write(store: SqliteJournal) -> None:
        for n in range(50):
            store.append(run.id, EventKind.THOUGHT, {"text": n})

    threads = [threading.Thread(target=write, args=(store,)) for store in (journal, journal, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [e.seq for e in journal.events(run.id)] == list(range(1, 152))
    assert [e.seq for e in journal.events(run.id, after=149)] == [150, 151]
    assert [e.seq for e in seen] == sorted(e.seq for e in seen)
    assert len(seen) == 101
    journal.close()
    second.close()


def test_event_iteration_crosses_pages(journal: SqliteJournal) -> None:
    run = journal.create_run(TASK)
    for _ in range(1_000):
        journal.append(run.id, EventKind.USAGE, {})

    assert [e.seq for e in journal.events(run.id)] == list(range(1, 1_002))


_WRITER = """
import sys
from greenline.core.event import EventKind
from greenline.core.task import Task, RunState
from greenline.journal.store import SqliteJournal
journal = SqliteJournal(sys.argv[1])
run = journal.create_run(Task("x", ("/w",)))
print(run.id, flush=True)
while True:
    journal.append(run.id, EventKind.THOUGHT, {"text": "t" * 3000})
    journal.set_state(run.id, RunState.EXECUTING)
    print("x", flush=True)
"""


def _start_writer(path: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def _kill(process: subprocess.Popen[str]) -> int:
    """Kill the writer and return how many rounds it had reported as written."""
    os.kill(process.pid, signal.SIGKILL)
    written, _ = process.communicate()
    return written.count("x")


@pytest.mark.parametrize("seed", range(6))
def test_killed_writer_leaves_contiguous_events(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "journal.db"
    process, run_id = _start_writer(path)
    time.sleep(random.Random(seed).uniform(0.0, 0.3))
    rounds = _kill(process)

    journal = SqliteJournal(path)
    events = list(journal.events(run_id))

    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert len(events) >= 1 + 2 * rounds
    assert journal.run(run_id).last_seq == len(events)
    assert journal.mark_interrupted() == (run_id,)
    assert journal.run(run_id).state is RunState.INTERRUPTED
    assert journal.mark_interrupted() == ()
    journal.close()


def test_runs_of_the_living_and_resting_runs_are_not_interrupted(journal: SqliteJournal) -> None:
    active, resting = journal.create_run(TASK), journal.create_run(TASK)
    journal.set_state(resting.id, RunState.AWAITING_APPROVAL)

    assert journal.mark_interrupted() == ()
    assert journal.mark_interrupted(process_owner()) == (active.id,)
    assert journal.run(resting.id).state is RunState.AWAITING_APPROVAL


def test_owner_of_an_ended_process_is_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = process_owner(process.pid)
    assert is_alive(owner)

    process.communicate(b"\n")

    assert not is_alive(owner)
    assert is_alive(process_owner())
    assert not is_alive("nobody")


def test_newer_schema_is_refused_with_a_remedy(journal: SqliteJournal) -> None:
    connection = apsw.Connection(str(journal.path))
    connection.execute("INSERT INTO migrations VALUES ('9999-future', 0)")
    connection.close()

    with pytest.raises(JournalUnusable, match=r"newer Greenline.*Update"):
        SqliteJournal(journal.path)


def test_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"not a database" * 100)

    with pytest.raises(JournalUnusable, match="not a sound database"):
        SqliteJournal(path)

    assert path.read_bytes().startswith(b"not a database")


def test_a_journal_of_an_earlier_version_is_brought_forward_with_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    name, script = MIGRATIONS[0]
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied REAL NOT NULL) STRICT")
    connection.execute("INSERT INTO migrations VALUES (?, 0)", (name,))
    connection.execute(script)
    connection.execute(
        "INSERT INTO runs (id, task, state, created) VALUES ('run-1', ?, 'accepted', 1)",
        (json.dumps({"request": "old", "roots": ["/w"]}),),
    )
    connection.close()

    journal = SqliteJournal(path)

    assert journal.run("run-1").task.request == "old"
    assert journal.query("SELECT COUNT(*) FROM checkpoints") == [(0,)]
    journal.close()


def test_a_transaction_that_fails_leaves_nothing_behind(journal: SqliteJournal) -> None:
    heard: list[Event] = []
    run = journal.create_run(TASK)
    journal.on_event = heard.append

    with pytest.raises(KeyError), journal.transaction():
        journal.set_state(run.id, RunState.PROPOSED)
        raise KeyError
    with journal.transaction():
        journal.set_state(run.id, RunState.FAILED)
        journal.append(run.id, EventKind.ERROR, {})

    assert journal.run(run.id).state is RunState.FAILED
    assert [event.seq for event in heard] == [2, 3]


def test_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    run = journal.create_run(TASK)
    for number in range(300):
        journal.append(run.id, EventKind.THOUGHT, {"text": f"{number} " * 40})
    journal.close()
    data = bytearray(path.read_bytes())
    pages = len(data) // 4096
    # The schema on the first pages stays sound, and the rest is lost.
    data[pages // 2 * 4096 :] = b"\xff" * (len(data) - pages // 2 * 4096)
    path.write_bytes(data)

    reopened = SqliteJournal(path)
    with pytest.raises(JournalUnusable, match=r"journal\.db"):
        list(reopened.events(run.id))
    with pytest.raises(JournalUnusable, match=r"journal\.db"):
        for _ in range(300):
            reopened.append(run.id, EventKind.THOUGHT, {"text": "more " * 40})
    reopened.close()


def test_active_runs_are_named_newest_first(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    first, second, third = (journal.create_run(TASK) for _ in range(3))
    journal.set_state(second.id, RunState.PROPOSED)

    assert journal.active_runs() == tuple(
        ActiveRun(run.id, RunState.PLANNING, TASK) for run in (third, first)
    )
    journal.close()


def test_what_a_dead_process_had_begun_to_store_is_swept(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path / "blobs")
    name = blobs.put(b"kept")
    folder = blobs.path(name).parent
    dead, alive, older = (
        folder / f".new-{owner}" for owner in ("999999.1-ab", f"{os.getpid()}.{own_start()}-cd", "ef_gh1")
    )
    for path in (dead, alive, older):
        path.write_bytes(b"half")

    blobs.sweep()

    assert sorted(path.name for path in folder.iterdir()) == sorted([alive.name, name[2:]])
    assert blobs.get(name) == b"kept"


def own_start() -> str:
    return process_owner().partition(":")[2]
