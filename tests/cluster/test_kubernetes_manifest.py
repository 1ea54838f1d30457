"""The manifests: valid by the published schemas, within the standard `restricted`, with the same limits."""

from __future__ import annotations

import json

import kubernetes_validate
import pytest

from greenline.core.port import Limits
from greenline.sandbox.kubernetes_manifest import (
    Order,
    denies_everything,
    job,
    label_value,
    network_policy,
    owner_of,
)
from greenline.sandbox.owner import is_orphan, labels

ORDER = Order(
    "greenline-1",
    "team",
    "registry.invalid/python:3",
    "/home/somebody/project",
    Limits(memory_mb=1024, cpus=1.5, wall_s=60, tmpfs_mb=256),
    "run of mine: 7",
    labels(),
    120,
    "gvisor",
)
JOB, POLICY = job(ORDER), network_policy("team")
POD = JOB["spec"]["template"]["spec"]


@pytest.mark.parametrize("version", kubernetes_validate.utils.all_versions())
@pytest.mark.parametrize("manifest", [JOB, POLICY], ids=["job", "policy"])
def test_manifests_are_valid_by_the_published_schemas(manifest: dict[str, object], version: str) -> None:
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_schemas_refuse_what_is_misspelt() -> None:
    broken = json.loads(json.dumps(JOB))
    broken["spec"]["template"]["spec"]["containers"][0]["securityContext"]["runAsNonRut"] = True

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.37", strict=True)


def test_the_pod_fits_the_standard_restricted() -> None:
    assert not any(POD.get(name) for name in ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"))
    assert {next(iter(set(volume) - {"name"})) for volume in POD["volumes"]} == {"emptyDir"}
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in POD["containers"]:
        security = container["securityContext"]
        assert security["runAsNonRoot"]
        assert security["runAsUser"] > 0
        assert security["allowPrivilegeEscalation"] is security["privileged"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert security["readOnlyRootFilesystem"]


def test_tests_and_reporter_are_apart() -> None:
    tests, reporter = POD["containers"]
    users = {container["name"]: container["securityContext"]["runAsUser"] for container in POD["containers"]}
    writable = {mount["name"] for mount in tests["volumeMounts"] if not mount.get("readOnly")}

    assert (tests["name"], reporter["name"]) == ("tests", "reporter")
    assert len(set(users.values())) == 2
    assert writable == {"tree", "tmp", "home"}
    assert {mount["name"] for mount in reporter["volumeMounts"]} == {"channel", "shipped"}


def test_the_pod_is_given_nothing_of_the_cluster() -> None:
    assert POD["automountServiceAccountToken"] is POD["enableServiceLinks"] is False
    assert POD["dnsPolicy"] == "None"
    assert denies_everything(POLICY)
    selected = POLICY["spec"]["podSelector"]["matchLabels"].items()
    assert selected <= JOB["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("change", [{"egress": [{}]}, {"policyTypes": ["Ingress"]}, {"podSelector": {}}])
def test_a_weaker_policy_is_not_enough(change: dict[str, object]) -> None:
    assert not denies_everything({**POLICY, "spec": {**POLICY["spec"], **change}})


def test_limits_are_the_requests() -> None:
    amounts = [container["resources"] for container in POD["containers"]]

    assert all(found["requests"] == found["limits"] for found in amounts)
    assert amounts[0]["limits"] == {"cpu": "1500m", "memory": "1024Mi", "ephemeral-storage": "64Mi"}
    assert {v["name"]: v["emptyDir"]["sizeLimit"] for v in POD["volumes"]}["tree"] == "256Mi"
    assert JOB["spec"]["activeDeadlineSeconds"] == 120 + 3 * 60 + 120
    assert (JOB["spec"]["backoffLimit"], POD["restartPolicy"]) == (0, "Never")
    assert POD["runtimeClassName"] == "gvisor"


def test_the_owner_is_read_back() -> None:
    dead = {**labels(), "greenline.process": "999999:1"}

    assert not is_orphan(owner_of(JOB))
    assert is_orphan(owner_of(job(Order("n", "t", "i", "/r", Limits(), "", dead, 1))))


@pytest.mark.parametrize("text", ["", "run-1", "a" * 63])
def test_a_text_that_fits_is_its_label(text: str) -> None:
    assert label_value(text) == text


@pytest.mark.parametrize("text", ["1:2", "a b", "-a", "a-", "a" * 64, "ü", "\udcff"])
def test_a_text_that_does_not_fit_is_a_hash(text: str) -> None:
    assert len(label_value(text)) == 32
    assert label_value(text) != label_value(text + "x")
