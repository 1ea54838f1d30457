"""Every attempt to escape from a container is stopped, and gets further where nothing guards it.

All attempts are made in one container of the sandbox, and once more, as root, in one without its guards: an
attempt that fails there as well would prove nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import docker
import docker.types
import pytest
from attrs import frozen
from escape_attempt import ATTEMPTS, table
from escape_run import FAMILIES

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, SandboxRequest, StagedFile
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.sandbox.host_toolchain import resolve

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "sandbox.md"
SECRET = "escape-secret-4f1c"
REPORT = "/run/greenline/report"
REPORTER = "escape-reporter-9a2e"
REPORTS = (
    f"import os; os.umask(0); os.mkfifo({REPORT!r}, 0o622); print('ready', flush=True); "
    f"open({REPORT!r}).read()"
)
PROGRAMS = ("escape_attempt", "escape_run", *(family.__name__ for family in FAMILIES))
CAPABILITIES = (
    *("CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "IPC_LOCK", "KILL", "MKNOD", "NET_ADMIN"),
    *("NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT"),
    *("SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_TIME"),
)
"""Those of the control: what the attempts ask for. `ALL` would ask for some that not every machine has."""
LIMITS = Limits(memory_mb=256, pids=64, tmpfs_mb=16, wall_s=90)


@frozen
class Runs:
    """What came of the attempts."""

    guarded: dict[str, str]
    control: dict[str, str]
    written: bool
    """Whether the guarded run changed a folder of the machine."""


@pytest.fixture(scope="module")
def runs(docker_host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Make all attempts twice, with something outside to be reached for."""
    home = tmp_path_factory.mktemp("escape")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GREENLINE_TEST_SECRET", SECRET)
        world = _lay_out(home, docker_host, stack)
        guarded = _guarded(world, docker_host)
        written = (Path(world["mounted"]) / "escaped").exists()
        yield Runs(guarded, _control(world, docker_host), written)


def test_every_attempt_is_stopped(runs: Runs) -> None:
    free = {one.name: runs.guarded.get(one.name) for one in ATTEMPTS}

    assert {one.name: free[one.name] for one in ATTEMPTS if free[one.name] not in one.by} == {}
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


def _lay_out(home: Path, engine: str, stack: ExitStack) -> dict[str, object]:
    """Make a project, and beside it what an attempt could reach; return it as a world."""
    root, beside = home / "w", home / "beside"
    root.mkdir()
    beside.mkdir()
    (home / "home" / ".ssh").mkdir(parents=True)
    (beside / "secret.txt").write_text(SECRET)
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    # Nothing but the mount protects it.
    (root / ".venv").chmod(0o777)
    bystander = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", "escape-bystander-77b0"], stdin=subprocess.PIPE
    )
    stack.enter_context(bystander)
    stack.callback(bystander.kill)
    abstract = f"greenline-escape-{os.getpid()}"
    _listen(stack, socket.AF_UNIX, str(root / "host.sock"))
    _listen(stack, socket.AF_UNIX, f"\0{abstract}")
    return {
        "control": False,
        "root": str(root),
        "mounted": str(root / ".venv"),
        "secret": SECRET,
        "secret_path": str(beside / "secret.txt"),
        "home": str(home / "home"),
        "bystander": "escape-bystander-77b0",
        "bystander_pid": bystander.pid,
        "starter": 1,
        "engine_socket": engine.removeprefix("unix://") if engine.startswith("unix://") else "",
        "unix_socket": str(root / "host.sock"),
        "abstract_socket": abstract,
        "port": _listen(stack, socket.AF_INET, ("127.0.0.1", 0)),
        "port6": _listen(stack, socket.AF_INET6, ("::1", 0)) if _has_ipv6() else 0,
        "shared_memory": _segment(stack),
        "report": REPORT,
        "reporter": REPORTER,
    }


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def _listen(stack: ExitStack, family: int, address: str | tuple[str, int]) -> int:
    """Listen until the stack ends; return the port, or 0 where there is none."""
    server = stack.enter_context(socket.socket(family))
    server.bind(address)
    server.listen()
    return int(server.getsockname()[1]) if isinstance(address, tuple) else 0


def _segment(stack: ExitStack) -> int:
    """Make shared memory that anybody may attach, and return its key."""
    libc, key = ctypes.CDLL(None), 0x67000000 + os.getpid()
    segment = libc.shmget(key, 4096, 0o1666)
    assert segment != -1
    stack.callback(libc.shmctl, segment, 0, None)
    return key


def _links(world: dict[str, object]) -> dict[str, str]:
    """Return links of the project to the secret outside."""
    secret = Path(str(world["secret_path"]))
    return {
        "link-absolute": str(secret),
        "link-relative": f"../{secret.parent.name}/{secret.name}",
        "link-folder": str(secret.parent),
    }


def _guarded(world: dict[str, object], engine: str) -> dict[str, str]:
    tree = {f"{name}.py": StagedFile((HERE / f"{name}.py").read_bytes()) for name in PROGRAMS}
    tree["world.json"] = StagedFile(json.dumps(world).encode())
    tree |= {name: StagedFile(link=target) for name, target in _links(world).items()}
    environment = {**os.environ, "HOME": str(world["home"])}
    sandbox = DockerSandbox(SandboxSettings(docker_host=engine, environment=environment))
    request = SandboxRequest(
        str(world["root"]),
        tree,
        ("{python}", "escape_run.py", "world.json"),
        reporter=("{python}", "-I", "-c", REPORTS, REPORTER),
        limits=LIMITS,
        label="escape",
    )
    result = sandbox.run(request, Cancellation())
    assert sandbox.wait()
    assert result.exit_code == 0, result.output.decode()
    return _outcomes(result.output)


def _control(world: dict[str, object], engine: str) -> dict[str, str]:
    """Make the attempts as root in a container that shares everything with the machine but its files."""
    world = {**world, "control": True, "starter": world["bystander_pid"]}
    root = Path(str(world["root"]))
    for name in PROGRAMS:
        (root / f"{name}.py").write_bytes((HERE / f"{name}.py").read_bytes())
    (root / "world.json").write_text(json.dumps(world))
    for name, target in _links(world).items():
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
        return _outcomes(_unguarded(client, image, root, command, shown))
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


def _outcomes(output: bytes) -> dict[str, str]:
    said = [json.loads(line) for line in output.decode().splitlines()]
    return {line["name"]: line["outcome"] for line in said}
