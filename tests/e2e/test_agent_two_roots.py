"""A run over two roots: litellm over HTTP, the real tools and the real sandbox; the worst verdict counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from greenline.app import make_agent
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.evidence import Verdict
from greenline.core.task import EntryStatus, RunState, Task
from greenline.journal.store import SqliteJournal
from greenline.model.scripted_server import ScriptedServer
from greenline.workspace.snapshot import Snapshot

# litellm and the libraries below it warn about themselves; that is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

APP = "def price(n):\n    return n * 2\n"
TEST = "from app import price\n\n\ndef test_price():\n    assert price({0}) == {1}\n"


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _turns(api: str, web: str) -> list[dict[str, Any]]:
    edits = [
        _call("edit_file", path=f"{root}/app.py", search="    return n * 2", replace=f"    return {body}")
        for root, body in (("api", api), ("web", web))
    ]
    checks = ["api/test_app.py::test_price", "web/test_app.py::test_price"]
    entry = {"intent": "Treble the price", "files": ["api/app.py", "web/app.py"], "checks": checks}
    return [
        {"tool_calls": [_call("list_directory"), _call("read_file", path="app.py")]},
        {
            "tool_calls": [_call("submit_plan", entries=[entry])],
            "expect": ["api/\nweb/", "it could be api/app.py, web/app.py", "roots: api, web"],
        },
        {"tool_calls": [_call("submit_score", score=9)]},
        {"tool_calls": edits},
        {"content": "The price is trebled."},
    ]


@pytest.mark.parametrize(
    ("web_body", "verdict"), [("n * 3", Verdict.VERIFIED), ("n * 2 + 0", Verdict.STILL_FAILING)]
)
def test_both_roots_are_edited_and_the_worst_verdict_counts(
    tmp_path: Path, web_body: str, verdict: Verdict
) -> None:
    roots = (str(tmp_path / "api"), str(tmp_path / "web"))
    for root in map(Path, roots):
        root.mkdir()
        (root / "app.py").write_text(APP)
        (root / "test_app.py").write_text(TEST.format(2, 6))
    journal = SqliteJournal(tmp_path / "journal.db")

    with ScriptedServer(_turns("n * 3", web_body)) as server:
        agent = make_agent(Settings(model="openai/scripted", api_base=server.address), journal)
        run_id = agent.execute(Task("treble the price", roots), Snapshot(roots), Cancellation())

    run = journal.run(run_id)
    assert run.state is RunState.PROPOSED, run.note
    assert run.proposal is not None
    assert run.proposal.evidence.verdict is verdict, run.proposal.evidence.detail
    assert [(hunk.path, hunk.plan_entry) for hunk in run.proposal.hunks] == [
        (f"{root}/app.py", 1) for root in roots
    ]
    assert run.plan is not None
    is_verified = verdict is Verdict.VERIFIED
    status = EntryStatus.COMPLETED if is_verified else EntryStatus.FAILED
    assert run.plan.entries[0].status is status
    if not is_verified:
        told = server.requests[-1]["messages"][-1]["content"]
        assert "failed: web/test_app.py::test_price" in told
        assert "failed: api/" not in told
    assert (tmp_path / "api" / "app.py").read_text() == APP
    journal.close()


ADD = "def add(a, b):\n    return a - b\n"
ADD_TEST = """from app import add


def test_add():
    assert add(2, 3) == 5


def test_add_more():
    assert add(7, 2) == 9


def test_nothing():
    assert add(4, 0) == 4
"""


def test_without_a_model_both_roots_are_repaired_in_one_run(tmp_path: Path) -> None:
    roots = (str(tmp_path / "api"), str(tmp_path / "web"))
    for root in map(Path, roots):
        root.mkdir()
        (root / "app.py").write_text(ADD)
        (root / "test_app.py").write_text(ADD_TEST)
    journal = SqliteJournal(tmp_path / "journal.db")
    agent = make_agent(Settings(), journal)
    try:
        task = Task("make the failing tests pass", roots)
        run = journal.run(agent.execute(task, Snapshot(roots), Cancellation()))
    finally:
        agent.close()
        journal.close()

    assert run.state is RunState.PROPOSED
    assert run.proposal is not None
    assert run.proposal.evidence.verdict is Verdict.VERIFIED
    assert {(hunk.path, hunk.after) for hunk in run.proposal.hunks} == {
        (f"{root}/app.py", "    return a + b\n") for root in roots
    }
    assert {f"{name}/test_app.py::test_add" for name in ("api", "web")} <= set(run.proposal.evidence.fixed)
    assert run.plan is not None
    assert [entry.status for entry in run.plan.entries] == [EntryStatus.COMPLETED] * 2
