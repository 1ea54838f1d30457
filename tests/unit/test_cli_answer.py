"""A run on the command line that asks something, where nobody is there to answer, and where somebody is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from greenline.cli import main


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def _script(path: Path, planned: list[str], edited: list[str], permitted: list[str]) -> str:
    """Write a script that asks at every occasion and expects texts back; return the model's name."""
    turns = [
        _call("ask_user", questions=[{"text": "Red or blue?", "options": ["red", "blue"]}]),
        {**_call("submit_plan", entries=[{"intent": "Paint it"}]), "expect": planned},
        _call("submit_score", score=9),
        _call("ask_user", question="Twice?"),
        {**_call("run_command", command="true"), "expect": edited},
        {"content": "Nothing to do.", "expect": permitted},
        {"content": "Nothing to do."},
    ]
    path.write_text(json.dumps(turns))
    return f"scripted:{path}"


@pytest.mark.timeout(60)
def test_where_nobody_can_answer_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = ["Nobody can be asked here"]
    model = _script(tmp_path / "s.json", nobody, nobody, ["[rejected]"])
    monkeypatch.setenv("GREENLINE_MODEL", model)
    root = tmp_path / "w"
    root.mkdir()

    code = main(["run", "paint it", "--root", str(root)])

    error = capsys.readouterr().err
    assert code == 1
    assert "not asked: Red or blue?" in error
    assert "no proposal: noProgress" in error


@pytest.mark.timeout(60)
def test_on_a_terminal_the_user_answers(tmp_path: Path) -> None:
    answered = ["The user answers: perhaps"]
    model = _script(tmp_path / "s.json", ["the user answered: blue"], answered, ["[sandboxUnavailable]"])
    root = tmp_path / "w"
    root.mkdir()
    ours, theirs = pty.openpty()
    os.write(ours, b"2\nperhaps\n1\n")
    environment = {**os.environ, "GREENLINE_MODEL": model, "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}

    done = subprocess.run(
        [sys.executable, "-P", "-m", "greenline", "run", "paint it", "--root", str(root)],
        env=environment,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=False,
    )

    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 1, shown
    assert "no proposal: noProgress" in shown
