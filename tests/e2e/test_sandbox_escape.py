"""Every attempt to escape from a container is stopped, and gets further where nothing guards it.

All attempts are made in one container of the sandbox, and once more, as root, in one without its guards: an
attempt that fails there as well would prove nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import docker
import docker.types
import pytest
from attrs import frozen
from escape_attempt import ATTEMPTS, stop_of, table
from escape_ground import HERE, PROGRAMS, SECRET, lay_out, links, outcomes, request, run_and_close
from unprivileged import as_somebody, open_folder, shipped_for_all

from greenline.sandbox.bubblewrap_sandbox import BubblewrapSandbox, BubblewrapSettings
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.host_toolchain import resolve

PAGE = HERE.parents[1] / "docs" / "sandbox.md"
CAPABILITIES = (
    *("CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "IPC_LOCK", "KILL", "MKNOD", "NET_ADMIN"),
    *("NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT"),
    *("SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_TIME"),
)
"""Those of the control: what the attempts ask for. `ALL` would ask for some that not every machine has."""


@frozen
class Runs:
    """What came of the attempts."""

    guarded: dict[str, dict[str, str]]
    """Engine → attempt → outcome."""
    control: dict[str, str]
    written: bool
    """Whether a guarded run changed a folder of the machine."""


ENGINES = ("docker", "bubblewrap", "unprivileged") if os.getuid() == 0 else ("docker", "unprivileged")
"""bubblewrap is one where root makes its sandboxes, and another where anybody else does."""


@pytest.fixture(scope="module")
def runs(docker_host: str) -> Iterator[Runs]:
    """Make all attempts in each sandbox and without one, with something outside to be reached for."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GREENLINE_TEST_SECRET", SECRET)
        # A descriptor that others left open for us must not be handed on.
        left_open = os.open("/", os.O_RDONLY)
        stack.callback(os.close, left_open)
        os.set_inheritable(left_open, True)
        home = stack.enter_context(open_folder("escape-"))
        world = lay_out(home, docker_host, stack)
        guarded = {engine: _guarded(world, docker_host, engine) for engine in ENGINES}
        written = (Path(str(world["mounted"])) / "escaped").exists()
        yield Runs(guarded, _control(world, docker_host), written)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_attempt_is_stopped(runs: Runs, engine: str) -> None:
    free = {one.name: runs.guarded[engine].get(one.name) for one in ATTEMPTS}

    assert {
        one.name: free[one.name] for one in ATTEMPTS if free[one.name] not in stop_of(one, engine)[1]
    } == {}
    assert not runs.written


def test_every_attempt_gets_further_without_guards(runs: Runs) -> None:
    tried = [one for one in ATTEMPTS if one.further]
    further = [one for one in tried if runs.control.get(one.name) in one.further]
    failed = {
        one.name: runs.control.get(one.name)
        for one in tried
        if runs.control.get(one.name) not in one.further | one.unless
    }

    assert failed == {}
    assert len(further) >= 60, sorted({one.name for one in tried} - {one.name for one in further})


def test_documentation_names_every_attempt() -> None:
    assert table() in PAGE.read_text("utf-8")
    assert len({one.name for one in ATTEMPTS}) == len(ATTEMPTS)


def _guarded(world: dict[str, object], host: str, engine: str) -> dict[str, str]:
    environment = {**os.environ, "HOME": str(world["home"])}
    wanted = request(world)
    if engine == "docker":
        sandbox = DockerSandbox(SandboxSettings(docker_host=host, environment=environment))
        result = run_and_close(sandbox, wanted)
    elif engine == "bubblewrap":
        result = run_and_close(BubblewrapSandbox(BubblewrapSettings(environment=environment)), wanted)
    else:
        theirs = {"PATH": "/usr/bin:/bin", "HOME": environment["HOME"]}
        with shipped_for_all(Path(str(world["root"])).parent):
            other = BubblewrapSandbox(BubblewrapSettings(environment=theirs))
            result = as_somebody(lambda: run_and_close(other, wanted))
    assert result.exit_code == 0, result.output.decode()
    return outcomes(result.output)


def _control(world: dict[str, object], engine: str) -> dict[str, str]:
    """Make the attempts as root in a container that shares everything with the machine but its files."""
    world = {**world, "control": True, "starter": world["bystander_pid"]}
    root = Path(str(world["root"]))
    for name in PROGRAMS:
        (root / f"{name}.py").write_bytes((HERE / f"{name}.py").read_bytes())
    (root / "world.json").write_text(json.dumps(world))
    for name, target in links(world).items():
        (root / name).symlink_to(target)
    toolchain = resolve(str(root), os.environ)
    shown = [
        (mount.source, mount.target) for mount in toolchain.mounts if not mount.target.startswith(f"{root}/")
    ]
    beside = Path(str(world["secret_path"])).parent
    shown += [(str(path), str(path)) for path in (beside, Path(str(world["home"])), Path("/etc/shadow"))]
    if world["engine_socket"]:
        shown.append((str(world["engine_socket"]),) * 2)
    client = docker.DockerClient(base_url=engine)
    try:
        image = DockerSandbox(SandboxSettings(docker_host=engine)).health().image
        command = [toolchain.python, "escape_run.py", "world.json"]
        return outcomes(_unguarded(client, image, root, command, shown))
    finally:
        client.close()


def _unguarded(
    client: docker.DockerClient, image: str, root: Path, command: list[str], shown: list[tuple[str, str]]
) -> bytes:
    """Run a command as root with the machine's namespaces, devices and `/sys`, and no filter."""
    mounts = [docker.types.Mount(target, source, type="bind", read_only=True) for source, target in shown]
    mounts += [docker.types.Mount(name, name, type="bind") for name in (str(root), "/dev", "/sys")]
    host = client.api.create_host_config(
        cap_add=list(CAPABILITIES),
        security_opt=["seccomp=unconfined", "apparmor=unconfined"],
        network_mode="host",
        pid_mode="host",
        ipc_mode="host",
        device_cgroup_rules=["a *:* rwm"],
        mounts=mounts,
    )
    host |= {"MaskedPaths": [], "ReadonlyPaths": []}
    environment = {"GREENLINE_TEST_SECRET": SECRET, "PYTHONDONTWRITEBYTECODE": "1"}
    created = client.api.create_container(
        image, command, user="0:0", tty=True, working_dir=str(root), environment=environment, host_config=host
    )
    container = client.containers.get(created["Id"])
    try:
        container.start()
        assert container.wait(timeout=120)["StatusCode"] == 0, container.logs().decode()
        return bytes(container.logs())
    finally:
        container.remove(force=True)
