"""The toolchain `image`: tests run with the Python of an image that the user names, and with nothing else."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import uuid
import venv
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from greenline.app import make_sandbox, make_verifier
from greenline.cli.doctor import examine
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import StagedFile, VerifyRequest

PROGRAMS = ("cat", "chmod", "sleep", "tar", "timeout")
NO_CONFIG = Path("/nonexistent/config.toml")
OLD, NEW = b"def add(a, b):\n    return a - b\n", b"def add(a, b):\n    return a + b\n"
TEST = b"""
import os
from calc import add
def test_add():
    assert add(1, 2) == 3
def test_where():
    assert open("/etc/made-for").read() == "this test"
    assert not os.path.exists("/usr/share/doc")
"""


@pytest.fixture(scope="module")
def image(docker_host: str) -> Iterator[str]:
    """Import an image with this machine's Python, by its own name, and remove it afterwards."""
    client = docker.DockerClient(base_url=docker_host)
    name = f"greenline-test-image:{uuid.uuid4().hex[:12]}"
    repository, tag = name.split(":")
    client.api.import_image_from_data(_root_file_system(), repository=repository, tag=tag)
    yield name
    client.images.remove(name)
    client.close()


def _root_file_system() -> bytes:
    """Return a tar of a Python, a few programs and their libraries."""
    buffer = io.BytesIO()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    standard = Path(sysconfig.get_path("stdlib"))
    python = Path(sys.base_prefix) / "bin" / version
    programs = [Path(str(shutil.which(name))).resolve() for name in PROGRAMS]
    extensions = sorted((standard / "lib-dynload").glob("*.so"))
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("dev", "etc", "proc", "sys", "tmp", "sbin", "run", "opt"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(folder)
        made_for = tarfile.TarInfo("etc/made-for")
        made_for.size, made_for.mode = 9, 0o644
        tar.addfile(made_for, io.BytesIO(b"this test"))
        tar.add(python.resolve(), "usr/local/bin/python3")
        tar.add(standard, f"usr/local/lib/{version}", filter=_wanted)
        for name, program in zip(PROGRAMS, programs, strict=True):
            tar.add(program, f"bin/{name}")
        for name, path in _libraries([python, *programs, *extensions]).items():
            tar.add(path.resolve(), name)
    return buffer.getvalue()


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    left_out = {"test", "tests", "site-packages", "dist-packages", "__pycache__", "idlelib", "ensurepip"}
    return None if left_out & set(entry.name.split("/")[3:]) or "config-" in entry.name else entry


def _libraries(programs: list[Path]) -> dict[str, Path]:
    """Return where in an image the libraries of programs belong; the loader has its own place."""
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    found: dict[str, Path] = {}
    for line in said.splitlines():
        words = line.split()
        if "=>" in words and words[2].startswith("/"):
            found[f"usr/lib/{words[0]}"] = Path(words[2])
        elif line.startswith("\t/"):
            found[words[0].lstrip("/")] = Path(words[0])
    return found


def _settings(image: str, engine: str) -> dict[str, str]:
    return {"GREENLINE_TOOLCHAIN": "image", "GREENLINE_IMAGE": image, "DOCKER_HOST": engine}


def test_tests_run_with_the_python_of_the_image(tmp_path: Path, image: str, docker_host: str) -> None:
    # An environment for another interpreter, which must not be used.
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)
    settings = load_settings(_settings(image, docker_host), NO_CONFIG)
    base = {"calc.py": StagedFile(OLD), "test_calc.py": StagedFile(TEST)}
    edit_set = EditSet((FileChange(str(tmp_path / "calc.py"), OLD, NEW),))
    sandbox = make_sandbox(settings)

    evidence = make_verifier(sandbox, settings).verify(
        VerifyRequest(str(tmp_path), base, edit_set), Cancellation(), lambda sentence: None
    )
    sandbox.close()

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert evidence.toolchain == "image"
    assert evidence.image == sandbox.health().image != ""


@pytest.mark.parametrize(
    ("image", "problem", "remedy"),
    [
        ("greenline-nothing:here", "greenline-nothing:here is not on", "docker pull greenline-nothing:here"),
        ("", "no image is named", "GREENLINE_IMAGE"),
    ],
)
def test_missing_image_could_not_run(
    tmp_path: Path, docker_host: str, monkeypatch: pytest.MonkeyPatch, image: str, problem: str, remedy: str
) -> None:
    for name, value in _settings(image, docker_host).items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    base = {"calc.py": StagedFile(OLD), "test_calc.py": StagedFile(TEST)}
    edit_set = EditSet((FileChange(str(tmp_path / "calc.py"), OLD, NEW),))

    evidence = make_verifier(make_sandbox(settings), settings).verify(
        VerifyRequest(str(tmp_path), base, edit_set), Cancellation(), lambda sentence: None
    )

    assert evidence.verdict is Verdict.COULD_NOT_RUN
    assert problem in evidence.detail
    assert remedy in evidence.detail
    (engine,) = [finding for finding in examine(str(tmp_path)) if finding.name == "engine"]
    assert (engine.ok, problem in engine.detail, remedy in engine.remedy) == (False, True, True)


def test_engine_without_the_runtime_says_so(docker_host: str) -> None:
    settings = load_settings({"GREENLINE_RUNTIME": "no-such-runtime", "DOCKER_HOST": docker_host}, NO_CONFIG)

    health = make_sandbox(settings).health()

    assert not health.available
    assert "has no runtime no-such-runtime; it has " in health.problem
    assert "runc" in health.problem
    assert "`runtime`" in health.remedy
