"""Attempts on the kernel: mounts, namespaces, modules, devices, clocks, and calls that few programs need."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import stat
import struct
from pathlib import Path

from escape_attempt import (
    Absent,
    Broken,
    World,
    attempt,
    call,
    first_there,
    opened,
    own_mounts,
)

CAPABILITIES = "no capabilities"
BOTH = "no capabilities, and seccomp"
SECCOMP = "seccomp"
_STANDARD = {
    *("console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm"),
    *("stderr", "stdin", "stdout", "tty", "urandom", "zero"),
}


@attempt("mounts a file system", BOTH, "EPERM")
def mount(world: World) -> None:
    own_mounts(world)
    call("mount", b"none", b"/tmp", b"tmpfs", 0, None)


@attempt("makes a file system with the newer calls", SECCOMP, "EPERM ENOSYS")
def fsopen(world: World) -> None:
    call("fsopen", b"tmpfs", 0)


@attempt("makes a read-only mount writable", BOTH, "EPERM", "EINVAL done")
def remount(world: World) -> None:
    own_mounts(world)
    call("mount", None, world.mounted.encode(), None, 0x20 | 0x1000, None)


@attempt("takes a mount away to see what lies below", BOTH, "EPERM")
def unmount(world: World) -> None:
    own_mounts(world)
    call("umount2", b"/proc", 2)


@attempt("writes to a folder of the project that is mounted", "read-only mounts", "EROFS")
def read_only_mount(world: World) -> None:
    path = Path(world.mounted)
    if not stat.S_IMODE(path.stat().st_mode) & stat.S_IWOTH:
        raise Broken(f"{path} is not everybody's to write to")
    (path / "escaped").write_text("")


@attempt("writes to /etc, as `cron.d` or `ld.so.preload`", "a read-only root", "EROFS EACCES")
def etc(world: World) -> None:
    Path("/etc/ld.so.preload").write_text("")


@attempt("changes the root folder", BOTH, "EPERM")
def chroot(world: World) -> None:
    os.chroot("/tmp")


@attempt("swaps the root folder", BOTH, "EPERM", "EINVAL EBUSY done")
def pivot_root(world: World) -> None:
    own_mounts(world)
    call("pivot_root", b"/tmp", b"/tmp")


@attempt("opens a file by its number, past all mounts", BOTH, "EPERM", "ESTALE EOPNOTSUPP done")
def open_by_handle(world: World) -> None:
    handle = ctypes.create_string_buffer(struct.pack("=Ii8s", 8, 1, b"\2" * 8))
    folder = os.open("/", os.O_RDONLY)
    call("open_by_handle_at", folder, handle, os.O_RDONLY)


@attempt("makes a user namespace, to be root in it", SECCOMP, "EPERM")
def user_namespace(world: World) -> None:
    call("unshare", 0x10000000)


@attempt("makes a user namespace by `clone3`, which filters cannot look into", SECCOMP, "EPERM ENOSYS")
def user_namespace_clone3(world: World) -> None:
    arguments = struct.pack("=11Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
    if call("clone3", ctypes.create_string_buffer(arguments), 64) == 0:
        os._exit(0)


@attempt("makes mount, network and process namespaces", BOTH, "EPERM")
def namespaces(world: World) -> None:
    call("unshare", 0x00020000 | 0x40000000 | 0x20000000)


@attempt("enters another process's namespaces", BOTH, "EPERM")
def setns(world: World) -> None:
    namespace = os.open(f"/proc/{world.starter}/ns/mnt", os.O_RDONLY)
    call("setns", namespace, 0x00020000)


@attempt("makes a device node", CAPABILITIES, "EPERM")
def device_node(world: World) -> None:
    os.mknod("/tmp/escape-memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))


@attempt(
    "makes a node of the machine's disk and opens it", CAPABILITIES, "EPERM", unless="ENXIO EPERM absent"
)
def disk(world: World) -> None:
    rows = [line.split() for line in Path("/proc/partitions").read_text().splitlines()[2:]]
    if not rows:
        raise Absent
    # The biggest is no RAM disk.
    row = max(rows, key=lambda row: int(row[2]))
    os.mknod("/tmp/escape-disk", stat.S_IFBLK | 0o600, os.makedev(int(row[0]), int(row[1])))
    opened("/tmp/escape-disk", os.O_RDONLY)


@attempt("looks for devices of the machine", "a `/dev` of its own", "absent")
def devices(world: World) -> None:
    if {path.name for path in Path("/dev").iterdir()} <= _STANDARD:
        raise Absent


@attempt("reads the machine's memory", "a `/dev` of its own", "ENOENT", unless="ENOENT EPERM")
def dev_mem(world: World) -> None:
    opened("/dev/mem", os.O_RDONLY)


@attempt("reads the kernel's memory", "masked paths", "absent EACCES EPERM ENOENT", unless="ENOENT EPERM")
def kcore(world: World) -> None:
    with open("/proc/kcore", "rb") as file:  # noqa: PTH123 (no more than a byte)
        if not file.read(1):
            raise Absent


@attempt("reads the kernel's log from its device", "a `/dev` of its own", "ENOENT", unless="ENOENT")
def dev_kmsg(world: World) -> None:
    opened("/dev/kmsg", os.O_RDONLY)


@attempt("reads the kernel's log", BOTH, "EPERM")
def syslog(world: World) -> None:
    call("klogctl", 3, ctypes.create_string_buffer(4096), 4096)


@attempt("loads a kernel module", BOTH, "EPERM", "ENOEXEC EFAULT", unless="ENOSYS EPERM")
def load_module(world: World) -> None:
    call("init_module", b"junk", 4, b"")


@attempt("unloads a kernel module", BOTH, "EPERM", "ENOENT", unless="ENOSYS EPERM")
def unload_module(world: World) -> None:
    call("delete_module", b"greenline_escape", os.O_NONBLOCK)


@attempt("loads another kernel", BOTH, "EPERM", "EINVAL", unless="ENOSYS EPERM")
def kexec(world: World) -> None:
    call("kexec_load", 0, 0, 0, 0xFFFF)


@attempt("restarts the machine", BOTH, "EPERM", "EINVAL")
def reboot(world: World) -> None:
    # Wrong magic numbers: they are looked at after the permission.
    call("reboot", 1, 2, 0x01234567, 0)


@attempt("presses a magic key", "a read-only `/proc`", "EACCES EROFS ENOENT", unless="ENOENT")
def sysrq(world: World) -> None:
    opened("/proc/sysrq-trigger")


@attempt("sets what the kernel runs when a program crashes", "a read-only `/proc/sys`", "EACCES EROFS")
def core_pattern(world: World) -> None:
    opened("/proc/sys/kernel/core_pattern")


@attempt("changes the kernel through `/sys`", "a read-only `/sys`", "EACCES EROFS")
def sys_write(world: World) -> None:
    names = ("uevent_helper", "mm/transparent_hugepage/enabled", "profiling", "rcu_normal")
    opened(first_there(world, *(f"/sys/kernel/{name}" for name in names)))


@attempt("sets the clock", CAPABILITIES, "EPERM")
def clock(world: World) -> None:
    # The estimated error is set to what it is.
    state = ctypes.create_string_buffer(208)
    call("adjtimex", state)
    struct.pack_into("=I", state, 0, 8)
    call("adjtimex", state)


@attempt("swaps memory to a file", BOTH, "EPERM", "ENOENT")
def swapon(world: World) -> None:
    call("swapon", b"/tmp/escape-nothing", 0)


@attempt("has the kernel keep accounts of processes", BOTH, "EPERM", "ENOENT", unless="ENOSYS")
def accounting(world: World) -> None:
    call("acct", b"/tmp/escape-nothing")


@attempt("renames the machine", BOTH, "EPERM")
def hostname(world: World) -> None:
    socket.sethostname(socket.gethostname())


@attempt("loads a program into the kernel", BOTH, "EPERM", unless="ENOSYS")
def bpf(world: World) -> None:
    call("bpf", 0, ctypes.create_string_buffer(struct.pack("=4I", 2, 4, 4, 1), 72), 72)


@attempt("watches the processor's counters", SECCOMP, "EPERM", "done ENOENT EOPNOTSUPP", unless="ENOSYS")
def perf_event(world: World) -> None:
    call("perf_event_open", ctypes.create_string_buffer(struct.pack("=IIQ", 1, 128, 0), 128), 0, -1, -1, 0)


@attempt("handles the kernel's page faults", SECCOMP, "EPERM", unless="ENOSYS")
def userfaultfd(world: World) -> None:
    call("userfaultfd", 0)


@attempt(
    "has the kernel work through a ring, past filters of calls", SECCOMP, "EPERM ENOSYS", unless="ENOSYS"
)
def io_uring(world: World) -> None:
    call("io_uring_setup", 1, ctypes.create_string_buffer(120))


@attempt("watches every file", BOTH, "EPERM", unless="ENOSYS")
def fanotify(world: World) -> None:
    call("fanotify_init", 0, 0)


@attempt("puts a key into the kernel's keyring", SECCOMP, "EPERM ENOSYS", unless="ENOSYS")
def add_key(world: World) -> None:
    call("add_key", b"user", b"greenline-escape", b"x", 1, -2)


@attempt("asks for the user's keyring", SECCOMP, "EPERM ENOSYS", unless="ENOSYS")
def user_keyring(world: World) -> None:
    call("keyctl", 0, -4, 1)
