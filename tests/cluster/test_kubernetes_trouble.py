"""What goes wrong in a cluster: each is one `couldNotRun` with what happened and what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cluster_case import TESTS, MakeSandbox, Trouble, run_python, soon, verify
from stub_api import StubCluster

from greenline.app import make_sandbox
from greenline.cli.doctor import examine
from greenline.config.settings import load_settings
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import Verdict
from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
from greenline.sandbox.kubernetes_settings import ClusterSettings, KubernetesSettings

TROUBLES = {
    "nobody": Trouble({"unknown_user": True}, "does not know you: Unauthorized", "Log in"),
    "overloaded": Trouble({"overloaded": True}, "overloaded or ill: the server is currently", "Try again"),
    "rights": Trouble(
        {"refused": {"create jobs", "create pods/exec"}},
        "you may not create jobs.batch, create pods/exec in team",
        "Role",
    ),
    "refused late": Trouble(
        {"refused_late": {"create jobs"}}, 'cannot create resource "jobs" in API group "batch"', "Role"
    ),
    "refused exec": Trouble({"refused_late": {"get pods/exec"}}, "refuses what a verification needs", "Role"),
    "refused watch": Trouble({"refused_late": {"watch pods"}}, 'cannot watch resource "pods"', "Role"),
    "policies": Trouble(
        {"refused_late": {"create networkpolicies"}}, 'cannot create resource "networkpolicies"', "Role"
    ),
    "namespace": Trouble(
        {"missing_namespace": True}, 'namespaces "team" not found', "`kubernetes_namespace`"
    ),
    "names": Trouble({"conflicts": 99}, "already exists", ""),
    "unschedulable": Trouble(
        {"unschedulable": "0/3 nodes are available: 3 Insufficient memory."},
        "No node of the cluster took the pod within 1.5 s: 0/3 nodes are available: 3 Insufficient memory.",
        "`memory_mb`",
        1.5,
    ),
    "image": Trouble(
        {"waiting": ("ImagePullBackOff", 'Back-off pulling image "registry.invalid/python:3"')},
        'cannot fetch the image: Back-off pulling image "registry.invalid/python:3"',
        "`image`",
    ),
    "configuration": Trouble(
        {"waiting": ("CreateContainerConfigError", "container has runAsNonRoot and image will run as root")},
        "does not start: container has runAsNonRoot",
        "python3",
    ),
    "slow": Trouble(
        {"waiting": ("ContainerCreating", "")},
        "did not start within 1.5 s: ContainerCreating",
        "`kubernetes_start_s`",
        1.5,
    ),
    "quota": Trouble(
        {"quota": 'pods "greenline-x" is forbidden: exceeded quota: compute'},
        "makes no pod: pods",
        "quota",
        1.5,
    ),
    "evicted": Trouble({"evicted_on": "program.py"}, "low on resource: memory", "Verify again"),
    "lost node": Trouble({"lost_node_on": "program.py"}, "deleting due to NoExecute taint", "Verify again"),
    "cut": Trouble({"cut_on": "program.py"}, "cut while the command ran", "proxy"),
    "cut while filled": Trouble({"cut_on": "tar", "after_s": 0.0}, "cut while files were sent", "proxy"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_each_trouble_says_what_happened_and_what_to_do(
    name: str, make_kubernetes: MakeSandbox, cluster: StubCluster, project: str
) -> None:
    trouble = TROUBLES[name]
    for fault, value in trouble.faults.items():
        setattr(cluster.faults, fault, value)
    sandbox = make_kubernetes(trouble.start_s)

    with pytest.raises(SandboxUnavailable) as caught:
        run_python(sandbox, project, "import time; time.sleep(20)")

    assert trouble.problem in caught.value.message
    assert trouble.remedy in caught.value.remedy
    assert caught.value.remedy
    assert sandbox.wait()
    assert soon(lambda: cluster.jobs() == [])


def test_a_connection_cut_in_a_verification_could_not_run(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.cut_on = "run_tests.py"

    evidence = verify(kubernetes, project)

    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert "The connection to the pod was cut while the command ran." in evidence.detail
    assert "Verify again" in evidence.detail


def test_a_report_that_breaks_off_could_not_run(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.cut_on = "reporter.py"
    cluster.faults.after_s = 0.0

    evidence = verify(kubernetes, project)

    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert "cut before the reporter was ready" in evidence.detail


def test_a_report_that_is_cut_while_tests_run_could_not_run(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.cut_on = "reporter.py"
    cluster.faults.after_s = 2.5
    slow = TESTS + b"\ndef test_slow():\n    import time\n    time.sleep(4)\n"

    evidence = verify(kubernetes, project, tests=slow)

    assert (evidence.verdict, evidence.reason) == (Verdict.COULD_NOT_RUN, "sandboxUnavailable")
    assert "cut while the report was read" in evidence.detail


def test_memory_over_in_a_verification_could_not_run(
    kubernetes: KubernetesSandbox, cluster: StubCluster, project: str
) -> None:
    cluster.faults.out_of_memory_on = "run_tests.py"

    evidence = verify(kubernetes, project)

    assert evidence.verdict is Verdict.COULD_NOT_RUN
    assert "memory ran out" in evidence.detail


@pytest.mark.parametrize(
    ("text", "problem"),
    [(None, "No such file"), ("{}", "says of no cluster"), ("nonsense", "says of no cluster")],
)
def test_a_config_that_leads_nowhere_is_named(tmp_path: Path, text: str | None, problem: str) -> None:
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)
    sandbox = KubernetesSandbox(KubernetesSettings(ClusterSettings(str(path)), "some/image"))

    health = sandbox.health()

    assert not health.available
    assert str(path) in health.problem
    assert problem in health.problem or "says of no cluster" in health.problem
    assert "`kubernetes_config`" in health.remedy


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, cluster: StubCluster) -> None:
    cluster.address = "http://127.0.0.1:9"
    path = cluster.write_config(tmp_path / "config")
    health = KubernetesSandbox(KubernetesSettings(ClusterSettings(str(path)), "some/image")).health()

    assert not health.available
    assert "The cluster at http://127.0.0.1:9 does not answer: " in health.problem
    assert "Connection refused" in health.problem
    assert "kubectl version" in health.remedy


def test_settings_make_the_sandbox_and_doctor_says_what_it_cannot_check(
    tmp_path: Path, cluster: StubCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_SANDBOX", "kubernetes")
    monkeypatch.setenv("GREENLINE_KUBERNETES_CONFIG", str(cluster.write_config(tmp_path / "config")))
    monkeypatch.setenv("GREENLINE_KUBERNETES_NAMESPACE", "another")
    missing = {finding.name: finding for finding in examine(str(tmp_path))}
    monkeypatch.setenv("GREENLINE_IMAGE", "some/image")

    found = {finding.name: finding for finding in examine(str(tmp_path))}

    assert not missing["engine"].ok
    assert "GREENLINE_IMAGE" in missing["engine"].remedy
    assert (found["engine"].ok, found["engine"].detail) == (True, "kubernetes v1.33.1-stub")
    assert (found["sandbox"].ok, found["sandbox"].optional) == (False, True)
    assert "cannot be checked from here" in found["sandbox"].detail
    assert found["interpreter"].detail == "python3 of the image some/image"
    assert any("/namespaces/another/networkpolicies" in line for line in cluster.asked)


def test_an_editor_cannot_choose_the_cluster() -> None:
    sent = {"sandbox": "kubernetes", "kubernetesConfig": "/tmp/evil", "kubernetesContext": "evil"}

    settings = load_settings({}, Path("/nonexistent"), sent)

    assert (settings.sandbox, settings.kubernetes_config, settings.kubernetes_context) == ("docker", "", "")
    assert len(settings.warnings) == 3


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    program = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("kubernetes", "websocket"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
from greenline.app import make_sandbox
from greenline.config.settings import load_settings
from pathlib import Path
settings = load_settings({"GREENLINE_SANDBOX": "kubernetes", "GREENLINE_IMAGE": "i"}, Path("/nonexistent"))
health = make_sandbox(settings).health()
print(health.available, health.problem, health.remedy)
"""
    said = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout

    assert said.startswith("False The sandbox is `kubernetes`, and its client is not installed (")
    assert "pip install 'greenline[kubernetes]'" in said


def test_the_client_is_imported_only_where_it_is_used(tmp_path: Path) -> None:
    program = """
import sys
from greenline.app import make_sandbox
from greenline.config.settings import load_settings
from pathlib import Path
for name in ("docker", "kubernetes"):
    make_sandbox(load_settings({"GREENLINE_SANDBOX": name}, Path("/nonexistent"))).health()
print("kubernetes" in sys.modules)
"""
    said = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout

    assert said == "False\n"
    assert make_sandbox(load_settings({}, Path("/nonexistent"))).__class__.__name__ == "DockerSandbox"
