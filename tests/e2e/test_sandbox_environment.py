"""Environments that lie outside the workspace, in real containers: found, complete, and read-only."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, SandboxRequest, StagedFile
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings

PROGRAM = b"""
import sys, shop
print(sys.prefix)
print(shop.NAME)
try:
    open(shop.__file__, "w")
except OSError as error:
    print(error.strerror)
"""


def _run(root: Path, docker_host: str, active: str) -> list[str]:
    environment = {**os.environ, "VIRTUAL_ENV": active}
    sandbox = DockerSandbox(SandboxSettings(docker_host=docker_host, environment=environment))
    request = SandboxRequest(
        str(root), {"program.py": StagedFile(PROGRAM)}, ("{python}", "program.py"), limits=Limits(wall_s=60)
    )
    return sandbox.run(request, Cancellation()).output.decode().splitlines()


def _make(folder: Path) -> None:
    venv.create(folder, with_pip=False, symlinks=True)
    site = next((folder / "lib").glob("python3*/site-packages"))
    (site / "shop.py").write_text("NAME = 'from the environment'\n")


def test_activated_environment_outside_the_workspace_is_used(tmp_path: Path, docker_host: str) -> None:
    _make(tmp_path / "envs" / "work")
    (tmp_path / "project").mkdir()

    said = _run(tmp_path / "project", docker_host, str(tmp_path / "envs" / "work"))

    assert said == [str(tmp_path / "envs" / "work"), "from the environment", "Read-only file system"]
    assert "NAME" in next(tmp_path.rglob("shop.py")).read_text()


def test_environment_whose_interpreter_is_linked_as_uv_does_is_used(tmp_path: Path, docker_host: str) -> None:
    """uv links `bin/python` through a link to the folder of a full version, and `pyvenv.cfg` names it."""
    series = tmp_path / "uv" / "cpython-3-linux-x86_64-gnu"
    series.parent.mkdir()
    series.symlink_to(sys.base_prefix)
    root = tmp_path / "project"
    _make(root / ".venv")
    for link in ("python", "python3"):
        (root / ".venv" / "bin" / link).unlink()
    (root / ".venv" / "bin" / "python").symlink_to(series / "bin" / "python3")
    (root / ".venv" / "bin" / "python3").symlink_to("python")
    (root / ".venv" / "pyvenv.cfg").write_text(f"home = {series / 'bin'}\n")

    said = _run(root, docker_host, "")

    assert said == [str(root / ".venv"), "from the environment", "Read-only file system"]


def test_coverage_of_the_toolbox_is_compiled(tmp_path: Path, docker_host: str) -> None:
    """In pure Python it makes tests ten times as slow, and nobody would know why."""
    sandbox = DockerSandbox(SandboxSettings(docker_host=docker_host, environment={"PATH": "/usr/bin:/bin"}))
    program = b"import coverage.tracer\nprint(coverage.tracer.__file__.endswith('.so'))\n"
    request = SandboxRequest(
        str(tmp_path),
        {"program.py": StagedFile(program)},
        ("{python}", "program.py"),
        environment={"PYTHONPATH": "/opt/greenline/toolbox"},
        limits=Limits(wall_s=60),
    )

    assert sandbox.run(request, Cancellation()).output.decode().splitlines() == ["True"]
