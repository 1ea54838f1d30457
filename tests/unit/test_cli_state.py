"""A state folder that cannot be used: one line, which says what moves it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import NoReturn

import pytest

from greenline.app import index_path
from greenline.cli import main
from greenline.index.live.lease import lease_path


@pytest.mark.parametrize("command", ["runs", "plan x", "checkpoints", "index", "search x"])
def test_a_state_folder_that_cannot_be_made_is_one_line_with_its_remedy(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GREENLINE_STATE_DIR")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/dev/null")

    assert main([*command.split(), "--root", str(tmp_path)]) == 1

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "/dev/null/.local/state/greenline" in error
    assert error.endswith("Set GREENLINE_STATE_DIR to a folder that can be written, with space.\n")


def _full(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("command", ["index", "search x"])
def test_no_editor_is_said_to_keep_an_index_that_has_no_space(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("greenline.workspace.state.tempfile.TemporaryFile", _full)

    assert main([*command.split(), "--root", str(tmp_path)]) == 1

    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert (
        "No space left on device. The state folder cannot be written. Set GREENLINE_STATE_DIR" in printed.err
    )


def test_an_index_that_cannot_be_claimed_is_said_to_be_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lease = lease_path(index_path([str(tmp_path)]))
    lease.mkdir()

    assert main(["index", "--root", str(tmp_path)]) == 1

    error = capsys.readouterr().err
    assert f"delete {lease}." in error
    assert "editor" not in error
