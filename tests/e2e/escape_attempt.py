"""What an attempt to escape from a container is, and the system calls that attempts share.

Standard library alone: the same files run inside a container, in the control beside it, and in the test.
Every attempt is harmless where it succeeds.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DONE = "done"
"""The outcome of an attempt that succeeded."""
ABSENT = "absent"
"""The outcome of an attempt that found nothing to take hold of."""

_X86, _ARM = 0, 1
_NUMBERS = {
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "reboot": (169, 142),
    "pivot_root": (155, 41),
    "capget": (125, 90),
    "capset": (126, 91),
    "io_uring_setup": (425, 425),
    "fsopen": (430, 430),
    "pidfd_open": (434, 434),
    "clone3": (435, 435),
    "pidfd_getfd": (438, 438),
}
_LIBC = ctypes.CDLL(None, use_errno=True)


class Absent(Exception):
    """There is nothing that the attempt could take hold of."""


class Broken(Exception):
    """The attempt cannot be made here: what it needs first does not work either."""


@dataclass(frozen=True)
class World:
    """What the test has laid out beside the container, to be reached for."""

    control: bool
    """Whether this is the run without guards, which must get further."""
    root: str
    mounted: str
    """A folder of the project that everybody may write to and that is mounted read-only."""
    secret: str
    secret_path: str
    home: str
    bystander: str
    """What stands on the command line of a process outside."""
    bystander_pid: int
    engine_socket: str
    unix_socket: str
    abstract_socket: str
    port: int
    port6: int
    """0 where the machine has no IPv6."""
    shared_memory: int
    """Key of a System V segment."""
    starter: int
    """The process that started the container's; in the control, which sees all, the bystander."""
    report: str
    """The reporter's channel."""
    reporter: str
    """What stands on the reporter's command line."""
    left_out: tuple[str, ...] = ()
    """Attempts that would end the others."""


Program = Callable[[World], Any]


@dataclass(frozen=True)
class Attempt:
    """One way out, what stops it, and what its control must show."""

    name: str
    tries: str
    guard: str
    """What stops it, in words."""
    by: frozenset[str]
    """Outcomes that mean that it was stopped."""
    further: frozenset[str]
    """Outcomes of the control; empty where there can be none."""
    unless: frozenset[str]
    """Outcomes of a control whose kernel or machine has not what is reached for."""
    program: Program


ATTEMPTS: list[Attempt] = []
COLUMNS = (
    ("Docker", "docker"),
    ("bubblewrap, as root", "bubblewrap"),
    ("bubblewrap, without root", "unprivileged"),
    ("Podman", "podman"),
    ("Docker with gVisor", "gvisor"),
)
"""The table's columns: title and engine."""
DIFFERENCES: dict[str, dict[str, tuple[str, frozenset[str]]]] = {}
"""Engine → attempt → what stops it there, where that is not what stops it in a container of Docker's."""


def elsewhere(engine: str, names: str, guard: str, by: str) -> None:
    """Say what stops some attempts in another engine's sandboxes; names and outcomes are in one text each."""
    for name in names.split():
        DIFFERENCES.setdefault(engine, {})[name] = (guard, frozenset(by.split()))


def attempt(tries: str, guard: str, by: str, further: str = DONE, unless: str = "") -> Any:
    """Register the function below as an attempt; outcomes are separated by spaces."""

    def register(program: Program) -> Program:
        name = program.__name__.replace("_", "-")
        sets = (frozenset(words.split()) for words in (by, further, unless))
        ATTEMPTS.append(Attempt(name, tries, guard, *sets, program))
        return program

    return register


def call(name: str, *arguments: Any) -> int:
    """Call a function of libc, or a system call by its name; raises `OSError`."""
    if name in _NUMBERS:
        machine = {"x86_64": _X86, "aarch64": _ARM}.get(platform.machine())
        if machine is None:
            raise Broken(f"system call numbers of {platform.machine()} are not known")
        result = _LIBC.syscall(ctypes.c_long(_NUMBERS[name][machine]), *map(_wide, arguments))
    else:
        result = getattr(_LIBC, name)(*map(_wide, arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(result)


def _wide(argument: Any) -> Any:
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def own_mounts(world: World) -> None:
    """Keep what the control mounts out of everybody else's sight; the sandbox refuses this already."""
    try:
        call("unshare", 0x00020000)
        call("mount", b"none", b"/", None, 0x4000 | 0x40000, None)
    except OSError as error:
        if world.control:
            raise Broken(f"no mount namespace of one's own: {error}") from error


def opened(path: str, flags: int = os.O_WRONLY) -> None:
    """Open a file and close it; nothing is written."""
    os.close(os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK))


def first_that_is(*paths: str) -> str:
    """Return the first path that exists; raises `Broken`."""
    for path in paths:
        if Path(path).exists():
            return path
    raise Broken(f"none of {', '.join(paths)} is there")


def first_there(world: World, *paths: str) -> str:
    """Return the first path that exists; raises `Absent` in a sandbox that has nothing of the kind."""
    try:
        return first_that_is(*paths)
    except Broken as error:
        if world.control:
            raise
        raise Absent(str(error)) from error


def pid_of(words: str) -> int:
    """Return the process whose command line holds these words, other than this one; raises `Absent`."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if words.encode() in line:
                return int(entry.name)
    raise Absent(f"no process has {words} on its command line")


def outcome(one: Attempt, world: World) -> str:
    """Make an attempt in a child, and return its outcome: done, absent, or what refused it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, _tried(one, world).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return said or signal.Signals(os.WTERMSIG(status)).name


def _tried(one: Attempt, world: World) -> str:
    signal.alarm(20)
    try:
        one.program(world)
    except Absent:
        return ABSENT
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, f"broken: {error!r}")
    except BaseException as error:  # noqa: BLE001 (the child's boundary)
        return f"broken: {error!r}"
    return DONE


def stop_of(one: Attempt, engine: str) -> tuple[str, frozenset[str]]:
    """Return what stops an attempt in an engine's sandbox, and as which outcomes it is told."""
    return DIFFERENCES.get(engine, {}).get(one.name, (one.guard, one.by))


def table() -> str:
    """Return the table of the documentation."""
    names = [title for title, _ in COLUMNS]
    lines = [
        f"| attempt | what it tries | what stopped it, and how it is told: {' | '.join(names)} |",
        f"| --- | --- |{' --- |' * len(names)}",
    ]
    for one in ATTEMPTS:
        told = [_told(stop_of(one, "docker"))]
        for _, engine in COLUMNS[1:]:
            is_same = stop_of(one, engine) == stop_of(one, "docker")
            told.append("the same" if is_same else _told(stop_of(one, engine)))
        lines.append(f"| {one.name} | {one.tries} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def _told(stop: tuple[str, frozenset[str]]) -> str:
    return f"{stop[0]} ({', '.join(sorted(stop[1]))})"
