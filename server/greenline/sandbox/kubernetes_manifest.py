"""What a verification asks of a cluster, as manifests: a Job of one pod, and a NetworkPolicy; pure.

Invariants: the pod fits the Pod Security Standard `restricted`. The tests run in one container and the
reporter in another under another user; the channel between them is read-only for the tests, so that they can
write to the reporter's FIFO and not put one of their own in its place.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping

import attrs

from greenline.core.port import Limits
from greenline.sandbox.conversation import MAX_WAITS
from greenline.sandbox.kubernetes_failure import Json
from greenline.sandbox.owner import LABEL_HOST, LABEL_OWNER

TESTS = "tests"
REPORTER = "reporter"
TESTS_UID = 64000
REPORTER_UID = 64001
SHIPPED_FOLDER = "/opt/greenline"
RUN_FOLDER = "/run/greenline"
HOME = "/tmp/home"
LABEL_SANDBOX = "greenline.sandbox"
"""On every pod; what the network policy selects."""
LABEL_JOB = "greenline.job"
LABEL_RUN = "greenline.run"
POLICY = "greenline-sandbox"
MANAGER = {"app.kubernetes.io/managed-by": "greenline"}
_SPARE_S = 120
"""What a pod may live beside starting and working: to be filled, and to be read."""
_KEPT_S = 60
"""How long the cluster keeps a finished Job whose owner does not remove it."""
_SHIPPED_MB = 64
_INIT = """\
import os, signal
wanted = {signal.SIGCHLD, signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
while signal.sigwait(wanted) == signal.SIGCHLD:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
"""
"""A container's first process: it buries what the tests leave behind, and ends when it is told to."""


@attrs.frozen
class Order:
    """What one Job is made of."""

    name: str
    namespace: str
    image: str
    root: str
    """Where the tree will lie; the tests' working directory."""
    limits: Limits
    label: str
    owner: Mapping[str, str]
    """Whose it is, as `owner.labels` says it."""
    start_s: float
    """How long the pod may take to start."""
    runtime: str | None = None
    """A RuntimeClass, or None for the cluster's default."""


def job(order: Order) -> Json:
    """Return the manifest of a Job."""
    deadline_s = order.start_s + MAX_WAITS * order.limits.wall_s + _SPARE_S
    labels = {
        **MANAGER,
        LABEL_SANDBOX: "true",
        LABEL_JOB: order.name,
        LABEL_RUN: label_value(order.label or "none"),
        **{name: label_value(value) for name, value in order.owner.items()},
    }
    # What a label cannot hold, such as the colon of an owner, is whole in the annotation.
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": order.name,
            "namespace": order.namespace,
            "labels": labels,
            "annotations": dict(order.owner),
        },
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 0,
            "activeDeadlineSeconds": math.ceil(deadline_s),
            "ttlSecondsAfterFinished": _KEPT_S,
            "template": {"metadata": {"labels": labels}, "spec": _pod(order)},
        },
    }


def network_policy(namespace: str) -> Json:
    """Return the manifest of the policy that lets nothing in or out of a sandbox's pod."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": POLICY, "namespace": namespace, "labels": dict(MANAGER)},
        "spec": {
            "podSelector": {"matchLabels": {LABEL_SANDBOX: "true"}},
            "policyTypes": ["Ingress", "Egress"],
        },
    }


def denies_everything(policy: Json) -> bool:
    """Return whether a policy that the cluster has is as strict as ours."""
    spec = policy.get("spec", {})
    return (
        spec.get("podSelector") == {"matchLabels": {LABEL_SANDBOX: "true"}}
        and sorted(spec.get("policyTypes", ())) == ["Egress", "Ingress"]
        and not spec.get("ingress")
        and not spec.get("egress")
    )


def label_value(text: str) -> str:
    """Return a text as a label's value: itself where it fits, else a hash of it."""
    if re.fullmatch(r"(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?", text, re.ASCII):
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def own_selector(owner: Mapping[str, str]) -> str:
    """Return the selector of all Jobs that processes of this machine made."""
    return f"{LABEL_SANDBOX}=true,{LABEL_HOST}={label_value(owner[LABEL_HOST])}"


def owner_of(found: Json) -> dict[str, str]:
    """Return whose a Job is, as `owner.is_orphan` reads it."""
    annotations = found.get("metadata", {}).get("annotations") or {}
    return {name: annotations[name] for name in (LABEL_OWNER, LABEL_HOST) if name in annotations}


def _pod(order: Order) -> Json:
    limits = order.limits
    tree_mb = limits.tmpfs_mb
    pod: Json = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "shareProcessNamespace": False,
        "hostNetwork": False,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        # Without a network a look-up must fail at once, as on a machine that has none.
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_tests(order), _reporter(order)],
        "volumes": [
            _memory("tree", tree_mb),
            _memory("tmp", tree_mb),
            _memory("home", tree_mb),
            _memory("channel", 16),
            {"name": "shipped", "emptyDir": {"sizeLimit": f"{_SHIPPED_MB}Mi"}},
        ],
    }
    return pod if order.runtime is None else {**pod, "runtimeClassName": order.runtime}


def _tests(order: Order) -> Json:
    limits = order.limits
    return {
        **_container(TESTS, order.image, TESTS_UID, order.root),
        "resources": _resources(f"{round(limits.cpus * 1000)}m", f"{limits.memory_mb}Mi", "64Mi"),
        "env": [
            {"name": "HOME", "value": HOME},
            {"name": "LANG", "value": "C.UTF-8"},
            {"name": "LC_ALL", "value": "C.UTF-8"},
            {"name": "PYTHONDONTWRITEBYTECODE", "value": "1"},
            {"name": "PYTHONHASHSEED", "value": "0"},
        ],
        "volumeMounts": [
            {"name": "tree", "mountPath": order.root},
            {"name": "tmp", "mountPath": "/tmp"},
            {"name": "home", "mountPath": HOME},
            # Writing to a FIFO needs no writable mount; making or removing one does.
            {"name": "channel", "mountPath": RUN_FOLDER, "readOnly": True},
            {"name": "shipped", "mountPath": SHIPPED_FOLDER, "readOnly": True},
        ],
    }


def _reporter(order: Order) -> Json:
    return {
        **_container(REPORTER, order.image, REPORTER_UID, "/"),
        "resources": _resources("500m", "128Mi", f"{2 * _SHIPPED_MB}Mi"),
        "volumeMounts": [
            {"name": "channel", "mountPath": RUN_FOLDER},
            {"name": "shipped", "mountPath": SHIPPED_FOLDER},
        ],
    }


def _container(name: str, image: str, uid: int, folder: str) -> Json:
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        # An image's own entry point is not what it is wanted for.
        "command": ["python3", "-I", "-S", "-c", _INIT],
        "workingDir": folder,
        "securityContext": {
            "runAsUser": uid,
            "runAsGroup": uid,
            "runAsNonRoot": True,
            "privileged": False,
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }


def _resources(cpu: str, memory: str, disk: str) -> Json:
    amounts = {"cpu": cpu, "memory": memory, "ephemeral-storage": disk}
    return {"requests": dict(amounts), "limits": dict(amounts)}


def _memory(name: str, size_mb: int) -> Json:
    return {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": f"{size_mb}Mi"}}
