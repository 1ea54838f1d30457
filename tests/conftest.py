"""What all tests share: no test of ours writes into the user's state, and none runs without its engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something about the machine, and nothing about the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_E2E = Path(__file__).parent / "e2e"


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep journals, logs and records in a folder of the test's own; hide the caller's model."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(folder))
    for name in ("GREENLINE_MODEL", "GREENLINE_API_BASE", "GREENLINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """Yield the engine's address, which is in `DOCKER_HOST` meanwhile.

    A missing engine fails the tests that need one, and skips none.
    """
    from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
    from greenline.sandbox.engine import candidate_hosts

    words = "none was found; run `sandbox/engine.sh ensure`"
    for address in candidate_hosts(None, os.environ):
        health = DockerSandbox(SandboxSettings(docker_host=address)).health()
        if health.available:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("DOCKER_HOST", address)
                yield address
            return
        words = f"{health.problem} {health.remedy}"
    pytest.fail(f"No container engine: {words}", pytrace=False)


@pytest.fixture(autouse=True)
def engine_for_e2e(request: pytest.FixtureRequest) -> None:
    """Ask for the engine before every end-to-end test that is not about the protocol or a model alone."""
    path = Path(str(request.node.path))
    if path.is_relative_to(_E2E) and not path.name.startswith(("test_lsp", "test_model", "test_cli_edit")):
        request.getfixturevalue("docker_host")
