"""Verifications that are spread over a real Docker engine and a stub of a cluster, as the settings say."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from cluster_case import BROKEN, NEW, OLD, TESTS, soon
from stub_api import StubCluster

from greenline.app import make_sandbox, make_verifier
from greenline.cli.doctor import examine
from greenline.config.settings import Settings, load_settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Sandbox, StagedFile, VerifyRequest

NO_CONFIG = Path("/nonexistent/config.toml")


def settings_of(*engines: str, **variables: str) -> Settings:
    settings = load_settings(
        {"GREENLINE_ENGINES": ",".join(engines), "DOCKER_HOST": "", **variables}, NO_CONFIG
    )
    assert settings.warnings == ()
    return settings


def verify(
    sandbox: Sandbox, settings: Settings, root: str, label: str, new: bytes = NEW
) -> tuple[Evidence, list[str]]:
    base = {"calc.py": StagedFile(OLD), "test_calc.py": StagedFile(TESTS)}
    edit_set = EditSet((FileChange(f"{root}/calc.py", OLD, new),))
    request = VerifyRequest(root, base, edit_set, label=label, limits=settings.limits)
    told: list[str] = []
    return make_verifier(sandbox, settings).verify(request, Cancellation(), told.append), told


def test_verifications_are_spread_over_docker_and_a_cluster(
    docker_host: str, cluster: StubCluster, tmp_path: Path
) -> None:
    settings = settings_of(
        docker_host,
        "kubernetes",
        GREENLINE_KUBERNETES_CONFIG=str(cluster.write_config(tmp_path / "config")),
        GREENLINE_IMAGE="some/image",
        GREENLINE_WALL_S="120",
    )
    sandbox = make_sandbox(settings)
    health = sandbox.health()
    found: dict[int, tuple[Evidence, list[str]]] = {}

    def work(number: int) -> None:
        new = BROKEN if number == 2 else NEW
        found[number] = verify(sandbox, settings, str(tmp_path / f"p{number % 2}"), f"v{number}", new)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = [line for line in cluster.asked if line.startswith("POST") and line.endswith("/jobs")]
    sandbox.close()

    verdicts = [found[number][0].verdict for number in range(4)]
    assert verdicts == [Verdict.VERIFIED, Verdict.VERIFIED, Verdict.REGRESSED, Verdict.VERIFIED], found
    assert health.name == "docker, kubernetes"
    assert health.engine.startswith("2 of 2 engines: docker ")
    # One at least on each, with two runs or three: the quicker engine takes more.
    assert 2 <= len(made) <= 9
    # A cluster lists a Job until its pod is gone.
    assert soon(lambda: cluster.jobs() == [])


def test_an_engine_that_is_not_there_costs_no_verification(docker_host: str, tmp_path: Path) -> None:
    settings = settings_of(f"unix://{tmp_path}/none.sock", docker_host)
    sandbox = make_sandbox(settings)

    evidence, _ = verify(sandbox, settings, str(tmp_path / "p"), "v")
    sandbox.close()

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert evidence.engine.startswith("1 of 2 engines: docker ")


def test_a_verification_that_waits_says_its_place(docker_host: str, tmp_path: Path) -> None:
    another = tmp_path / "another.sock"
    another.symlink_to(docker_host.removeprefix("unix://"))
    settings = settings_of(
        docker_host, f"unix://{another}", GREENLINE_ENGINE_SLOTS="1", GREENLINE_QUEUE_LENGTH="2"
    )
    sandbox = make_sandbox(settings)
    sandbox.health()
    told: list[list[str]] = []
    evidences: list[Evidence] = []

    def work(number: int) -> None:
        evidence, said = verify(sandbox, settings, str(tmp_path / "p"), f"v{number}")
        evidences.append(evidence)
        told.append(said)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    sandbox.close()

    verdicts = sorted(evidence.verdict.value for evidence in evidences)
    refused = [evidence for evidence in evidences if evidence.verdict is Verdict.COULD_NOT_RUN]
    assert verdicts == ["couldNotRun", *["verified"] * 4], evidences
    assert "The queue is full: 2 verifications wait for 2 engines." in refused[0].detail
    assert "`queue_length`" in refused[0].detail
    assert any(line.startswith("Waiting for an engine: place 1 of ") for said in told for line in said)


def test_doctor_names_the_engine_that_is_left_out(
    docker_host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_ENGINES", f"docker,unix://{tmp_path}/none.sock")

    found = {finding.name: finding for finding in examine(str(tmp_path))}

    assert found["engine"].ok
    assert found["engine"].detail.startswith("1 of 2 engines: docker ")
    assert (found["sandbox"].ok, found["sandbox"].optional) == (False, True)
    assert f"The engine unix://{tmp_path}/none.sock is left out: " in found["sandbox"].detail


def test_one_engine_is_used_as_it_is(docker_host: str) -> None:
    sandboxes = [
        make_sandbox(settings_of(docker_host)),
        make_sandbox(settings_of("kubernetes:team")),
        make_sandbox(settings_of()),
    ]

    assert [type(sandbox).__name__ for sandbox in sandboxes] == [
        "DockerSandbox",
        "KubernetesSandbox",
        "DockerSandbox",
    ]
    assert sandboxes[0].health().available


def test_engines_that_are_none_are_named() -> None:
    settings = load_settings({"GREENLINE_ENGINES": "docker,podman"}, NO_CONFIG, {"engines": ["tcp://evil:1"]})

    assert settings.engines == ()
    assert len(settings.warnings) == 2
    assert "GREENLINE_ENGINES must be a list of `docker`, `kubernetes`" in settings.warnings[1]
