"""Attempts to reach something else than a registry from the container of an install.

Run as `python egress_attempt.py WORLD` it makes them all and prints a JSON object, attempt → outcome.
"""

import contextlib
import errno
import json
import socket
import ssl
import sys
import time
from pathlib import Path
from typing import NamedTuple

PROXY = ("127.0.0.1", 3128)
SOCKETS = "/run/greenline-proxy"


class Attempt(NamedTuple):
    """One attempt, and all that may be told of it."""

    name: str
    what: str
    stopped_by: str
    told: "tuple[str, ...]"


LIST = "the list of registries"
FORM = "a strict reading of what is asked"
HELLO = "a look at whom the tunnel's first message asks for"
NETWORK = "a network namespace without network"
LOOK = "a look at the address"
ATTEMPTS = (
    Attempt("registry", "fetches from a registry", "nothing: it may", ("200",)),
    Attempt("tunnel", "opens TLS to a registry", "nothing: it may", ("carried",)),
    Attempt("direct", "connects to the registry without the proxy", NETWORK, ("ECONNREFUSED",)),
    Attempt("outside", "connects to an address outside", NETWORK, ("ENETUNREACH",)),
    Attempt("dns", "asks for an address of a name", NETWORK, ("EAI_AGAIN", "EAI_NONAME", "EAI_FAIL")),
    Attempt("other-host", "opens a tunnel to another host", LIST, ("403",)),
    Attempt("other-port", "opens a tunnel to another port of a registry", LIST, ("403",)),
    Attempt("longer-name", "asks for a name that begins as a registry's", LIST, ("403",)),
    Attempt("address", "asks for an address instead of a name", LIST, ("403",)),
    Attempt("number", "asks for an address that is written as a number", LIST, ("403",)),
    Attempt("loopback", "asks for the machine's loopback", LIST, ("403",)),
    Attempt("loopback6", "asks for the machine's IPv6 loopback", LIST, ("403",)),
    Attempt("metadata", "asks for a cloud's metadata", LIST, ("403",)),
    Attempt("inside", "asks for a registry whose name leads into a private network", LOOK, ("403",)),
    Attempt("rebound", "asks again once the name leads to metadata", LOOK, ("403",)),
    Attempt("redirect", "follows a registry's redirect to another host", LIST, ("403",)),
    Attempt("host-field", "names another host in a field of the head", "a head written anew", ("rewritten",)),
    Attempt("credentials", "sends a password to a registry", "a head written anew", ("rewritten",)),
    Attempt("user", "writes a registry's name before an `@`", FORM, ("400",)),
    Attempt("socket", "asks for a Unix socket of the machine", FORM, ("400",)),
    Attempt("scheme", "asks for a file of the machine", FORM, ("400",)),
    Attempt("upload", "sends a registry something", FORM, ("405",)),
    Attempt("body", "hides a request in another one's body", FORM, ("400",)),
    Attempt("lines", "hides a field behind half a line end", FORM, ("400",)),
    Attempt("early", "sends bytes before a tunnel is open", FORM, ("400",)),
    Attempt("second", "sends a second request behind the first", "one request a connection", ("one",)),
    Attempt("fronting", "asks for another host inside a tunnel to a registry", HELLO, ("cut",)),
    Attempt("plain-tunnel", "speaks something else than TLS in a tunnel", HELLO, ("cut",)),
    Attempt("long-head", "sends a head without end", "a limit on heads", ("431", "ECONNRESET", "EPIPE")),
    Attempt("slow-head", "sends a head by and by", "a limit on time", ("408",)),
    Attempt("many", "opens connections without end", "a limit on connections", ("cut",)),
    Attempt("flood", "sends more than an install needs", "a limit on bytes", ("cut",)),
    Attempt("replace", "puts its own socket in the proxy's place", "a read-only mount", ("EACCES", "EROFS")),
    Attempt("list", "looks for other sockets beside the proxy's", "the folder's mode", ("EACCES",)),
)  # fmt: skip


def table() -> str:
    """Return the attempts as they stand in the documentation."""
    rows = ["| attempt | what it tries | what stopped it | told as |", "| --- | --- | --- | --- |"]
    rows += [f"| {a.name} | {a.what} | {a.stopped_by} | {', '.join(a.told)} |" for a in ATTEMPTS]
    return "\n".join(rows) + "\n"


