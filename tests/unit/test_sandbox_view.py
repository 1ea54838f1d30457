"""What bubblewrap is asked for, and what its mode is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.config.settings import Settings, load_settings
from greenline.core.port import Limits
from greenline.sandbox import bubblewrap_start as start
from greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox, weaknesses
from greenline.sandbox.bubblewrap_view import View, arguments
from greenline.sandbox.docker_sandbox import DockerSandbox
from greenline.sandbox.host_toolchain import Mount
from greenline.sandbox.inside import memory_folders
from greenline.sandbox.owned_folder import OwnedFolder
from greenline.sandboxes import make_sandbox

OWNED = OwnedFolder(Path("/own"), ("/opt", "/tmp"), (("/bin", "usr/bin"),))


def test_the_weaker_mode_is_chosen_by_name_alone() -> None:
    assert isinstance(make_sandbox(Settings()), DockerSandbox)
    assert isinstance(make_sandbox(Settings(sandbox="bubblewrap")), BubblewrapSandbox)
    settings = load_settings({}, Path("/nonexistent"), {"sandbox": "bubblewrap"})
    assert settings.sandbox == "docker"
    assert "GREENLINE_SANDBOX" in settings.warnings[0]


def test_what_only_an_engine_can_serve_is_refused() -> None:
    health = make_sandbox(Settings(sandbox="bubblewrap", runtime="runsc")).health()

    assert not health.available
    assert "`runtime`" in health.problem


def test_what_lies_below_is_made_after_what_lies_above() -> None:
    root = "/tmp/work/project"
    view = View((Mount("/real/env", f"{root}/.venv"), Mount("/usr", "/usr")), memory_folders(root, Limits()))

    words = arguments(view, OWNED)

    places = ["/tmp", "/tmp/work", root, f"{root}/.venv"]
    found = [words.index(place) for place in places]
    assert found == sorted(found)
    assert words[words.index(f"{root}/.venv") - 2 :][:2] == ["--ro-bind", "/real/env"]
    assert words[words.index("/tmp/work") - 1] == "--dir"
    assert words.index("--remount-ro") > max(found)


@pytest.mark.parametrize("is_root", [False, True])
def test_everything_is_unshared_and_no_right_is_kept(is_root: bool) -> None:
    words = arguments(View((), (), is_root=is_root), OWNED)

    for name in ("pid", "net", "ipc", "uts", "cgroup"):
        assert f"--unshare-{name}" in words
    assert ("--unshare-user" in words) is not is_root
    for word in ("--die-with-parent", "--new-session", "--clearenv", "--seccomp"):
        assert word in words
    assert words[words.index("--cap-drop") + 1] == "ALL"
    kept = [words[index + 1] for index, word in enumerate(words) if word == "--cap-add"]
    assert kept == (["CAP_CHOWN", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID"] if is_root else [])


def test_nothing_of_the_project_runs_before_the_script_has_stepped_down() -> None:
    steps = start.Steps((64000, 64000), Limits(), 5.0, frozenset())

    *before, last = start.staging("/w", ["/w"], [], steps, {"PATH": "/w/bin", "LD_PRELOAD": "/w/x"})[2].split(
        "\n"
    )

    assert "/w/bin" not in "\n".join(before)
    assert last.index("--reuid=64000") < last.index("prlimit") < last.index("LD_PRELOAD")
    assert all(
        word.startswith(("/usr/", "/bin/")) for word in last.split() if word.endswith(("setpriv", "env"))
    )


def test_what_no_control_group_holds_is_bounded_for_each_process() -> None:
    def bounds(*held: str) -> str:
        return start.becoming(start.Steps(None, Limits(memory_mb=1, pids=7), 5.0, frozenset(held)), {})[2]

    assert "--data=1048576" in bounds()
    assert "--nproc=7" in bounds()
    assert "--data" not in bounds("memory", "pids")
    assert "--nproc" not in bounds("memory", "pids")


def test_each_weakness_is_named() -> None:
    everything = frozenset({"memory", "pids", "cpu"})

    assert weaknesses(everything, is_root=True) == ["no AppArmor or SELinux profile"]
    assert "one user for reporter and tests" in weaknesses(everything, is_root=False)
    assert len(weaknesses(frozenset(), is_root=False)) == 5
