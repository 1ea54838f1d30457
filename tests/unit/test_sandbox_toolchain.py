"""What the host toolchain shows to a container, and what it refuses to show."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from greenline.core.error import SandboxUnavailable
from greenline.core.port import StagedFile
from greenline.sandbox import base_image
from greenline.sandbox.engine import candidate_hosts, private_socket
from greenline.sandbox.host_toolchain import resolve
from greenline.sandbox.package_data import sandbox_folder
from greenline.sandbox.staging import tar_blocks

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}


def make_prefix(prefix: Path) -> Path:
    """Make what an interpreter's prefix looks like; nothing in it can be executed."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python3").write_text("never run")
    (prefix / "lib" / "python3.11").mkdir(parents=True)
    (prefix / "lib" / "python3.11" / "os.py").write_text("")
    return prefix


def make_venv(folder: Path, prefix: Path) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(prefix / "bin" / "python3")
    (folder / "pyvenv.cfg").write_text(f"home = {prefix / 'bin'}\nversion = 3.11.7\n")


def test_venv_and_its_interpreter_are_mounted(tmp_path: Path) -> None:
    root, prefix = tmp_path / "project", make_prefix(tmp_path / "python-3.11")
    make_venv(root / ".venv", prefix)

    toolchain = resolve(str(root), ENVIRONMENT)

    assert toolchain.python == str(root / ".venv" / "bin" / "python")
    assert toolchain.environment == (".venv",)
    assert {str(prefix), str(root / ".venv"), "/usr"} <= {mount.target for mount in toolchain.mounts}


def test_pyenv_version_of_the_project_is_found(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".python-version").write_text("3.11.7\n")
    prefix = make_prefix(tmp_path / ".pyenv" / "versions" / "3.11.7")

    toolchain = resolve(str(root), {"PATH": "/usr/bin", "HOME": str(tmp_path)})

    assert toolchain.python == str(prefix / "bin" / "python3")
    assert str(prefix) in {mount.source for mount in toolchain.mounts}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("3.11", "3.11.10"), ("3.11.9", "3.11.9"), ("3", "3.12.1"), ("cpython-3.12", "3.12.1")],
)
def test_uv_version_of_the_project_is_found_newest_first(tmp_path: Path, wanted: str, found: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".python-version").write_text(f"{wanted}\n")
    managed = tmp_path / ".local" / "share" / "uv" / "python"
    for version in ("3.11.9", "3.11.10", "3.12.1", "3.7.9"):
        make_prefix(managed / f"cpython-{version}-linux-x86_64-gnu")
    (managed / "pypy-3.12.9-linux").mkdir()

    toolchain = resolve(str(root), {"PATH": "/usr/bin", "HOME": str(tmp_path)})

    prefix = managed / f"cpython-{found}-linux-x86_64-gnu"
    assert toolchain.python == str(prefix / "bin" / "python3")
    assert str(prefix) in {mount.target for mount in toolchain.mounts}


def test_uv_environment_is_mounted_under_the_names_that_its_links_use(tmp_path: Path) -> None:
    """uv links `bin/python` through a folder of the series, which is itself a link to the full version."""
    managed = tmp_path / "uv"
    full = make_prefix(managed / "cpython-3.12.4-linux-x86_64-gnu")
    series = managed / "cpython-3.12-linux-x86_64-gnu"
    series.symlink_to(full.name)
    root = tmp_path / "project"
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python3").symlink_to(series / "bin" / "python3")
    (root / ".venv" / "bin" / "python").symlink_to("python3")
    (root / ".venv" / "pyvenv.cfg").write_text(f"home = {series / 'bin'}\nuv = 0.5.1\n")

    mounts = {(mount.source, mount.target) for mount in resolve(str(root), ENVIRONMENT).mounts}

    assert {(str(full), str(full)), (str(full), str(series))} <= mounts


def test_activated_environment_elsewhere_serves_a_project_without_one(tmp_path: Path) -> None:
    prefix, active = make_prefix(tmp_path / "python-3.11"), tmp_path / "envs" / "work"
    make_venv(active, prefix)
    (tmp_path / "link").symlink_to(tmp_path / "envs")
    (tmp_path / "project").mkdir()

    toolchain = resolve(
        str(tmp_path / "project"), {**ENVIRONMENT, "VIRTUAL_ENV": str(tmp_path / "link" / "work")}
    )

    assert toolchain.python == str(tmp_path / "link" / "work" / "bin" / "python")
    assert toolchain.environment == ()
    targets = {mount.target for mount in toolchain.mounts}
    assert {str(active), str(tmp_path / "link" / "work"), str(prefix)} <= targets


