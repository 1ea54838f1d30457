"""`greenline verify` on a cluster, as a process: its evidence, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_case import MakeSandbox, soon
from stub_api import StubCluster

from greenline.edit.hunk import diff_text
from greenline.sandbox.package_data import sandbox_folder


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return the command that verifies the right patch of the sample project."""
    root = tmp_path / "ledger-project"
    shutil.copytree(sandbox_folder() / "sample", root)
    before = (root / "ledger" / "discount.py").read_text()
    patch = tmp_path / "fix.diff"
    patch.write_text(diff_text("ledger/discount.py", before, before.replace("> pieces", ">= pieces")))
    greenline = [sys.executable, "-P", "-m", "greenline", "verify", "--json"]
    return [*greenline, "--root", str(root), "--patch", str(patch)]


@pytest.fixture
def variables(cluster: StubCluster, tmp_path: Path) -> dict[str, str]:
    """Return the environment of a user who has chosen the cluster."""
    config = cluster.write_config(tmp_path / "config")
    chosen = {"GREENLINE_SANDBOX": "kubernetes", "GREENLINE_IMAGE": "some/image", "KUBECONFIG": str(config)}
    return {**os.environ, **chosen}


def test_the_command_verifies_on_the_cluster(
    command: list[str], variables: dict[str, str], cluster: StubCluster
) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, env=variables)

    assert (ran.returncode, ran.stderr) == (0, "")
    evidence = json.loads(ran.stdout)
    assert (evidence["verdict"], evidence["engine"]) == ("verified", "kubernetes v1.33.1-stub")
    # What ends waits until its Jobs are removed.
    assert soon(lambda: cluster.jobs() == [])


def test_a_killed_command_leaves_jobs_that_the_next_start_removes(
    command: list[str], variables: dict[str, str], cluster: StubCluster, make_kubernetes: MakeSandbox
) -> None:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables) as process:
        has_begun = soon(lambda: any(line.endswith("/exec") for line in cluster.asked), 60)
        process.kill()
    left = [job["metadata"]["name"] for job in cluster.jobs()]

    assert make_kubernetes().health().available

    assert has_begun
    assert left
    assert soon(lambda: cluster.jobs() == [])
