"""Attempts on other processes, on rights, and on limits."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from escape_attempt import (
    Absent,
    Broken,
    World,
    attempt,
    call,
    first_that_is,
    first_there,
    opened,
    own_mounts,
    pid_of,
)
from escape_kernel import BOTH, CAPABILITIES

OTHER_USER = "the reporter's own user"
_UNPRIVILEGED = 64000
_HELP_TAKERS = ("su", "mount", "umount", "newgrp", "passwd", "chsh", "gpasswd")


@attempt("finds a process outside", "a process namespace", "absent")
def see_processes(world: World) -> None:
    pid_of(world.bystander)


@attempt("signals a process outside", "a process namespace", "ESRCH")
def signal_outside(world: World) -> None:
    os.kill(world.bystander_pid, 0)


@attempt("finds the user's secrets in the environment of any process", "no variable is passed on", "absent")
def environment(world: World) -> None:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if world.secret.encode() in (entry / "environ").read_bytes():
                    return
    raise Absent


@attempt("traces the reporter", OTHER_USER, "EPERM")
def trace_reporter(world: World) -> None:
    call("ptrace", 0x4206, pid_of(world.reporter), 0, 0)


@attempt("reads the reporter's memory", OTHER_USER, "EPERM", "EFAULT")
def read_reporter(world: World) -> None:
    there, here = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
    local = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(here), 8))
    remote = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(there), 8))
    # One's own memory can be read in this way.
    call("process_vm_readv", os.getpid(), local, 1, remote, 1, 0)
    remote = ctypes.create_string_buffer(struct.pack("=QQ", 8, 8))
    call("process_vm_readv", pid_of(world.reporter), local, 1, remote, 1, 0)


@attempt("opens the reporter's memory as a file", OTHER_USER, "EACCES EPERM")
def reporter_mem(world: World) -> None:
    opened(f"/proc/{os.getpid()}/mem", os.O_RDWR)
    opened(f"/proc/{pid_of(world.reporter)}/mem", os.O_RDWR)


@attempt("takes a descriptor of the reporter's", OTHER_USER, "EPERM ENOSYS")
def reporter_descriptor(world: World) -> None:
    call("pidfd_getfd", call("pidfd_open", pid_of(world.reporter), 0), 0, 0)


@attempt("ends the reporter", OTHER_USER, "EPERM")
def end_reporter(world: World) -> None:
    os.kill(pid_of(world.reporter), 0)


@attempt("reads what others report", "the channel's mode", "EACCES")
def read_report(world: World) -> None:
    opened(world.report, os.O_RDONLY)


@attempt(
    "puts a channel of its own in the reporter's place", "the channel's folder is the reporter's", "EACCES"
)
def replace_report(world: World) -> None:
    Path(world.report).unlink()
    os.mkfifo(world.report)


@attempt("becomes root", CAPABILITIES, "EPERM")
def setuid(world: World) -> None:
    os.setuid(0)


@attempt("gives itself a capability", CAPABILITIES, "EPERM")
def capability(world: World) -> None:
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    data = ctypes.create_string_buffer(24)
    call("capget", header, data)
    words = list(struct.unpack("=6I", data.raw))
    wanted = [word | 1 << 21 if place < 3 else word for place, word in enumerate(words)]
    call("capset", header, ctypes.create_string_buffer(struct.pack("=6I", *wanted), 24))


@attempt("runs a program that is root's for everybody", "no new privileges", "absent", unless="absent")
def setuid_program(world: World) -> None:
    if world.control:
        os.setgroups([])
        os.setgid(_UNPRIVILEGED)
        os.setuid(_UNPRIVILEGED)
    program = first_that_is(*(f"/usr/bin/{name}" for name in _HELP_TAKERS))
    if not Path(program).stat().st_mode & 0o4000:
        raise Broken(f"{program} is no set-user-id program")
    # It stops at its first word, since nobody reads: its rights can be looked at meanwhile.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writing, b" " * 4096):
            pass
    os.set_blocking(writing, True)
    child = subprocess.Popen([program, "--help"], stdout=writing, stderr=writing)
    try:
        if "0" not in _rights_of(child, Path(program).name):
            raise Absent
    finally:
        child.kill()
        child.wait()
        os.close(reading)


def _rights_of(child: subprocess.Popen[bytes], name: str) -> list[str]:
    """Return the user ids of a child once it is the program of this name."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and child.poll() is None:
        lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
        if lines[0].split()[1] == name:
            return next(line.split()[1:] for line in lines if line.startswith("Uid:"))
        time.sleep(0.01)
    raise Broken(f"{name} did not start")


