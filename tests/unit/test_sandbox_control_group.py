"""Control groups of both versions, over files that stand for the kernel's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from greenline.core.port import Limits
from greenline.journal.owner import process_owner
from greenline.sandbox import control_group
from greenline.sandbox.control_group import ControlGroup, Hierarchy
from greenline.sandbox.owner import is_left, own_name

LIMITS = Limits(memory_mb=64, cpus=1.5, pids=99)


def _process(folder: Path, groups: str, mounts: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cgroup").write_text(groups)
    (folder / "mountinfo").write_text(mounts)
    return folder


def _mount(number: int, root: str, folder: Path, kind: str, options: str) -> str:
    return f"{number} 1 0:{number} {root} {folder} rw,relatime shared:1 - {kind} {kind} {options}\n"


def test_version_1_makes_groups_below_our_own_in_each_hierarchy(tmp_path: Path) -> None:
    for name in ("memory/outer", "cpu,cpuacct", "pids"):
        (tmp_path / name).mkdir(parents=True)
    mounts = (
        _mount(30, "/", tmp_path / "memory", "cgroup", "rw,memory")
        + _mount(31, "/", tmp_path / "cpu,cpuacct", "cgroup", "rw,cpu,cpuacct")
        + _mount(32, "/docker/abc", tmp_path / "pids", "cgroup", "rw,pids")
    )
    process = _process(
        tmp_path / "self", "9:memory:/outer\n8:cpu,cpuacct:/\n7:pids:/docker/abc\n0::/\n", mounts
    )

    found = control_group.hierarchies(process)
    group = control_group.make(LIMITS, found)

    assert [one.folder for one in found] == [
        tmp_path / "memory/outer",
        tmp_path / "pids",
        tmp_path / "cpu,cpuacct",
    ]
    assert group.held == {"memory", "pids", "cpu"}
    memory, pids, cpu = group.folders
    assert (memory / "memory.limit_in_bytes").read_text() == str(64 << 20)
    assert not (memory / "memory.memsw.limit_in_bytes").exists()
    assert (pids / "pids.max").read_text() == "99"
    assert (cpu / "cpu.cfs_quota_us").read_text() == "150000"
    assert group.doors == [str(folder / "cgroup.procs") for folder in group.folders]


def _version_2(top: Path, handed: dict[str, str]) -> tuple[Hierarchy, ...]:
    own = top / "user.slice" / "user@1000.service" / "app.slice" / "editor.scope"
    own.mkdir(parents=True)
    for relative, controllers in handed.items():
        (top / relative / "cgroup.subtree_control").write_text(controllers)
        (top / relative / "cgroup.procs").write_text("")
    path = "/" + str(own.relative_to(top))
    mounts = _mount(30, "/", top, "cgroup2", "rw,nsdelegate")
    return control_group.hierarchies(_process(top.parent / "self", f"0::{path}\n", mounts))


def test_version_2_makes_a_group_where_limits_are_handed_down(tmp_path: Path) -> None:
    handed = {"user.slice/user@1000.service/app.slice": "cpu memory pids", "user.slice": "memory pids"}
    found = _version_2(tmp_path / "top", handed)
    group = control_group.make(LIMITS, found)

    (folder,) = group.folders
    assert folder.parent.name == "app.slice"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "memory.max": str(64 << 20),
        "pids.max": "99",
        "cpu.max": "150000 100000",
    }
    assert group.held == {"memory", "pids", "cpu"}


def test_version_2_says_what_it_is_not_handed(tmp_path: Path) -> None:
    found = _version_2(tmp_path / "top", {"user.slice/user@1000.service": "memory pids"})

    assert control_group.make(LIMITS, found).held == {"memory", "pids"}


def test_without_a_place_there_is_a_group_that_holds_nothing(tmp_path: Path) -> None:
    assert control_group.hierarchies(tmp_path / "none") == ()
    assert control_group.make(LIMITS, _version_2(tmp_path / "top", {})) == ControlGroup((), frozenset())


def test_a_limit_that_the_kernel_refuses_leaves_no_group(tmp_path: Path) -> None:
    missing = Hierarchy(tmp_path / "not there", ("memory",), 1)

    assert control_group.make(LIMITS, (missing,)).folders == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("memory.events", "low 0\noom 1\noom_kill 1\n", True),
        ("memory.events", "oom 1\noom_kill 0\n", False),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", True),
    ],
)
def test_the_kernels_counter_tells_of_memory(tmp_path: Path, file: str, text: str, expected: bool) -> None:
    (tmp_path / file).write_text(text)

    assert ControlGroup((tmp_path,), frozenset()).ran_out_of_memory() is expected


def test_groups_of_dead_owners_are_removed_and_others_kept(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    own = own_name("greenline")
    gone = own.replace(process_owner().replace(":", "-"), f"{dead.pid}-1")
    elsewhere = f"greenline-{'0' * 12}-{dead.pid}-1-1"
    for name in (own, gone, elsewhere, "other"):
        (tmp_path / name).mkdir()

    control_group.sweep((Hierarchy(tmp_path, ("pids",), 1),))

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([own, elsewhere, "other"])
    assert not is_left(own)
    assert is_left(gone)
