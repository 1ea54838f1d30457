"""What the user chose about a cluster; imports nothing of its client."""

from __future__ import annotations

import os
from collections.abc import Mapping

import attrs

IN_CLUSTER = "in-cluster"
"""As `kubernetes_config`: the service account of the pod that Greenline itself runs in."""


@attrs.frozen
class ClusterSettings:
    """Which cluster, as which user, and where in it."""

    config: str = ""
    """Path of a kubeconfig, `in-cluster`, or empty for what `kubectl` would use."""
    context: str = ""
    """A context of that file; empty: its current one."""
    namespace: str = ""
    """Empty: the context's, or `default`."""


@attrs.frozen
class KubernetesSettings:
    """What the user chose about the sandbox `kubernetes`."""

    cluster: ClusterSettings = ClusterSettings()
    image: str = ""
    """What the pods run; nodes fetch it themselves."""
    runtime: str | None = None
    """A RuntimeClass such as `gvisor`, or None for the cluster's default."""
    start_s: float = 120.0
    """How long a pod may take to start."""
    environment: Mapping[str, str] = attrs.field(factory=lambda: dict(os.environ))
    """The user's environment: read to find the cluster, never passed on."""
    unserved: tuple[str, ...] = ()
    """Settings of the user's that pods know nothing of; where there are any, nothing runs."""