class Tries:
    """The attempts; each method returns what came of it."""

    def __init__(self, world: "dict") -> None:
        self.port = world["port"]

    def registry(self) -> str:
        return _status(self._ask(f"GET http://packages.test:{self.port}/file HTTP/1.1\r\n\r\n"))

    def tunnel(self) -> str:
        return "carried" if self._tunnel(_hello("packages.test")) else "cut"

    def direct(self) -> str:
        return _connects((socket.AF_INET, ("127.0.0.1", self.port)))

    def outside(self) -> str:
        return _connects((socket.AF_INET, ("203.0.113.7", 443)))

    def dns(self) -> str:
        socket.getaddrinfo("packages.test", 443)
        return "found"

    def other_host(self) -> str:
        return self._connect("other.test:443")

    def other_port(self) -> str:
        return self._connect("packages.test:22")

    def longer_name(self) -> str:
        return self._connect(f"packages.test.evil.test:{self.port}")

    def address(self) -> str:
        return self._connect("203.0.113.7:443")

    def number(self) -> str:
        return self._connect(f"2130706433:{self.port}")

    def loopback(self) -> str:
        return self._connect(f"127.0.0.1:{self.port}")

    def loopback6(self) -> str:
        return self._connect(f"[::1]:{self.port}")

    def metadata(self) -> str:
        return _status(self._ask("GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\n\r\n"))

    def inside(self) -> str:
        return self._connect(f"inside.test:{self.port}")

    def rebound(self) -> str:
        self._connect(f"rebound.test:{self.port}")
        return self._connect(f"rebound.test:{self.port}")

    def redirect(self) -> str:
        answer = self._ask(f"GET http://packages.test:{self.port}/redirect HTTP/1.1\r\n\r\n").decode()
        place = answer.split("Location: ")[1].split("\r\n")[0]
        return _status(self._ask(f"GET {place} HTTP/1.1\r\n\r\n"))

    def host_field(self) -> str:
        return self._echo("Host: other.test\r\n", "other.test")

    def credentials(self) -> str:
        return self._echo("Authorization: Basic c2VjcmV0\r\n", "c2VjcmV0")

    def user(self) -> str:
        return _status(self._ask("GET http://packages.test@evil.test/ HTTP/1.1\r\n\r\n"))

    def socket(self) -> str:
        return self._connect("unix:/var/run/docker.sock")

    def scheme(self) -> str:
        return _status(self._ask("GET file:///etc/shadow HTTP/1.1\r\n\r\n"))

    def upload(self) -> str:
        head = f"POST http://packages.test:{self.port}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        return _status(self._ask(head.replace("Content-Length: 3", "Content-Length: 0").replace("abc", "")))

    def body(self) -> str:
        inner = "GET http://other.test/ HTTP/1.1\r\n\r\n"
        head = f"GET http://packages.test:{self.port}/ HTTP/1.1\r\nContent-Length: {len(inner)}\r\n\r\n"
        return _status(self._ask(head + inner))

    def lines(self) -> str:
        return _status(self._ask(f"GET http://packages.test:{self.port}/ HTTP/1.1\nHost: other.test\r\n\r\n"))

    def early(self) -> str:
        return _status(self._ask(f"CONNECT packages.test:{self.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"))

    def second(self) -> str:
        one = f"GET http://packages.test:{self.port}/file HTTP/1.1\r\n\r\n"
        return "one" if self._ask(one + one).count(b"HTTP/1.1 ") == 1 else "more"

    def fronting(self) -> str:
        return "carried" if self._tunnel(_hello("other.test")) else "cut"

    def plain_tunnel(self) -> str:
        return "carried" if self._tunnel(b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n") else "cut"

    def long_head(self) -> str:
        return _status(self._ask("GET http://packages.test/ HTTP/1.1\r\n" + "A: b\r\n" * 20000))

    def slow_head(self) -> str:
        with socket.create_connection(PROXY) as client:
            client.settimeout(0.2)
            for _ in range(200):
                client.sendall(b"A")
                try:
                    return _status(client.recv(100))
                except TimeoutError:
                    continue
        return "waited for"

    def many(self) -> str:
        clients = [socket.create_connection(PROXY) for _ in range(40)]
        try:
            clients[-1].settimeout(2)
            return "cut" if clients[-1].recv(1) == b"" else "served"
        finally:
            for client in clients:
                client.close()
            # They have to be gone for others to have a turn.
            time.sleep(1)

    def flood(self) -> str:
        path = "x" * 8000
        for _ in range(300):
            if not self._ask(f"GET http://packages.test:{self.port}/{path} HTTP/1.1\r\n\r\n"):
                return "cut"
        return "carried"

    def replace(self) -> str:
        Path(SOCKETS, "proxy.sock").rename(f"{SOCKETS}/other.sock")
        return "replaced"

    def list(self) -> str:
        return ", ".join(path.name for path in Path(SOCKETS).iterdir())

    def _connect(self, place: str) -> str:
        return _status(self._ask(f"CONNECT {place} HTTP/1.1\r\n\r\n"))

    def _echo(self, field: str, word: str) -> str:
        answer = self._ask(f"GET http://packages.test:{self.port}/echo HTTP/1.1\r\n{field}\r\n")
        return "rewritten" if b"Accept" in answer or word.encode() not in answer else "passed on"

    def _tunnel(self, data: bytes) -> bytes:
        with socket.create_connection(PROXY, 10) as client:
            client.sendall(f"CONNECT packages.test:{self.port} HTTP/1.1\r\n\r\n".encode())
            if not client.recv(4096).startswith(b"HTTP/1.1 200"):
                return b""
            client.sendall(data)
            return client.recv(4096)

    def _ask(self, text: str) -> bytes:
        answer = b""
        with socket.create_connection(PROXY, 10) as client:
            client.sendall(text.encode())
            while chunk := client.recv(65536):
                answer += chunk
        return answer


def _hello(name: str) -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(incoming, outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def _connects(where: tuple) -> str:
    with socket.socket(where[0]) as client:
        client.settimeout(5)
        client.connect(where[1])
    return "connected"


def _status(answer: bytes) -> str:
    return answer.split(b" ")[1].decode() if answer.startswith(b"HTTP/1.1 ") else "cut"


def _outcome(act) -> str:  # type: ignore[no-untyped-def]
    try:
        return str(act())
    except socket.gaierror as error:
        names = {getattr(socket, name): name for name in dir(socket) if name.startswith("EAI_")}
        return names.get(error.errno or 0, str(error))
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)


def main() -> None:
    """Make every attempt."""
    tries = Tries(json.loads(sys.argv[1]))
    found = {a.name: _outcome(getattr(tries, a.name.replace("-", "_"))) for a in ATTEMPTS}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
