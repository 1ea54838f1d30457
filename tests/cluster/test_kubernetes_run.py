"""Requests through the official client to a stub of the API server, whose pods run for real."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import attrs
import pytest
from cluster_case import (
    BROKEN,
    ENVIRONMENT,
    REPORTER,
    RUNNER,
    TESTS,
    MakeSandbox,
    run_python,
    run_suite,
    soon,
    verify,
)
from stub_api import Certificate, StubCluster, stub_cluster
from stub_fault import V4, V5

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.evidence import Verdict
from greenline.core.port import Limits, SandboxRequest, StagedFile
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
from greenline.sandbox.kubernetes_settings import ClusterSettings, KubernetesSettings
from greenline.sandbox.owner import LABEL_HOST, LABEL_OWNER, labels
from greenline.verify.report import parse_rounds

FLAKY = b"""import os
from calc import add

def test_chance():
    mark = os.path.join(os.environ["HOME"], "seen")
    first = not os.path.exists(mark)
    open(mark, "w").close()
    assert first == (add(0, 1) == 1)

def test_add():
    assert add(1, 2) == 3
"""
"""The first test fails on a patched tree in every run of a container but its first."""


def test_a_sound_patch_is_verified_and_nothing_is_left(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    evidence = verify(kubernetes, project)

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert (evidence.sandbox, evidence.toolchain) == ("kubernetes", "image")
    assert (evidence.engine, evidence.image) == ("kubernetes v1.33.1-stub", "registry.invalid/python:3")
    assert kubernetes.wait()
    assert soon(lambda: cluster.jobs() == [])
    assert cluster.store.list("pods", "team")[0] == []
    assert {options["propagationPolicy"] for options in cluster.deletions} == {"Foreground"}


def test_a_patch_that_breaks_is_regressed(kubernetes: KubernetesSandbox, project: str) -> None:
    assert verify(kubernetes, project, BROKEN).verdict is Verdict.REGRESSED


def test_the_report_is_that_of_docker(kubernetes: KubernetesSandbox, docker_host: str, project: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    docker = DockerSandbox(SandboxSettings(docker_host, environment={**kept, "PATH": "/usr/bin:/bin"}))
    files = {"calc.py": BROKEN, "test_calc.py": TESTS}

    reports = [
        parse_rounds(run_suite(sandbox, project, files, Limits(wall_s=60)))[0]
        for sandbox in (docker, kubernetes)
    ]
    docker.close()

    facts = [
        (
            [(test.id, test.outcome, test.message) for test in report.tests],
            report.end,
            report.coverage,
        )
        for report in reports
    ]
    assert facts[0] == facts[1]
    assert len(facts[0][0]) == 2


@pytest.mark.parametrize("protocols", [(V5, V4), (V4,)])
def test_a_command_is_asked_for_more_in_the_same_pod(
    make_kubernetes: MakeSandbox, cluster: StubCluster, project: str, protocols: tuple[str, ...]
) -> None:
    cluster.faults.protocols = protocols
    asked: list[bytes] = []

    def followup(report: bytes) -> bytes | None:
        asked.append(report)
        return b'["test_calc.py::test_chance"]\n' if len(asked) < 3 else None

    request = SandboxRequest(
        project,
        {"calc.py": StagedFile(b"def add(a, b):\n    return a + b\n"), "test_calc.py": StagedFile(FLAKY)},
        (*RUNNER, "--rounds"),
        REPORTER,
        ENVIRONMENT,
        Limits(wall_s=60),
        followup=followup,
    )

    result = make_kubernetes().run(request, Cancellation())

    rounds = parse_rounds(result)
    outcomes = [str(round_.outcome_of("test_calc.py::test_chance")) for round_ in rounds]
    assert (result.exit_code, len(asked)) == (0, 3), result
    assert outcomes[0] != outcomes[1] == outcomes[2]
    assert len(cluster.asked) - len([line for line in cluster.asked if "/jobs" not in line]) <= 4


def test_output_and_exit_code_come_back(kubernetes: KubernetesSandbox, project: str) -> None:
    code = "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\nprint(os.getcwd())\nsys.exit(7)"

    result = run_python(kubernetes, project, code)

    assert result.exit_code == 7
    assert set(result.output.split()) == {b"out", b"err", project.encode()}
    assert not (result.timed_out or result.out_of_memory)


def test_much_output_is_held_to_its_end(kubernetes: KubernetesSandbox, project: str) -> None:
    code = "import sys\nfor _ in range(20): sys.stdout.write('x' * (1 << 20))\nprint('the end')"

    result = run_python(kubernetes, project, code, Limits(wall_s=60, output_bytes=4096))

    assert len(result.output) == 4096
    assert result.output.endswith(b"the end\n")


def test_a_big_tree_arrives_whole(kubernetes: KubernetesSandbox, project: str) -> None:
    tree = {f"data/{n:03}.bin": StagedFile(os.urandom(1 << 20)) for n in range(24)}
    tree["ünder/täst.txt"] = StagedFile(b"named")
    tree["link"] = StagedFile(link="data/000.bin")
    tree["run.sh"] = StagedFile(
        b"#!/bin/sh\nsha256sum data/* | sha256sum; cat *nder/*; readlink link\n", 0o755
    )
    request = SandboxRequest(project, tree, ("./run.sh",), limits=Limits(wall_s=60))

    first = kubernetes.run(request, Cancellation())
    again = kubernetes.run(request, Cancellation())

    assert (first.exit_code, first.output) == (0, again.output)
    assert first.output.endswith(b"nameddata/000.bin\n")


def test_time_over_ends_the_pod(kubernetes: KubernetesSandbox, cluster: StubCluster, project: str) -> None:
    started = time.monotonic()

    result = run_python(kubernetes, project, "import time; time.sleep(60)", Limits(wall_s=1))

    assert result.timed_out
    assert time.monotonic() - started < 15
    assert soon(lambda: cluster.jobs() == [])


def test_memory_over_is_told_like_docker_does(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.out_of_memory_on = "program.py"

    result = run_python(kubernetes, project, "import time; time.sleep(20)")

    assert (result.exit_code, result.out_of_memory, result.timed_out) == (137, True, False)


def test_cancelling_is_prompt_and_removes_the_job(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cancellation = Cancellation()
    cancelled_at: list[float] = []

    def cancel_soon() -> None:
        soon(lambda: any("program.py" in line or line.endswith("/exec") for line in cluster.asked))
        time.sleep(1)
        cancelled_at.append(time.monotonic())
        cancellation.cancel()

    thread = threading.Thread(target=cancel_soon)
    thread.start()
    tree = {"program.py": StagedFile(b"import time; time.sleep(60)")}
    with pytest.raises(Cancelled):
        kubernetes.run(SandboxRequest(project, tree, ("{python}", "program.py")), cancellation)
    took_s = time.monotonic() - cancelled_at[0]
    thread.join()

    assert took_s < 2
    assert kubernetes.wait()
    assert soon(lambda: cluster.jobs() == [])


def test_cancelling_does_not_wait_for_a_silent_cluster(
    make_kubernetes: MakeSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.silent = True
    cancellation = Cancellation()
    timer = threading.Timer(0.5, cancellation.cancel)
    timer.start()
    started = time.monotonic()

    with pytest.raises(Cancelled):
        make_kubernetes().run(SandboxRequest(project, {}, ("true",)), cancellation)

    assert time.monotonic() - started < 2.5
    cluster.faults.silent = False


def test_orphans_of_this_machine_are_removed_at_the_next_start(
    make_kubernetes: MakeSandbox, cluster: StubCluster, project: str
) -> None:
    first = make_kubernetes()
    cluster.faults.start_s = 30
    cancellation = Cancellation()
    request = SandboxRequest(project, {}, ("true",))

    def wait() -> None:
        with pytest.raises(Cancelled):
            first.run(request, cancellation)

    thread = threading.Thread(target=wait)
    thread.start()
    assert soon(lambda: len(cluster.jobs()) == 1)
    (job,) = cluster.jobs()
    dead = {LABEL_OWNER: "999999:1", LABEL_HOST: labels()[LABEL_HOST]}
    own, foreign = job["metadata"]["name"], "greenline-foreign"
    orphan = {**job["metadata"], "name": "greenline-orphan", "annotations": dead}
    elsewhere = {
        **job["metadata"],
        "name": foreign,
        "annotations": {**dead, LABEL_HOST: "another machine"},
        "labels": {**job["metadata"]["labels"], LABEL_HOST: "another-machine"},
    }
    for metadata in (orphan, elsewhere):
        cluster.store.add("jobs", {**job, "metadata": metadata})

    assert make_kubernetes().health().available

    assert soon(lambda: {found["metadata"]["name"] for found in cluster.jobs()} == {own, foreign})
    cancellation.cancel()
    thread.join()


def test_everything_goes_over_tls_as_well(tmp_path: Path, project: str) -> None:
    with stub_cluster(Certificate.make(tmp_path)) as cluster:
        path = cluster.write_config(tmp_path / "config")
        sandbox = KubernetesSandbox(KubernetesSettings(ClusterSettings(str(path)), "some/image", None, 20))
        evidence = verify(sandbox, project)
        cancellation = Cancellation()
        timer = threading.Timer(4, cancellation.cancel)
        timer.start()
        tree = {"program.py": StagedFile(b"import time; time.sleep(60)")}
        with pytest.raises(Cancelled):
            sandbox.run(SandboxRequest(project, tree, ("{python}", "program.py")), cancellation)
        sandbox.close()
        is_clean = soon(lambda: cluster.jobs() == [])
    other = tmp_path / "other"
    other.mkdir()
    with stub_cluster(Certificate.make(other)) as stranger:
        stranger._authority = {"certificate-authority": str(tmp_path / "stub.crt")}
        path = stranger.write_config(tmp_path / "config")
        health = KubernetesSandbox(KubernetesSettings(ClusterSettings(str(path)), "some/image")).health()

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert is_clean
    assert not health.available
    assert "certificate verify failed" in health.problem


def test_health_is_of_now(kubernetes: KubernetesSandbox, cluster: StubCluster) -> None:
    before = kubernetes.health()
    cluster.faults.overloaded = True
    ill = kubernetes.health()
    cluster.faults.overloaded = False
    cluster.faults.unknown_user = True
    stranger = kubernetes.health()
    cluster.faults.unknown_user = False

    assert before.available
    assert "overloaded or ill" in ill.problem
    assert "does not know you" in stranger.problem
    assert kubernetes.health().available


def test_names_that_are_taken_and_watches_that_expire_are_no_failure(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.conflicts = 2
    cluster.faults.expired_watches = 2
    cluster.faults.broken_watches = 1
    cluster.faults.start_s = 1

    assert run_python(kubernetes, project, "print('ran')").output == b"ran\n"


def test_a_policy_that_lets_something_out_is_mended(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    assert kubernetes.health().available
    ((policy,), _) = cluster.store.list("networkpolicies", "team")
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    cluster.store.change(
        "networkpolicies", "team", policy["metadata"]["name"], spec={**policy["spec"], "egress": [{}]}
    )
    attempt = KubernetesSandbox(attrs.evolve(kubernetes._settings))

    assert attempt.health().available
    attempt.close()

    ((policy,), _) = cluster.store.list("networkpolicies", "team")
    assert "egress" not in policy["spec"]


def test_the_job_names_run_and_owner(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    seen: list[dict[str, object]] = []

    def look() -> None:
        soon(lambda: bool(cluster.jobs()))
        seen.extend(job["metadata"] for job in cluster.jobs())

    thread = threading.Thread(target=look)
    thread.start()
    run_python(kubernetes, project, "", label="run of mine: 7")
    thread.join()

    (metadata,) = seen
    found = json.loads(json.dumps(metadata))
    assert found["annotations"] == labels()
    assert found["labels"]["app.kubernetes.io/managed-by"] == "greenline"


@pytest.mark.parametrize("root", ["/tmp/a:b", "/tmp/a\nb"])
def test_a_folder_where_nothing_can_be_mounted_is_refused(kubernetes: KubernetesSandbox, root: str) -> None:
    with pytest.raises(SandboxUnavailable, match="character in its path"):
        run_python(kubernetes, root, "")
