"""The toolchain `image`: tests run with the Python of an image that the user names, and with nothing else."""

from __future__ import annotations

import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from python_image import imported, root_file_system

from greenline.app import make_sandbox, make_verifier
from greenline.cli.doctor import examine
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import StagedFile, VerifyRequest
from greenline.sandbox.project_image import wanted_image

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
    with imported(docker_host, root_file_system()) as name:
        yield name


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


def test_the_image_of_a_dockerfile_is_the_one_that_was_built_from_it(
    tmp_path: Path, docker_host: str
) -> None:
    """Its name holds what the Dockerfile copies by name: with another lock file it is another image."""
    files = {"Dockerfile": b"FROM base\nCOPY requirements.txt /\n", "requirements.txt": b"shop==1.0\n"}
    files |= {"calc.py": OLD, "test_calc.py": TEST}
    base = {name: StagedFile(content) for name, content in files.items()}
    settings = load_settings(_settings("dockerfile", docker_host), NO_CONFIG)
    edit_set = EditSet((FileChange(str(tmp_path / "calc.py"), OLD, NEW),))
    request = VerifyRequest(str(tmp_path), base, edit_set)
    wanted = wanted_image("dockerfile", base)
    sandbox = make_sandbox(settings)
    verifier = make_verifier(sandbox, settings)

    before = verifier.verify(request, Cancellation(), lambda sentence: None)
    with imported(docker_host, root_file_system(), wanted.name):
        after = verifier.verify(request, Cancellation(), lambda sentence: None)
        changed = {**base, "requirements.txt": StagedFile(b"shop==2.0\n")}
        other = verifier.verify(
            VerifyRequest(str(tmp_path), changed, edit_set), Cancellation(), lambda sentence: None
        )
        sandbox.close()

    assert sandbox.health().available
    assert before.verdict is other.verdict is Verdict.COULD_NOT_RUN
    assert f"docker build -t {wanted.name} -f ./Dockerfile ." in before.detail
    assert wanted.name not in other.detail
    assert after.verdict is Verdict.VERIFIED, after


def test_engine_without_the_runtime_says_so(docker_host: str) -> None:
    settings = load_settings({"GREENLINE_RUNTIME": "no-such-runtime", "DOCKER_HOST": docker_host}, NO_CONFIG)

    health = make_sandbox(settings).health()

    assert not health.available
    assert "has no runtime no-such-runtime; it has " in health.problem
    assert "runc" in health.problem
    assert "`runtime`" in health.remedy
