"""Podman behind Docker's interface: what it is asked for instead of what Docker is."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from greenline.core.error import SandboxUnavailable
from greenline.core.port import Limits
from greenline.sandbox import podman, seccomp
from greenline.sandbox.inside import memory_folders

PODMAN = {"Version": "4.3.1", "Components": [{"Name": "Podman Engine"}, {"Name": "Conmon"}]}
DOCKER = {"Version": "20.10.24", "Components": [{"Name": "Engine"}, {"Name": "containerd"}]}


@pytest.mark.parametrize(
    ("version", "expected"), [(PODMAN, True), (DOCKER, False), ({"Version": "1"}, False)]
)
def test_it_is_known_by_its_components(version: dict[str, Any], expected: bool) -> None:
    assert podman.is_podman(version) is expected
    assert podman.words(version, None).startswith("podman " if expected else "docker ")


def test_it_gets_the_path_of_a_list_that_only_we_can_write(tmp_path: Path) -> None:
    option = podman.seccomp_option("unix:///run/podman.sock", {"XDG_STATE_HOME": str(tmp_path)})

    assert option is not None
    path = Path(option.removeprefix("seccomp="))
    assert json.loads(path.read_text()) == json.loads(seccomp.profile())
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.write_text("{}")
    podman.seccomp_option("unix:///run/podman.sock", {"XDG_STATE_HOME": str(tmp_path)})
    assert path.read_text() == seccomp.profile()


def test_one_elsewhere_keeps_its_own_list_and_says_so() -> None:
    assert podman.seccomp_option("ssh://core@elsewhere", {}) is None

    adapted = podman.adaptation("ssh://core@elsewhere", {}).adapt(
        {"security_opt": ["no-new-privileges:true", "seccomp={}"], "tmpfs": {}}, ()
    )

    assert adapted["security_opt"] == ["no-new-privileges:true"]
    assert "Podman's own list" in podman.adaptation("ssh://core@elsewhere", {}).warning


def test_a_list_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "greenline").write_text("in the way")

    with pytest.raises(SandboxUnavailable):
        podman.seccomp_option("unix:///run/podman.sock", {"XDG_STATE_HOME": str(tmp_path)})


def test_a_runtime_that_it_would_not_take_is_refused() -> None:
    podman.check_runtime("runsc", {"DefaultRuntime": "/usr/bin/runsc"})

    with pytest.raises(SandboxUnavailable) as caught:
        podman.check_runtime("runsc", {"DefaultRuntime": "crun", "Runtimes": {"runsc": {}}})

    assert "containers.conf" in caught.value.remedy


def test_folders_in_memory_are_asked_for_in_its_words() -> None:
    folders = podman.tmpfs(memory_folders("/w", Limits(tmpfs_mb=16)))

    assert folders["/w"] == "rw,exec,nosuid,nodev,size=16m,mode=1777"
    assert "mode=1733" in folders["/run/greenline"]
    assert folders["/var/tmp"].startswith("ro,")
    assert not [words for words in folders.values() if "uid=" in words or "nr_inodes" in words]


def test_files_are_bounded_where_its_containers_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(podman, "bound_files", lambda pid, folders: asked.append((pid, list(folders))))
    container = SimpleNamespace(reload=lambda: None, attrs={"State": {"Pid": 7}})

    podman.bound(container, memory_folders("/w", Limits(tmpfs_mb=16)))

    assert asked == [(7, [("/w", 4096), ("/tmp", 4096), ("/tmp/home", 4096)])]