def test_activated_environment_with_a_name_of_its_own_in_the_project_comes_first(tmp_path: Path) -> None:
    prefix = make_prefix(tmp_path / "python-3.11")
    root = tmp_path / "project"
    make_venv(root / "tools" / "env311", prefix)
    make_venv(root / ".venv", prefix)

    toolchain = resolve(str(root), {**ENVIRONMENT, "VIRTUAL_ENV": str(root / "tools" / "env311")})

    assert toolchain.python == str(root / "tools" / "env311" / "bin" / "python")
    assert toolchain.environment == ("tools/env311", ".venv")


def test_environment_of_the_project_comes_before_one_elsewhere(tmp_path: Path) -> None:
    prefix = make_prefix(tmp_path / "python-3.11")
    make_venv(tmp_path / "project" / ".venv", prefix)
    make_venv(tmp_path / "work", prefix)

    toolchain = resolve(str(tmp_path / "project"), {**ENVIRONMENT, "VIRTUAL_ENV": str(tmp_path / "work")})

    assert toolchain.python == str(tmp_path / "project" / ".venv" / "bin" / "python")
    assert str(tmp_path / "work") not in {mount.source for mount in toolchain.mounts}


def test_home_folder_as_activated_environment_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    make_venv(home, make_prefix(tmp_path / "python-3.11"))
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "project").mkdir()

    with pytest.raises(SandboxUnavailable, match="must not be shown"):
        resolve(str(tmp_path / "project"), {**ENVIRONMENT, "VIRTUAL_ENV": str(home)})


@pytest.mark.parametrize("active", ["", "work", "/nowhere", "{tmp}/empty"])
def test_activated_environment_that_is_none_is_passed_over(tmp_path: Path, active: str) -> None:
    (tmp_path / "empty").mkdir()

    toolchain = resolve(str(tmp_path), {**ENVIRONMENT, "VIRTUAL_ENV": active.format(tmp=tmp_path)})

    assert str(tmp_path) not in toolchain.python


def test_last_resort_is_our_own_interpreter(tmp_path: Path) -> None:
    toolchain = resolve(str(tmp_path), {"PATH": "", "HOME": "/nowhere"})

    assert Path(toolchain.python).is_file()
    assert os.path.realpath(toolchain.python).startswith(("/usr/", os.path.realpath(sys.base_prefix)))


@pytest.mark.parametrize(
    "target", [Path.home(), Path.home().parent, Path("/")], ids=["home", "above", "root"]
)
@pytest.mark.parametrize("name", [".venv", "node_modules"])
def test_hostile_link_is_refused_by_name(tmp_path: Path, name: str, target: Path) -> None:
    (tmp_path / name).symlink_to(target)

    with pytest.raises(SandboxUnavailable) as caught:
        resolve(str(tmp_path), ENVIRONMENT)

    assert str(tmp_path / name) in caught.value.message
    assert caught.value.remedy


def test_modules_link_to_a_secret_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "node_modules").symlink_to(tmp_path / "secret")

    with pytest.raises(SandboxUnavailable):
        resolve(str(tmp_path / "project"), ENVIRONMENT)


def test_loop_of_links_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to(tmp_path / "python3")

    toolchain = resolve(str(tmp_path), {"PATH": str(tmp_path), "HOME": "/nowhere"})

    assert not toolchain.python.startswith(str(tmp_path))


def test_engine_named_by_the_user_is_the_only_one(tmp_path: Path) -> None:
    assert candidate_hosts(None, {"DOCKER_HOST": "unix:///named"}) == ["unix:///named"]
    assert candidate_hosts("tcp://first:1", {"DOCKER_HOST": "unix:///named"}) == ["tcp://first:1"]
    assert private_socket({"XDG_STATE_HOME": "/state"}) == Path("/state/greenline/engine/docker.sock")


