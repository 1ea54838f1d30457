"""Attempts to reach files, sockets and addresses of the machine outside."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path

from escape_attempt import Absent, Broken, World, attempt, call
from escape_kernel import BOTH, CAPABILITIES, SECCOMP

NETWORK = "a network namespace without network"
NOT_MOUNTED = "it is not mounted"
LINKS = ("link-absolute", "link-relative", "link-folder/secret.txt")
"""Links of the tree that lead to the secret."""


@attempt("follows links of the project to a file outside", NOT_MOUNTED, "ENOENT")
def project_links(world: World) -> None:
    for name in LINKS:
        link = Path(world.root) / name.split("/")[0]
        if not link.is_symlink():
            raise Broken(f"{link} is no link")
    errors = []
    for name in LINKS:
        try:
            if world.secret in (Path(world.root) / name).read_text():
                return
        except OSError as error:
            errors.append(error)
    raise errors[0]


@attempt("reads a file beside the project", NOT_MOUNTED, "ENOENT")
def file_beside(world: World) -> None:
    Path(world.secret_path).read_text()


@attempt("reads the machine's passwords", "an `/etc` of its own", "ENOENT")
def shadow(world: World) -> None:
    Path("/etc/shadow").read_text()


@attempt("reads the user's home folder", NOT_MOUNTED, "ENOENT absent")
def home(world: World) -> None:
    if not list(Path(world.home).iterdir()):
        raise Absent


@attempt("asks the container engine", NOT_MOUNTED, "ENOENT", unless="absent")
def engine(world: World) -> None:
    if world.control and not world.engine_socket:
        raise Absent
    for path in filter(None, (world.engine_socket, "/run/docker.sock", "/var/run/docker.sock")):
        with contextlib.suppress(FileNotFoundError), socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            return
    raise FileNotFoundError(2, "no engine's socket")


@attempt("reaches a socket file in the project's folder", "the tree is a copy", "ENOENT")
def unix_socket(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(world.unix_socket)


@attempt("reaches a socket without a file", NETWORK, "ECONNREFUSED")
def abstract_socket(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"\0{world.abstract_socket}")


@attempt("reaches a server on the machine's loopback", NETWORK, "ECONNREFUSED")
def loopback(world: World) -> None:
    _own_loopback(socket.AF_INET, "127.0.0.1")
    with socket.create_connection(("127.0.0.1", world.port), 5):
        pass


@attempt(
    "reaches a server on the machine's IPv6 loopback",
    NETWORK,
    "ECONNREFUSED EADDRNOTAVAIL",
    unless="absent EADDRNOTAVAIL",
)
def loopback6(world: World) -> None:
    if world.control and not world.port6:
        raise Absent
    with socket.create_connection(("::1", world.port6 or 9), 5):
        pass


def _own_loopback(family: int, address: str) -> None:
    """See that a server of one's own can be reached in this way."""
    with socket.socket(family) as server:
        server.bind((address, 0))
        server.listen()
        with socket.create_connection(server.getsockname()[:2], 5):
            pass


def _route(family: int, address: str) -> None:
    """Ask for the way to an address; no packet is sent."""
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.connect((address, 53))


@attempt("finds a way to an address outside", NETWORK, "ENETUNREACH", unless="ENETUNREACH")
def ipv4(world: World) -> None:
    _route(socket.AF_INET, "192.0.2.1")


@attempt(
    "finds a way to an IPv6 address outside",
    NETWORK,
    "ENETUNREACH EADDRNOTAVAIL EAFNOSUPPORT",
    unless="ENETUNREACH EADDRNOTAVAIL EAFNOSUPPORT",
)
def ipv6(world: World) -> None:
    _route(socket.AF_INET6, "2001:db8::1")


@attempt("finds a way to a cloud's metadata", NETWORK, "ENETUNREACH", unless="ENETUNREACH")
def metadata(world: World) -> None:
    _route(socket.AF_INET, "169.254.169.254")


@attempt("finds a way to a name server", NETWORK, "ENETUNREACH absent", unless="ENETUNREACH absent")
def dns(world: World) -> None:
    words = [line.split() for line in Path("/etc/resolv.conf").read_text().splitlines()]
    servers = [line[1] for line in words if line[:1] == ["nameserver"]]
    if not servers:
        raise Absent
    for server in servers:
        _route(socket.AF_INET6 if ":" in server else socket.AF_INET, server)


@attempt("finds network interfaces", NETWORK, "absent", unless="absent")
def interfaces(world: World) -> None:
    if {name for _, name in socket.if_nameindex()} <= {"lo"}:
        raise Absent


@attempt("writes its own IP packets", CAPABILITIES, "EPERM")
def raw_socket(world: World) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


@attempt("reads and writes frames", BOTH, "EPERM", unless="EAFNOSUPPORT")
def packet_socket(world: World) -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


@attempt(
    "talks to the hypervisor, past network namespaces", SECCOMP, "EPERM EAFNOSUPPORT", unless="EAFNOSUPPORT"
)
def vsock(world: World) -> None:
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()


@attempt("uses the kernel's own ciphers", SECCOMP, "EPERM EAFNOSUPPORT", unless="EAFNOSUPPORT")
def alg_socket(world: World) -> None:
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()


@attempt("attaches memory that a process outside shares", "an IPC namespace", "ENOENT")
def shared_memory(world: World) -> None:
    call("shmget", world.shared_memory, 0, 0)


@attempt("finds a place of the machine to write to", "read-only mounts", "absent", "done")
def writable_places(world: World) -> None:
    in_memory = {"tmpfs", "proc", "sysfs", "devpts", "mqueue", "cgroup", "cgroup2", "devtmpfs"}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split()[0]
        if kind not in in_memory and "rw" in fields[5].split(",") and os.access(fields[4], os.R_OK):
            return
    raise Absent
