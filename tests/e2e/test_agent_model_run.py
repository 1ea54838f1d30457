"""A whole run with a model: litellm over HTTP, the real tools and the real sandbox; the model is a script.

The first attempt fails one of its own tests; the reflection tells the model so; the second is verified.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from greenline.app import make_agent
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.event import EventKind
from greenline.core.evidence import Verdict
from greenline.core.task import RunState, StopReason, Task
from greenline.journal.store import SqliteJournal
from greenline.model.scripted_server import ScriptedServer
from greenline.workspace.snapshot import Snapshot

# litellm and the libraries below it warn about themselves; that is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

CART = "def total(prices):\n    return sum(prices)\n"
TEST_CART = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
TEST_DISCOUNT = """from discount import reduced


def test_half():
    assert reduced(10, 50) == 5


def test_nothing_off():
    assert reduced(20, 25) == 15
"""
CHECK = "tests/test_discount.py::test_nothing_off"
WRONG = "def reduced(price, percent):\n    return price - percent\n"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


TURNS: list[dict[str, Any]] = [
    call("list_directory"),
    call(
        "submit_plan",
        entries=[{"intent": "Reduce a price by a percentage", "files": ["discount.py"], "checks": [CHECK]}],
        risk="low",
    )
    | {"expect": ["cart.py"]},
    call("submit_score", score=9),
    call("create_file", path="discount.py", content=WRONG),
    call("create_file", path="tests/test_discount.py", content=TEST_DISCOUNT),
    {"content": "Adds reduced() with its tests."},
    call(
        "edit_file",
        path="discount.py",
        search="    return price - percent",
        replace="    return price * (100 - percent) / 100",
    )
    | {"expect": ["test_discount.py"]},
    call("edit_file", path="cart.py", search="sum(prices)", replace="sum(prices, 0)"),
    {"content": "Adds reduced() with its tests; the percentage was taken for an amount."},
]


def test_a_failed_attempt_is_reflected_on_and_the_next_is_verified(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "conftest.py").write_text("")
    (root / "cart.py").write_text(CART)
    (root / "tests" / "test_cart.py").write_text(TEST_CART)
    journal = SqliteJournal(tmp_path / "journal.db")

    with ScriptedServer(TURNS) as server:
        settings = Settings(model="openai/scripted", api_base=server.address)
        agent = make_agent(settings, journal)
        run_id = agent.execute(Task("add a discount", (str(root),)), Snapshot((str(root),)), Cancellation())

    run = journal.run(run_id)
    assert run.state is RunState.PROPOSED, run.note
    assert run.proposal is not None
    assert run.proposal.stop_reason is StopReason.DONE
    assert run.proposal.evidence.verdict is Verdict.VERIFIED, run.proposal.evidence.detail
    names = {str(Path(hunk.path).relative_to(root)) for hunk in run.proposal.hunks}
    assert names == {"cart.py", "discount.py", "tests/test_discount.py"}
    assert run.proposal.evidence.touches_tests
    assert run.plan is not None
    assert run.plan.score == 9
    assert len(server.requests) == len(TURNS)
    assert not (root / "discount.py").exists()
    reports = [event for event in journal.events(run_id) if event.kind is EventKind.TEST_REPORT]
    assert len(reports) >= 2
