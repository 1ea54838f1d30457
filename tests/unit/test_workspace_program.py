"""No program and no module that a workspace brings along runs on the host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from greenline.core.error import GreenlineError
from greenline.demo.editor import Editor
from greenline.sandbox.package_data import sandbox_folder
from greenline.workspace.git import git
from greenline.workspace.listing import list_root
from greenline.workspace.program import find_program


def _program(path: Path, canary: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {canary}\n", "utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("folder", ["", "tools/bin", ".venv/bin", "node_modules/.bin"])
def test_a_program_of_the_workspace_is_passed_over(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, canary = tmp_path / "w", tmp_path / "ran"
    for name in ("git", "rg"):
        _program(root / folder / name, canary)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f"{folder or '.'}:{root / folder}:{os.environ['PATH']}")

    list_root(str(root))

    for name in ("git", "rg"):
        found = find_program(name, (str(root),))
        assert found is not None
        assert not Path(found).resolve().is_relative_to(root)
    assert not canary.exists()


def test_an_activated_environment_elsewhere_brings_no_git(tmp_path: Path) -> None:
    _program(tmp_path / "env" / "bin" / "git", tmp_path / "ran")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "w").mkdir()

    found = find_program("git", (str(tmp_path / "w"),), {"PATH": str(tmp_path / "env" / "bin")})

    assert found is None


def test_a_program_of_another_root_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path / "web" / "bin" / "git", tmp_path / "ran")
    (tmp_path / "api").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'web' / 'bin'}")

    assert git(str(tmp_path / "api"), ["ls-files"], roots=(str(tmp_path / "web"),)) is None
    assert not (tmp_path / "ran").exists()


def test_the_engine_script_runs_nothing_of_the_current_folder(tmp_path: Path) -> None:
    canary, root = tmp_path / "ran", tmp_path / "w"
    root.mkdir()
    for name in ("http", "socket"):
        (root / f"{name}.py").write_text(f"open({str(canary)!r}, 'w')\n")
    environment = {**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}

    done = subprocess.run(
        ["bash", str(sandbox_folder() / "engine.sh"), "status"],
        cwd=root,
        env=environment,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1
    assert not canary.exists()


def test_modules_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor starts the server in the workspace, and a file there can have any name."""
    canary = tmp_path / "ran"
    root = tmp_path / "w"
    root.mkdir()
    for name in ("attrs", "apsw", "cattrs", "docker", "requests", "unidiff", "pathspec"):
        (root / f"{name}.py").write_text(f"open({str(canary)!r}, 'a').write('{name} ')\n")
    monkeypatch.chdir(root)
    environment = {**os.environ, "GREENLINE_STATE_DIR": str(tmp_path / "state")}

    command = [sys.executable, "-P", "-m", "greenline", "serve"]
    with Editor(command, environment, lambda method, params: None) as editor:
        editor.initialize(root)
        # Only the worker knows of models, so it has started by the time this is answered.
        with pytest.raises(GreenlineError, match="none is configured"):
            editor.request("agent/execute", {"request": "rewrite none of it"}, 60)

    assert not canary.exists(), canary.read_text()