def test_image_has_one_name_for_one_machine() -> None:
    tag, data = base_image.build(1000, 1000, 64001)

    assert (tag, data) == base_image.build(1000, 1000, 64001)
    assert tag != base_image.build(1001, 1000, 64001)[0]


def test_mounted_environment_is_not_staged() -> None:
    tree = {".venv/lib/x.py": StagedFile(b"mounted"), "a.py": StagedFile(b"staged")}

    data = b"".join(tar_blocks(tree, (".venv",)))

    assert b"staged" in data
    assert b"mounted" not in data


def test_runner_is_found() -> None:
    assert (sandbox_folder() / "runner").is_dir()
    assert (sandbox_folder() / "engine.sh").is_file()


def test_packages_of_a_workspace_are_mounted(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for folder in ("", "packages/a/", "packages/group/b/", "a/b/c/d/", ".hidden/"):
        (root / folder / "node_modules").mkdir(parents=True)

    toolchain = resolve(str(root), ENVIRONMENT)

    found = {name for name in toolchain.environment if name.endswith("node_modules")}
    assert found == {"node_modules", "packages/a/node_modules", "packages/group/b/node_modules"}
    assert {str(root / name) for name in found} <= {mount.target for mount in toolchain.mounts}


def test_tools_outside_of_the_system_are_mounted_where_they_look_like_themselves(tmp_path: Path) -> None:
    node, go = tmp_path / "node-22", tmp_path / "go"
    for program in (node / "bin" / "node", go / "bin" / "go", tmp_path / "strange" / "bin" / "go"):
        program.parent.mkdir(parents=True)
        program.write_text("never run")
        program.chmod(0o755)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "node").symlink_to(node / "bin" / "node")
    path = f"{tmp_path / 'links'}:{tmp_path / 'strange' / 'bin'}:/usr/bin"

    toolchain = resolve(str(tmp_path), {"PATH": path, "HOME": "/nowhere"})

    sources = {mount.source for mount in toolchain.mounts}
    assert str(node) in sources and str(node / "bin") in toolchain.bin_folders
    # A folder that only holds a program of that name is not shown.
    assert str(tmp_path / "strange") not in sources

    (go / "src" / "testing").mkdir(parents=True)
    (go / "src" / "testing" / "testing.go").write_text("")
    toolchain = resolve(str(tmp_path), {"PATH": f"{go / 'bin'}:/usr/bin", "HOME": "/nowhere"})
    assert str(go) in {mount.source for mount in toolchain.mounts}


def test_a_jdk_and_what_java_builds_have_fetched_are_mounted(tmp_path: Path) -> None:
    jdk = tmp_path / "jdk"
    for name in ("bin/javac", "bin/java", "lib/modules"):
        (jdk / name).parent.mkdir(parents=True, exist_ok=True)
        (jdk / name).write_text("")
        (jdk / name).chmod(0o755)
    maven, gradle = (tmp_path / place for place in (".m2/repository", ".gradle/caches/modules-2/files-2.1"))
    maven.mkdir(parents=True)
    gradle.mkdir(parents=True)
    environment = {"PATH": "/usr/bin", "JAVA_HOME": str(jdk), "HOME": str(tmp_path)}
    work = tmp_path / "work"
    (work / "app").mkdir(parents=True)
    assert resolve(str(work), environment).variables == ()
    (work / "app" / "pom.xml").write_text("<project/>")

    toolchain = resolve(str(work), environment)

    sources = {mount.source for mount in toolchain.mounts}
    assert {str(jdk), str(maven), str(gradle)} <= sources
    assert str(tmp_path / ".m2") not in sources
    assert str(jdk / "bin") in toolchain.bin_folders
    assert toolchain.variables == (("GREENLINE_MAVEN", str(maven)), ("GREENLINE_GRADLE", str(gradle)))


def test_the_module_cache_of_go_is_mounted_and_named(tmp_path: Path) -> None:
    cache = tmp_path / "go" / "pkg" / "mod"
    cache.mkdir(parents=True)

    toolchain = resolve(str(tmp_path), {"PATH": "/usr/bin", "HOME": str(tmp_path)})

    assert toolchain.variables == (("GOMODCACHE", str(cache)),)
    assert str(cache) in {mount.target for mount in toolchain.mounts}
