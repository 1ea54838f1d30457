"""`Agent: fix` on a diagnostic, with the real server, worker and sandbox, as a plain editor has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from greenline.demo.editor import Editor
from greenline.demo.scene import environment_of, sample_project

TEST = "test_a_step_begins_with_its_own_number"
WORK_S = 240.0


@pytest.fixture
def root(docker_host: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setitem(os.environ, "DOCKER_HOST", docker_host)
    with sample_project() as folder:
        yield folder


def test_a_fix_of_a_diagnostic_on_a_failing_test_is_proposed_verified(root: Path) -> None:
    path = root / "tests" / "test_discount.py"
    before = {file: file.read_bytes() for file in root.rglob("*.py")}
    shown: list[tuple[str, dict[str, Any]]] = []
    command = [sys.executable, "-m", "greenline", "serve"]
    environment = environment_of(root, with_model=False)

    with Editor(command, environment, lambda method, params: shown.append((method, params))) as editor:
        editor.initialize(root)
        buffer = editor.open(path)
        line = next(n for n, text in enumerate(buffer.text.splitlines()) if f"def {TEST}" in text)
        diagnostic = {
            "range": {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 10}},
            "message": f"{TEST} failed: assert 0 == 5",
            "source": "pytest",
            "severity": 1,
        }
        actions = editor.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": path.as_uri()},
                "range": diagnostic["range"],
                "context": {"diagnostics": [diagnostic]},
            },
            30,
        )
        fix = next(a for a in actions if a["command"].startswith("greenline.server.fix"))
        done = editor.request(
            "workspace/executeCommand", {"command": fix["command"], "arguments": fix["arguments"]}, WORK_S
        )

    proposal = done["proposal"]
    assert done["state"] == "proposed", done
    assert proposal["verdict"] == "verified"
    assert [hunk["uri"] for hunk in proposal["hunks"]] == [(root / "ledger" / "discount.py").as_uri()]
    marked = [p for m, p in shown if m == "textDocument/publishDiagnostics" and p["diagnostics"]]
    assert [p["uri"] for p in marked[-1:]] == [(root / "ledger" / "discount.py").as_uri()]
    assert {file: file.read_bytes() for file in before} == before
