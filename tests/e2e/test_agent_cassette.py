"""A recorded run of a real mind, replayed over the real tools and the real sandbox, without network.

The first attempt holds a test whose expected day is counted wrongly; the report says so, and that another
test failed before; the second attempt mends the one and leaves the other alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from greenline.app import make_agent
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.error import ModelFailed
from greenline.core.event import EventKind
from greenline.core.evidence import Verdict
from greenline.core.task import RunState, Task
from greenline.journal.store import SqliteJournal
from greenline.workspace.snapshot import Snapshot

DATA = Path(__file__).parents[1] / "data" / "agent" / "statement"
SAMPLE = Path(__file__).parents[2] / "sandbox" / "sample"
REQUEST = "Add a function that formats an account statement as CSV, with a test."


def test_recorded_run_is_replayed_into_a_verified_proposal(tmp_path: Path) -> None:
    root = tmp_path / "sample"
    shutil.copytree(SAMPLE, root)
    journal = SqliteJournal(tmp_path / "journal.db")
    settings = load_settings({"GREENLINE_MODEL": f"cassette:{DATA / 'run.jsonl'}"}, tmp_path / "none.toml")
    agent = make_agent(settings, journal)

    run_id = agent.execute(Task(REQUEST, (str(root),)), Snapshot((str(root),)), Cancellation())

    run = journal.run(run_id)
    assert run.state is RunState.PROPOSED, run.note
    assert run.proposal is not None
    evidence = run.proposal.evidence
    assert evidence.verdict is Verdict.VERIFIED, evidence.detail
    assert {str(Path(hunk.path).relative_to(root)) for hunk in run.proposal.hunks} == {
        "ledger/__init__.py",
        "ledger/statement.py",
        "tests/test_statement.py",
    }
    reports = [event.data for event in journal.events(run_id) if event.kind is EventKind.TEST_REPORT]
    assert [report["verdict"] for report in reports] == ["stillFailing", "verified"]
    assert reports[1]["patched"]["failed"] == [
        "tests/test_discount.py::test_a_step_begins_with_its_own_number"
    ]
    journal.close()


def test_cassette_that_is_not_there_is_named_with_the_remedy(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    settings = load_settings({"GREENLINE_MODEL": f"cassette:{tmp_path}/none.jsonl"}, tmp_path / "none.toml")

    with pytest.raises(ModelFailed, match=r"none\.jsonl cannot be played"):
        make_agent(settings, journal)
    journal.close()
