"""What an attempt to escape is made at and with: a project, what lies beside it, and one request."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from escape_run import FAMILIES
from unprivileged import SYSTEM_PYTHON

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, Sandbox, SandboxRequest, SandboxResult, StagedFile

HERE = Path(__file__).parent
SECRET = "escape-secret-4f1c"
REPORT = "/run/greenline/report"
REPORTER = "escape-reporter-9a2e"
REPORTS = (
    f"import os, select; os.umask(0); os.mkfifo({REPORT!r}, 0o622); "
    f"fifo = os.open({REPORT!r}, os.O_RDONLY | os.O_NONBLOCK); os.chmod({REPORT!r}, 0o222); "
    "print('ready', flush=True); poll = select.poll(); poll.register(fifo); poll.poll()"
)
PROGRAMS = ("escape_attempt", "escape_elsewhere", "escape_run", *(family.__name__ for family in FAMILIES))
LIMITS = Limits(memory_mb=256, pids=64, tmpfs_mb=16, wall_s=90)


def lay_out(home: Path, engine: str, stack: ExitStack) -> dict[str, object]:
    """Make a project, and beside it what an attempt could reach; return it as a world."""
    root, beside = home / "w", home / "beside"
    root.mkdir()
    beside.mkdir()
    (home / "home" / ".ssh").mkdir(parents=True)
    (beside / "secret.txt").write_text(SECRET)
    # Everybody can run the system's interpreter.
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", root / ".venv"], check=True)
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


def links(world: Mapping[str, object]) -> dict[str, str]:
    """Return links of the project to the secret outside."""
    secret = Path(str(world["secret_path"]))
    return {
        "link-absolute": str(secret),
        "link-relative": f"../{secret.parent.name}/{secret.name}",
        "link-folder": str(secret.parent),
    }


def request(world: Mapping[str, object], limits: Limits = LIMITS) -> SandboxRequest:
    """Return the request that makes all attempts in a sandbox."""
    tree = {f"{name}.py": StagedFile((HERE / f"{name}.py").read_bytes()) for name in PROGRAMS}
    tree["world.json"] = StagedFile(json.dumps(dict(world)).encode())
    tree |= {name: StagedFile(link=target) for name, target in links(world).items()}
    return SandboxRequest(
        str(world["root"]),
        tree,
        ("{python}", "escape_run.py", "world.json"),
        reporter=("{python}", "-I", "-c", REPORTS, REPORTER),
        limits=limits,
        label="escape",
    )


def run_and_close(sandbox: Sandbox, request: SandboxRequest) -> SandboxResult:
    """Run one request and leave nothing."""
    try:
        return sandbox.run(request, Cancellation())
    finally:
        sandbox.close()


def outcomes(output: bytes) -> dict[str, str]:
    said = [json.loads(line) for line in output.decode().splitlines()]
    return {line["name"]: line["outcome"] for line in said}
