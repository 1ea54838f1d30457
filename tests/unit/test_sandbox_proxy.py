"""The filtering proxy: what it lets through to a registry, and everything that it does not."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from attrs import frozen

from greenline.core.registry import Registry, address_of, is_public
from greenline.sandbox.client_hello import NotTls, read_hello
from greenline.sandbox.proxy import SOCKET_NAME, FilteringProxy, ProxyLimits

BODY = b"a package"
NAMES = {
    "packages.test": ["127.0.0.1"],
    "public.test": ["203.0.113.7"],
    "inside.test": ["10.1.2.3"],
    "metadata.test": ["169.254.169.254"],
    "mapped.test": ["::ffff:127.0.0.1"],
}


class Origin:
    """A server on loopback that keeps what it is sent, and answers each connection with `BODY`."""

    def __init__(self, stack: ExitStack) -> None:
        self.received: list[bytes] = []
        self._listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port = int(self._listener.getsockname()[1])
        stack.callback(self._listener.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                self.received.append(client.recv(65536))
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n" + BODY)


@frozen
class Ground:
    """A proxy that lets a few names through, and the server behind one of them."""

    origin: Origin
    proxy: FilteringProxy
    path: Path

    def say(self, *pieces: bytes) -> bytes:
        """Send pieces one after the other and return all that is answered."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            client.connect(str(self.path))
            answer = b""
            for piece in pieces:
                client.sendall(piece.replace(b"PORT", str(self.origin.port).encode()))
                time.sleep(0.05 if len(pieces) > 1 else 0)
                if answer == b"" and piece.startswith(b"CONNECT") and len(pieces) > 1:
                    answer = client.recv(65536)
            try:
                while chunk := client.recv(65536):
                    answer += chunk
            except OSError:
                pass
            return answer


MakeGround = Callable[[ProxyLimits], Ground]


@pytest.fixture
def make_ground(tmp_path: Path) -> Iterator[MakeGround]:
    with ExitStack() as stack:

        def make(limits: ProxyLimits) -> Ground:
            origin = Origin(stack)
            registries = [Registry.of(f"packages.test:{origin.port}=127.0.0.1")]
            registries += [Registry.of(f"{name}:{origin.port}") for name in NAMES if name != "packages.test"]
            registries.append(Registry.of("gone.test:443"))
            # Longer than a socket's path may be.
            folder = tmp_path / ("x" * 120)
            folder.mkdir(exist_ok=True)
            proxy = FilteringProxy(folder, registries, limits, _resolve)
            stack.callback(proxy.close)
            link = tmp_path / "s"
            link.symlink_to(folder)
            return Ground(origin, proxy, link / SOCKET_NAME)

        yield make


@pytest.fixture
def ground(make_ground: MakeGround) -> Ground:
    return make_ground(ProxyLimits(head_s=1.0, connect_s=0.3, idle_s=2.0))


def _resolve(host: str, port: int) -> Sequence[str]:
    if host not in NAMES:
        raise OSError(host)
    return NAMES[host]


