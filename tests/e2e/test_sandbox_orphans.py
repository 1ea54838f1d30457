"""Whatever process of a verification is killed, and when: the next start leaves nothing of it behind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from orphan import VICTIMS, Ground, kill_at

LATEST_S = 6.0
MOMENTS = random.Random(6)


@pytest.mark.parametrize(
    ("victim", "moment_s"),
    [(victim, round(MOMENTS.uniform(0.5, LATEST_S), 2)) for victim in (*VICTIMS, "verify")],
)
def test_killed_process_leaves_nothing_after_the_next_start(
    tmp_path: Path, docker_host: str, victim: str, moment_s: float
) -> None:
    assert kill_at(Ground(tmp_path, docker_host), victim, moment_s).left == ()


def test_containers_outlive_a_killed_command_until_the_next_start(tmp_path: Path, docker_host: str) -> None:
    killed = kill_at(Ground(tmp_path, docker_host), "verify", None)

    assert killed.orphans
    assert killed.left == ()
