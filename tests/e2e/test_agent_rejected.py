"""The real worker over the real sandbox: a rejected fix does not come again, and a part is measured anew."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import attrs
import pytest
import pytest_asyncio

from greenline.agent.client import WorkerClient
from greenline.app import open_journal
from greenline.core.document import OpenDocument
from greenline.core.edit import EditSet, FileChange, HunkState
from greenline.core.event import EventKind
from greenline.core.evidence import Verdict
from greenline.core.task import RunState, Task
from greenline.journal.store import SqliteJournal

BROKEN = "def add(a, b):\n    return a - b\n\n\ndef name():\n    return 'add'\n"
TESTS = """from calc import add


def test_add():
    assert add(1, 2) == 3
    assert add(5, 0) == 5


def test_zero():
    assert add(0, 0) == 0
"""

pytestmark = pytest.mark.asyncio


@attrs.frozen
class Project:
    """A small project with one bug, and the hand on a worker for it."""

    root: Path
    client: WorkerClient
    journal: SqliteJournal


@pytest_asyncio.fixture
async def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Project]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("GREENLINE_MODEL", raising=False)
    root = tmp_path / "project"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    journal = open_journal(str(root))
    client = WorkerClient([sys.executable, "-m", "greenline.app", str(root), "{}"], journal, tmp_path / "log")
    await client.start()
    yield Project(root, client, journal)
    await client.stop()
    journal.close()


async def test_a_rejected_fix_is_not_proposed_again_and_a_part_is_measured_anew(project: Project) -> None:
    journal, path = project.journal, project.root / "calc.py"
    task = Task("make the failing tests pass", (str(project.root),))
    first = journal.run(await project.client.execute(task, ())).proposal
    assert first is not None
    (hunk,) = first.hunks
    assert journal.text(hunk.base_hash) == BROKEN

    # The text as it is: what was accepted, and a line that the user typed since.
    typed = "# typed\n" + BROKEN.replace(hunk.before, hunk.after)
    change = FileChange(str(path), b"# typed\n" + BROKEN.encode(), typed.encode())
    evidence = await project.client.verify(first.id, EditSet((change,)), (OpenDocument(str(path), 2, typed),))
    journal.save_proposal(first.with_states({hunk.id: HunkState.REJECTED}, {hunk.id: "not like that"}))
    journal.set_state(first.run_id, RunState.REJECTED)
    second = journal.run(await project.client.execute(task, ()))

    assert evidence.verdict is Verdict.VERIFIED
    assert [(e.hunk_id, e.coverage) for e in evidence.hunks] == [(hunk.id, "covered")]
    assert [e.kind for e in journal.events(first.run_id)].count(EventKind.TEST_REPORT) == 2
    assert [change.comment for change in second.task.refused] == ["not like that"]
    assert second.proposal is None or hunk.after not in {h.after for h in second.proposal.hunks}
    assert second.proposal is not None or "passes every test was rejected before" in second.note
