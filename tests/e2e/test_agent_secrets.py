"""The key of the model, printed by a test and by a command, reaches neither a model nor the journal."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import apsw
import pytest

from greenline.app import make_agent
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.task import RunState, Task
from greenline.journal.store import SqliteJournal
from greenline.model.scripted_server import ScriptedServer
from greenline.workspace.snapshot import Snapshot

# litellm and the libraries below it warn about themselves; that is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

KEY = "FAKE-key-0123456789-abcdefABCDEF"
LEAK = f"""import a


def test_leak():
    print("{KEY}")
    assert a.X == 3, "{KEY}"
"""


def test_key_printed_by_a_test_and_a_command_goes_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("X = 1\n")
    (root / "test_leak.py").write_text(LEAK)
    edit = {"name": "edit_file", "arguments": {"path": "a.py", "search": "X = 1", "replace": "X = 2"}}
    command = "grep -h FAKE test_leak.py; grep -o FAKE.*F test_leak.py | head -1 | tr -d '\\n' | base64"
    entry = {"intent": "Raise X", "files": ["a.py"], "checks": ["test_leak.py::test_leak"]}
    note = {"name": "search_files", "arguments": {"pattern": KEY, "literal": True}}
    turns = [
        {"tool_calls": [{"name": "read_file", "arguments": {"path": "test_leak.py"}}]},
        {"tool_calls": [{"name": "submit_plan", "arguments": {"entries": [entry]}}]},
        {"tool_calls": [{"name": "submit_score", "arguments": {"score": 9}}]},
        {"tool_calls": [{"name": "run_command", "arguments": {"command": command}}, edit]},
        {"tool_calls": [{"name": "run_tests", "arguments": {}}]},
        # The scripted server sends a text in pieces of 40 characters, so that this key comes in two.
        {"content": f"X is raised; the test holds {KEY}.", "tool_calls": [note]},
        {"content": "It does not help."},
        {"content": "It does not help."},
    ]
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)

    with ScriptedServer(turns) as server:
        settings = Settings(
            model="openai/scripted", api_base=server.address, api_key=KEY, permission="auto", max_iterations=2
        )
        agent = make_agent(settings, journal)
        run_id = agent.execute(Task("raise X", (str(root),)), Snapshot((str(root),)), Cancellation())

    assert journal.run(run_id).state is RunState.PROPOSED, journal.run(run_id).note
    journal.close()
    asked = json.dumps(server.requests)
    assert "[secret]" in asked
    kept = _dump(path)
    assert "[secret]" in kept
    for text in (asked, kept):
        assert KEY[:9] not in text
        assert base64.b64encode(KEY.encode()).decode()[:20] not in text


def _dump(path: Path) -> str:
    """Return everything that a database holds, as text."""
    connection = apsw.Connection(str(path))
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return "\n".join(str(row) for table in tables for row in connection.execute(f'SELECT * FROM "{table}"'))
