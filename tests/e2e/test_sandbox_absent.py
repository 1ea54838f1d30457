"""Without a sandbox nothing runs on the host, and the edit is shown as untested: each way to have none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from engine_without_images import engine_without_images

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Verdict
from greenline.core.port import StagedFile, VerifyRequest
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier

CASE = Path(__file__).parents[1] / "data" / "cases" / "52-no-silent-unsandboxed"
VARIANTS = json.loads((CASE / "run.json").read_text())["variants"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_a_sandbox_an_edit_is_untested_and_nothing_runs(
    variant: str, tmp_path: Path, docker_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = tmp_path / "canary"
    monkeypatch.setenv("CANARY", str(canary))
    monkeypatch.chdir(tmp_path)
    door = tmp_path / "door.sock"
    if variant == "no docker binary":
        monkeypatch.setenv("PATH", str(tmp_path))
    if variant == "image absent and no network":
        with engine_without_images(Path(docker_host.removeprefix("unix://")), door) as asked:
            _verify(tmp_path, f"unix://{door}")
        assert any("/images/create" in path for path in asked)
        assert not any("/containers/create" in path for path in asked)
    else:
        _verify(tmp_path, f"unix://{door}")
    assert not canary.exists()


def _verify(root: Path, host: str) -> None:
    test = CASE / "tree" / "test_canary.py"
    base = {"a.py": StagedFile(b"X = 1\n"), "test_canary.py": StagedFile(test.read_bytes())}
    edit_set = EditSet((FileChange(str(root / "a.py"), b"X = 1\n", b"X = 2\n"),))
    sandbox = DockerSandbox(SandboxSettings(docker_host=host, environment=dict(os.environ)))

    health = sandbox.health()
    evidence = SandboxVerifier(sandbox).verify(
        VerifyRequest(str(root), base, edit_set), Cancellation(), lambda sentence: None
    )

    assert not health.available
    assert health.problem
    assert health.remedy
    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert health.problem in evidence.detail


@pytest.mark.parametrize("present", [(), ("runner",)])
def test_an_installation_without_its_toolbox_says_so_instead_of_running_without_coverage(
    present: tuple[str, ...], tmp_path: Path, docker_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in present:
        (tmp_path / name).mkdir()
    monkeypatch.setattr("greenline.sandbox.inside.sandbox_folder", lambda: tmp_path)
    sandbox = DockerSandbox(SandboxSettings(docker_host=docker_host, environment=dict(os.environ)))

    health = sandbox.health()

    assert not health.available
    assert str(tmp_path) in health.problem
    assert "make install" in health.remedy
