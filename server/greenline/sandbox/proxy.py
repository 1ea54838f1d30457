"""The filtering proxy: the one way out of an install's container, on a Unix socket, to registries alone.

It speaks CONNECT for TLS and plain HTTP, resolves names itself, and passes on nothing that it was not told
to. Invariant: no byte of a client leaves before host, port and address were found to be a registry's.
What happens inside a tunnel behind its first message nobody can see; whom that message asks for is compared.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from greenline.core.registry import Address, Registry, address_of, place_of
from greenline.core.visible import visible
from greenline.sandbox.client_hello import MAX_HELLO_BYTES, NotTls, read_hello
from greenline.sandbox.proxy_head import Head, Refused, parse_head, read_head

SOCKET_NAME = "proxy.sock"
_CLOSE_S = 1.0
"""How long threads are waited for at the end, all together."""
_LOG = logging.getLogger(__name__)
_CHUNK_BYTES = 1 << 16
_MAX_KEPT = 50
_SHOWN = 200

Resolve = Callable[[str, int], Sequence[str]]
"""Host and port → its addresses as text; raises `OSError`."""


@attrs.frozen
class ProxyLimits:
    """What one proxy lets through, over all its connections."""

    head_bytes: int = 16 * 1024
    head_s: float = 10.0
    connect_s: float = 20.0
    idle_s: float = 60.0
    """How long a connection may carry nothing."""
    total_s: float = 3600.0
    """How long one connection may last."""
    n_connections: int = 64
    """How many may be open at once."""
    up_bytes: int = 16 * 1024 * 1024
    """What goes to registries: names of packages, and no more than these need."""
    down_bytes: int = 8 * 1024 * 1024 * 1024


@attrs.frozen
class Refusal:
    """Something that was not let through."""

    target: str
    """`host:port`, or what was written in its place; empty where nothing was."""
    reason: str


def resolve_here(host: str, port: int) -> Sequence[str]:
    """Return the addresses that this machine knows of a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class FilteringProxy:
    """Listens in a folder that a container has mounted; its threads end with `close`."""

    def __init__(
        self,
        folder: Path,
        registries: Sequence[Registry],
        limits: ProxyLimits | None = None,
        resolve: Resolve = resolve_here,
    ) -> None:
        """Begin to listen at `SOCKET_NAME` in `folder`; raises `OSError`."""
        self._registries = {(one.host, one.port): one for one in registries}
        self._limits = limits or ProxyLimits()
        self._resolve = resolve
        self._lock = threading.Lock()
        self._refused: list[Refusal] = []
        self._left = {"up": self._limits.up_bytes, "down": self._limits.down_bytes}
        self._open: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._closed = False
        self._listener = _listen(folder)
        self._acceptor = threading.Thread(target=self._accept, name="sandbox-proxy", daemon=True)
        self._acceptor.start()

    @property
    def refused(self) -> tuple[Refusal, ...]:
        """What was refused until now, each thing once, as far as it is kept."""
        with self._lock:
            return tuple(self._refused)

    def close(self) -> None:
        """Cut off every connection and stop listening; may be called twice."""
        with self._lock:
            self._closed = True
            open_now = [self._listener, *self._open]
            threads = [self._acceptor, *self._threads]
        for one in open_now:
            # A thread that waits at it wakes up.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        # One that looks a name up cannot be woken; it is cut once it comes back.
        until = time.monotonic() + _CLOSE_S
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(client,), name="sandbox-proxied", daemon=True)
            with self._lock:
                is_full = self._closed or len(self._threads) >= self._limits.n_connections
                if not is_full:
                    self._open.add(client)
                    self._threads.add(thread)
            if is_full:
                client.close()
            else:
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):
                self._answer(client)
        finally:
            with self._lock:
                self._open.discard(client)
                self._threads.discard(threading.current_thread())
            client.close()

    def _answer(self, client: socket.socket) -> None:
        try:
            raw, behind = read_head(client, self._limits.head_bytes, self._limits.head_s)
            head = parse_head(raw)
            if head.method == "CONNECT" and behind:
                target = place_of(head.host, head.port)
                raise Refused("400 Bad Request", "bytes before the tunnel was open", target)
            registry = self._registry_of(head)
            with self._connected(registry) as origin:
                if head.method == "CONNECT":
                    self._tunnel(client, origin, registry)
                else:
                    self._forward(client, origin, head)
        except Refused as refused:
            self._note(refused)
            body = f"Greenline's proxy refused {refused.target or 'this'}: {refused.reason}.\n"
            answer = (
                f"HTTP/1.1 {refused.status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
                f"Content-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n{body}"
            )
            client.settimeout(self._limits.head_s)
            client.sendall(answer.encode())
            # What was sent and not read would have the answer thrown away.
            client.shutdown(socket.SHUT_WR)
            _drain(client, self._limits.head_bytes)

    def _registry_of(self, head: Head) -> Registry:
        registry = self._registries.get((head.host, head.port))
        if registry is None:
            what = "a registry" if address_of(head.host) is None else "the address of a registry"
            raise Refused("403 Forbidden", f"it is not {what}", place_of(head.host, head.port))
        return registry

    @contextlib.contextmanager
    def _connected(self, registry: Registry) -> Iterator[socket.socket]:
        origin = self._connect(registry)
        with self._lock:
            self._open.add(origin)
            is_late = self._closed
        try:
            if is_late:
                raise ConnectionAbortedError
            yield origin
        finally:
            with self._lock:
                self._open.discard(origin)
            origin.close()

    def _connect(self, registry: Registry) -> socket.socket:
        """Connect to the address that was looked at: nobody resolves the name once more."""
        try:
            addresses = [a for a in map(address_of, self._resolve(registry.host, registry.port)) if a]
        except OSError:
            addresses = []
        if not addresses:
            raise Refused("502 Bad Gateway", "its name is not known here", registry.place)
        may_be: list[Address] = [address for address in addresses if registry.may_lie_at(address)]
        if not may_be:
            reason = f"it lies at {addresses[0]}, which is no public address"
            raise Refused("403 Forbidden", reason, registry.place)
        for address in may_be:
            with contextlib.suppress(OSError):
                return socket.create_connection((str(address), registry.port), self._limits.connect_s)
        raise Refused("502 Bad Gateway", "it does not answer", registry.place)

    def _tunnel(self, client: socket.socket, origin: socket.socket, registry: Registry) -> None:
        client.settimeout(self._limits.head_s)
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        hello = self._hello(client, registry)
        self._spend("up", len(hello), registry)
        origin.settimeout(self._limits.idle_s)
        origin.sendall(hello)
        self._relay(client, origin, registry)

    def _hello(self, client: socket.socket, registry: Registry) -> bytes:
        """Return the first message of a tunnel, once it is known whom it asks for."""
        data = b""
        ends = time.monotonic() + self._limits.head_s
        try:
            while (hello := read_hello(data)) is None:
                client.settimeout(max(0.01, ends - time.monotonic()))
                chunk = client.recv(_CHUNK_BYTES) if time.monotonic() < ends else b""
                if not chunk or len(data) > MAX_HELLO_BYTES:
                    raise NotTls
                data += chunk
        except (NotTls, TimeoutError):
            self._note(
                Refused("", "what is in the tunnel is not TLS, or hides whom it asks for", registry.place)
            )
            raise ConnectionAbortedError from None
        wanted = "" if address_of(registry.host) else registry.host
        if hello.server_name != wanted:
            asked = visible(hello.server_name or "nobody")[:_SHOWN]
            self._note(Refused("", f"the tunnel asks for {asked}", registry.place))
            raise ConnectionAbortedError
        return data

    def _forward(self, client: socket.socket, origin: socket.socket, head: Head) -> None:
        """Hand on one request and its answer; what the client sends behind it reaches nobody."""
        registry = self._registries[head.host, head.port]
        request = head.for_origin()
        self._spend("up", len(request), registry)
        origin.settimeout(self._limits.idle_s)
        client.settimeout(self._limits.idle_s)
        origin.sendall(request)
        ends = time.monotonic() + self._limits.total_s
        while time.monotonic() < ends and (chunk := origin.recv(_CHUNK_BYTES)):
            self._spend("down", len(chunk), registry)
            client.sendall(chunk)

    def _relay(self, client: socket.socket, origin: socket.socket, registry: Registry) -> None:
        """Carry bytes both ways until both sides have ended, or nothing moved for too long."""
        ends = time.monotonic() + self._limits.total_s
        ways = {client.fileno(): (client, origin, "up"), origin.fileno(): (origin, client, "down")}
        poller = select.poll()
        for descriptor in ways:
            poller.register(descriptor, select.POLLIN)
        for side in (client, origin):
            side.settimeout(self._limits.idle_s)
        while ways and time.monotonic() < ends:
            ready = poller.poll(self._limits.idle_s * 1000)
            if not ready:
                return
            for descriptor, _ in ready:
                source, sink, way = ways[descriptor]
                chunk = source.recv(_CHUNK_BYTES)
                if chunk:
                    self._spend(way, len(chunk), registry)
                    sink.sendall(chunk)
                else:
                    poller.unregister(descriptor)
                    del ways[descriptor]
                    with contextlib.suppress(OSError):
                        sink.shutdown(socket.SHUT_WR)

    def _spend(self, way: str, n_bytes: int, registry: Registry) -> None:
        """Count what is to be carried; cuts the connection where it is more than may be."""
        with self._lock:
            self._left[way] -= n_bytes
            is_over = self._left[way] < 0
        if is_over:
            words = (
                "more is sent to registries than an install needs" if way == "up" else "too much was fetched"
            )
            self._note(Refused("", words, registry.place))
            raise ConnectionAbortedError

    def _note(self, refused: Refused) -> None:
        refusal = Refusal(visible(refused.target)[:_SHOWN], refused.reason)
        with self._lock:
            if refusal in self._refused or len(self._refused) >= _MAX_KEPT:
                return
            self._refused.append(refusal)
        _LOG.warning("An install asked for %s, refused: %s.", refusal.target or "nothing", refusal.reason)


def _listen(folder: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    # A socket's path holds 107 bytes, and a state folder's may be longer.
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{descriptor}/{SOCKET_NAME}")
        # A container's user is another one; the folders above are the caller's alone.
        (folder / SOCKET_NAME).chmod(0o666)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    finally:
        os.close(descriptor)
    return listener


def _drain(client: socket.socket, n_bytes: int) -> None:
    client.settimeout(0.5)
    with contextlib.suppress(OSError):
        while n_bytes > 0 and (chunk := client.recv(_CHUNK_BYTES)):
            n_bytes -= len(chunk)