@attempt("gives a file to root", CAPABILITIES, "EPERM")
def chown(world: World) -> None:
    Path("/tmp/escape-chown").write_text("")
    os.chown("/tmp/escape-chown", 0, 0)


@attempt("gives a program capabilities", CAPABILITIES, "EPERM")
def file_capability(world: World) -> None:
    Path("/tmp/escape-capability").write_text("")
    value = struct.pack("<5I", 0x02000001, 1 << 21, 0, 0, 0)
    os.setxattr("/tmp/escape-capability", "security.capability", value)


@attempt(
    "overwrites the program that started it",
    "a file of root's, and a read-only mount",
    "EACCES EROFS",
    "ETXTBSY done",
)
def overwrite_starter(world: World) -> None:
    opened(f"/proc/{world.starter}/exe")


@attempt("reaches a folder outside through a descriptor left open", "nothing is left open", "absent", "")
def descriptors(world: World) -> None:
    own = os.open("/tmp", os.O_RDONLY)
    found = {}
    for process in ("self", str(world.starter)):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                found[process, link.name] = link.readlink()
    folders = {key for key, target in found.items() if target.is_dir()}
    if ("self", str(own)) not in folders:
        raise Broken("a folder that is open is not found")
    folders -= {("self", str(own))}
    if not {key for key in folders if not str(found[key]).startswith("/proc/")}:
        raise Absent


@attempt("types into the terminal that started it", "no terminal", "ENXIO")
def terminal(world: World) -> None:
    with open("/dev/tty", "rb", buffering=0) as tty:  # noqa: PTH123 (no buffer)
        if not world.control:
            fcntl.ioctl(tty, termios.TIOCSTI, b"x")


@attempt("goes before everybody else", CAPABILITIES, "EACCES EPERM")
def priority(world: World) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, -5)


@attempt("is scheduled as real time", CAPABILITIES, "EPERM", unless="EPERM")
def real_time(world: World) -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


@attempt("raises its own memory limit", "a read-only `/sys/fs/cgroup`", "EACCES EROFS")
def cgroup_limit(world: World) -> None:
    names = ("memory/memory.limit_in_bytes", "memory.max", "memory.high")
    opened(first_there(world, *(f"/sys/fs/cgroup/{name}" for name in names)))


@attempt("leaves its control group", "a read-only `/sys/fs/cgroup`", "EACCES EROFS")
def cgroup_leave(world: World) -> None:
    opened(first_there(world, "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/cgroup.procs"))


@attempt("mounts the control groups, for their `release_agent`", BOTH, "EPERM")
def cgroup_release_agent(world: World) -> None:
    own_mounts(world)
    Path("/tmp/escape-cgroup").mkdir()
    kind, option = (b"cgroup", b"memory") if Path("/sys/fs/cgroup/memory").is_dir() else (b"cgroup2", None)
    call("mount", b"none", b"/tmp/escape-cgroup", kind, 0, option)


@attempt("makes processes without end", "a limit on processes", "EAGAIN")
def fork_bomb(world: World) -> None:
    children: list[int] = []
    try:
        while len(children) < 300:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@attempt("takes all memory", "a limit on memory", "SIGKILL")
def memory(world: World) -> None:
    taken: list[bytes] = []
    try:
        while len(taken) < 400:
            taken.append(b"%d" % len(taken) * (1 << 20))
    except MemoryError:
        taken.clear()
        raise OSError(errno.ENOMEM, "no more") from None


@attempt("fills the disk", "sizes of the folders in memory", "ENOSPC")
def fill_disk(world: World) -> None:
    try:
        with Path("/tmp/escape-big").open("wb") as file:
            for _ in range(40):
                file.write(b"x" * (1 << 20))
    finally:
        Path("/tmp/escape-big").unlink()


@attempt("makes files without end", "counts of files of the folders in memory", "ENOSPC")
def fill_inodes(world: World) -> None:
    folder = Path("/tmp/escape-many")
    folder.mkdir()
    try:
        for number in range(8000):
            (folder / str(number)).touch()
    finally:
        for path in folder.iterdir():
            path.unlink()
