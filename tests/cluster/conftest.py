"""What the tests of the sandbox `kubernetes` share: a stub of an API server, and a sandbox that it serves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_case import MakeSandbox
from stub_api import StubCluster, stub_cluster

from greenline.sandbox.kubernetes_sandbox import KubernetesSandbox
from greenline.sandbox.kubernetes_settings import ClusterSettings, KubernetesSettings


@pytest.fixture
def cluster() -> Iterator[StubCluster]:
    """Yield a stub of its own; who cannot make its pods fails, and skips nothing."""
    if os.geteuid() != 0:
        pytest.fail(
            "The stub's pods are namespaces of this machine: it takes root to make them.", pytrace=False
        )
    with stub_cluster() as stub:
        yield stub


@pytest.fixture
def make_kubernetes(cluster: StubCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeSandbox]:
    """Yield what makes sandboxes on the stub; they are closed afterwards."""
    path = cluster.write_config(tmp_path_factory.mktemp("kube") / "config")
    made: list[KubernetesSandbox] = []

    def make(start_s: float = 20.0, runtime: str | None = None) -> KubernetesSandbox:
        settings = KubernetesSettings(
            ClusterSettings(config=str(path)),
            "registry.invalid/python:3",
            runtime,
            start_s,
            {"HOME": "/none"},
        )
        made.append(KubernetesSandbox(settings))
        return made[-1]

    yield make
    for sandbox in made:
        sandbox.close()


@pytest.fixture
def kubernetes(make_kubernetes: MakeSandbox) -> KubernetesSandbox:
    """Return a sandbox on the stub."""
    return make_kubernetes()


@pytest.fixture
def project(tmp_path: Path) -> str:
    """Return the root of a project, whose files are in the requests alone."""
    return str(tmp_path / "project")
