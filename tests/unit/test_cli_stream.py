"""Standard streams that are closed: named where they are needed, and not missed elsewhere."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def _in_a_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `greenline` in a shell, for its redirections."""
    program = f"{shlex.quote(sys.executable)} -P -m greenline"
    return subprocess.run(
        ["/bin/sh", "-c", f"exec {program} {command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", ["runs", "flaky", "verify --json", "doctor --json", "index", "serve"])
def test_a_closed_output_is_named(command: str, tmp_path: Path) -> None:
    done = _in_a_shell(f"{command} >&-", tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("greenline: Standard output is closed.")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["verify --patch -", "edit apply -", "serve", "acp", "mcp"])
def test_a_closed_input_is_named_where_it_is_read(command: str, tmp_path: Path) -> None:
    done = _in_a_shell(f"{command} <&-", tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("greenline: Standard input is closed.")
    assert done.stderr.count("\n") == 1


def test_closed_streams_that_are_not_needed_are_not_missed(tmp_path: Path) -> None:
    done = _in_a_shell("runs --json <&- 2>&-", tmp_path)
    unknown = _in_a_shell("show run-none <&- 2>&-", tmp_path)

    assert (done.returncode, done.stdout) == (0, "[]\n")
    assert (unknown.returncode, unknown.stdout) == (1, "")