def _hello(name: str | None) -> bytes:
    """Return the first message of a TLS client."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


CONNECT = b"CONNECT packages.test:PORT HTTP/1.1\r\nHost: packages.test:PORT\r\n\r\n"


def test_a_plain_request_reaches_the_registry_with_nothing_but_what_it_needs(ground: Ground) -> None:
    answer = ground.say(
        b"GET http://packages.test:PORT/simple/x?y=1 HTTP/1.1\r\nHost: other.test\r\nAccept: text/html\r\n"
        b"Authorization: Basic c2VjcmV0\r\nCookie: a=b\r\nProxy-Authorization: x\r\n"
        b"Connection: keep-alive\r\n\r\n"
    )

    assert answer.endswith(BODY)
    assert ground.origin.received == [
        f"GET /simple/x?y=1 HTTP/1.1\r\nHost: packages.test:{ground.origin.port}\r\nConnection: close\r\n"
        "Accept: text/html\r\n\r\n".encode()
    ]
    assert ground.proxy.refused == ()


def test_a_tunnel_that_asks_for_the_registry_is_carried(ground: Ground) -> None:
    hello = _hello("packages.test")

    answer = ground.say(CONNECT, hello[:3], hello[3:100], hello[100:])

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(BODY)
    assert ground.origin.received == [hello]


def test_one_request_a_connection_is_handed_on(ground: Ground) -> None:
    head = b"GET http://packages.test:PORT/a HTTP/1.1\r\n\r\n"

    ground.say(head + head.replace(b"/a", b"/b"))

    (received,) = ground.origin.received
    assert b"/b" not in received


REFUSED = {
    "another name": (b"CONNECT other.test:443 HTTP/1.1\r\n\r\n", b"403", "other.test:443"),
    "another port": (b"CONNECT packages.test:22 HTTP/1.1\r\n\r\n", b"403", "packages.test:22"),
    "a longer name": (b"CONNECT packages.test.evil.test:PORT HTTP/1.1\r\n\r\n", b"403", "evil.test"),
    "a name with a dot behind": (b"CONNECT packages.test.:PORT HTTP/1.1\r\n\r\n", b"403", "packages.test."),
    "an address": (b"CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n", b"403", "127.0.0.1"),
    "an address as a number": (b"CONNECT 2130706433:PORT HTTP/1.1\r\n\r\n", b"403", "2130706433"),
    "a short address": (b"CONNECT 127.1:PORT HTTP/1.1\r\n\r\n", b"403", "127.1"),
    "an IPv6 address": (b"CONNECT [::1]:PORT HTTP/1.1\r\n\r\n", b"403", "[::1]"),
    "metadata": (b"GET http://169.254.169.254/latest/ HTTP/1.1\r\n\r\n", b"403", "169.254.169.254:80"),
    "a registry inside": (b"CONNECT inside.test:PORT HTTP/1.1\r\n\r\n", b"403", "10.1.2.3"),
    "a registry at metadata": (b"CONNECT metadata.test:PORT HTTP/1.1\r\n\r\n", b"403", "169.254.169.254"),
    "a registry at loopback": (b"CONNECT mapped.test:PORT HTTP/1.1\r\n\r\n", b"403", "::ffff:"),
    "a name that nobody knows": (b"CONNECT gone.test:443 HTTP/1.1\r\n\r\n", b"502", "not known"),
    "no port": (b"CONNECT packages.test HTTP/1.1\r\n\r\n", b"400", "malformed address"),
    "a socket": (b"CONNECT unix:/run/docker.sock HTTP/1.1\r\n\r\n", b"400", "malformed address"),
    "a user before the host": (b"GET http://packages.test@evil.test/ HTTP/1.1\r\n\r\n", b"400", "malformed"),
    "a backslash": (b"GET http://evil.test\\@packages.test:PORT/ HTTP/1.1\r\n\r\n", b"400", "malformed"),
    "a path alone": (b"GET / HTTP/1.1\r\nHost: packages.test\r\n\r\n", b"400", "none of http"),
    "https without a tunnel": (b"GET https://packages.test/ HTTP/1.1\r\n\r\n", b"400", "none of http"),
    "ftp": (b"GET ftp://packages.test/ HTTP/1.1\r\n\r\n", b"400", "none of http"),
    "an upload": (
        b"POST http://packages.test:PORT/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        b"405",
        "the method POST",
    ),
    "a body": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        b"400",
        "with a body",
    ),
    "a tunnel with a body": (
        b"CONNECT packages.test:PORT HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"400",
        "with a body",
    ),
    "two lengths": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        b"400",
        "there twice",
    ),
    "two hosts": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"400",
        "there twice",
    ),
    "another protocol": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
        b"400",
        "with a body",
    ),
    "bytes before the tunnel": (CONNECT + b"GET / HTTP/1.1\r\n\r\n", b"400", "before the tunnel"),
    "a folded field": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        b"400",
        "malformed head",
    ),
    "a blank before the colon": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nContent-Length : 3\r\n\r\n",
        b"400",
        "malformed head",
    ),
    "a bare line end": (b"GET http://packages.test:PORT/ HTTP/1.1\nA: b\r\n\r\n", b"400", "malformed"),
    "a bare return": (
        b"GET http://packages.test:PORT/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
        b"400",
        "malformed head",
    ),
    "a zero": (b"GET http://packages.test:PORT/\0 HTTP/1.1\r\n\r\n", b"400", "malformed"),
    "two blanks": (b"CONNECT  packages.test:PORT HTTP/1.1\r\n\r\n", b"400", "malformed"),
    "no protocol": (b"GET http://packages.test:PORT/\r\n\r\n", b"400", "malformed"),
    "another version": (b"CONNECT packages.test:PORT HTTP/2.0\r\n\r\n", b"400", "malformed"),
    "a head that is too long": (
        b"CONNECT packages.test:PORT HTTP/1.1\r\nA: " + b"x" * 20000,
        b"431",
        "too long",
    ),
    "a head that does not end": (b"CONNECT packages.test:PORT HTTP/1.1\r\n", b"408", "not sent in time"),
    "a hundred fields and more": (
        b"CONNECT packages.test:PORT HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n",
        b"400",
        "malformed head",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_request_to_a_registry_is_refused(name: str, ground: Ground) -> None:
    request, status, words = REFUSED[name]

    answer = ground.say(request)

    assert answer.startswith(b"HTTP/1.1 " + status)
    assert ground.origin.received == []
    (refusal,) = ground.proxy.refused
    assert words in f"{refusal.target}: {refusal.reason}"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (lambda: _hello("other.test"), "the tunnel asks for other.test"),
        (lambda: _hello(None), "the tunnel asks for nobody"),
        (lambda: b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", "not TLS"),
        (lambda: b"SSH-2.0-x\r\n", "not TLS"),
        (lambda: _hello("packages.test")[:60], "not TLS"),
        (lambda: b"\x16\x03\x01\x00\x00" * 9, "not TLS"),
    ],
)
def test_a_tunnel_to_anything_else_carries_nothing(
    sent: Callable[[], bytes], words: str, ground: Ground
) -> None:
    answer = ground.say(CONNECT, sent())

    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"
    assert b"".join(ground.origin.received) == b""
    (refusal,) = ground.proxy.refused
    assert words in refusal.reason


def test_a_head_in_drops_is_cut_off_as_a_whole(ground: Ground) -> None:
    began = time.monotonic()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(ground.path))
        client.settimeout(0.2)
        answer = b""
        while not answer and time.monotonic() - began < 20:
            client.sendall(b"A")
            try:
                answer = client.recv(100)
            except TimeoutError:
                continue

    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("limits", "words"), [({"up_bytes": 10}, "more is sent"), ({"down_bytes": 10}, "too much")]
)
def test_what_is_carried_is_bounded(limits: dict[str, int], words: str, make_ground: MakeGround) -> None:
    ground = make_ground(ProxyLimits(**limits))

    answer = ground.say(b"GET http://packages.test:PORT/ HTTP/1.1\r\n\r\n")

    assert not answer.endswith(BODY)
    assert words in ground.proxy.refused[0].reason


def test_connections_are_bounded_and_end_with_the_proxy(make_ground: MakeGround) -> None:
    ground = make_ground(ProxyLimits(n_connections=2))
    with ExitStack() as stack:
        clients = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(3)]
        for client in clients:
            client.settimeout(5)
            client.connect(str(ground.path))
            time.sleep(0.1)

        assert clients[2].recv(10) == b""
        began = time.monotonic()
        ground.proxy.close()

        assert time.monotonic() - began < 5
        # What one that is cut off reads is an answer or the end.
        assert clients[0].recv(10) in (b"", b"HTTP/1.1 4")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("packages.test", "packages.test", 443),
        (" Packages.Test:8443 ", "packages.test", 8443),
        ("[::1]:3141", "::1", 3141),
        ("10.0.0.7:80", "10.0.0.7", 80),
        ("mirror.corp=10.0.0.0/8", "mirror.corp", 443),
        ("localhost:3141", "localhost", 3141),
    ],
)
def test_a_registry_is_read(text: str, host: str, port: int) -> None:
    registry = Registry.of(text)

    assert (registry.host, registry.port) == (host, port)
    assert bool(registry.networks) == (host != "packages.test")


@pytest.mark.parametrize(
    "text",
    [
        *("", "a b", "http://packages.test", "packages.test:0", "packages.test:70000", "127.1", "0x7f000001"),
        *(
            "*.test",
            "packages.test/simple",
            "packages.test=here",
            "packages.test:x",
            "-a.test",
            "a..b",
            "u@h",
        ),
    ],
)
def test_what_is_no_registry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Registry.of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("168.63.129.16", "192.0.0.192", "fec0::1"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "::", "::1", "fe80::1"),
        *("fc00::1", "fd00:ec2::254", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "ff02::1"),
        "::7f00:1",
    ],
)
def test_no_address_of_somebodys_own_network_is_public(text: str) -> None:
    address = address_of(text)

    assert address is not None
    assert not is_public(address)


def test_public_addresses_are_public() -> None:
    addresses = [address_of(text) for text in ("8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808")]

    assert all(address is not None and is_public(address) for address in addresses)


def test_a_hidden_name_is_no_name() -> None:
    hello = bytearray(_hello("packages.test"))
    # The extension of the name becomes the one that encrypts it.
    at = bytes(hello).index(b"\x00\x00\x00\x12\x00\x10\x00\x00\x0d")
    hello[at : at + 2] = b"\xfe\x0d"

    with pytest.raises(NotTls):
        read_hello(bytes(hello))
    assert read_hello(bytes(hello[:40])) is None
