"""A stub of the Kubernetes API server: the paths that the sandbox uses, over HTTP, for the official client.

No cluster can run where these tests do, so this stands in for one: nothing here was compared with a cluster.
It keeps objects with versions, tells changes to watches, refuses what breaks the published schemas, runs the
pods of Jobs (`stub_node`), speaks the websocket of `exec`, and goes wrong on demand (`stub_fault`).
"""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import attrs
import kubernetes_validate
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from stub_fault import Faults
from stub_node import Node
from stub_store import Json, Store
from stub_websocket import Websocket, accept_key

VERSION = "v1.33.1-stub"
TOKEN = "stub-token"
_SCHEMAS = "1.37"
_PATH = re.compile(
    r"/(?:api/v1|apis/(?P<group>[a-z.0-9]+)/v1)/namespaces/(?P<namespace>[\w.-]+)/(?P<plural>[a-z]+)"
    r"(?:/(?P<name>[\w.-]+)(?:/(?P<part>[a-z]+))?)?"
)
_KINDS = {"jobs": "Job", "pods": "Pod", "events": "Event", "networkpolicies": "NetworkPolicy"}
_GROUPS = {"jobs": "batch", "networkpolicies": "networking.k8s.io", "pods": "", "events": ""}
_REASONS = {400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound"}
_REASONS |= {409: "AlreadyExists", 422: "Invalid", 503: "ServiceUnavailable"}


@attrs.frozen
class Certificate:
    """What a stub shows of itself where it speaks TLS."""

    chain: Path
    key: Path

    @classmethod
    def make(cls, folder: Path) -> Certificate:
        """Make one for this machine that vouches for itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stub")])
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
            .sign(key, hashes.SHA256())
        )
        found = cls(folder / "stub.crt", folder / "stub.key")
        found.chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        found.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return found


class StubCluster:
    """A stub that listens; `faults` may be changed at any time."""

    def __init__(self, certificate: Certificate | None = None) -> None:
        self.faults = Faults()
        self.store = Store()
        self.asked: list[str] = []
        """Method and path of every request."""
        self.deletions: list[Json] = []
        """The options of every deletion."""
        cluster = self

        class Bound(_Handler):
            stub = cluster

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        self._server.daemon_threads = True
        host, port = self._server.server_address[:2]
        self.address = f"http://{host!s}:{port}"
        self._authority: dict[str, str] = {}
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.chain, certificate.key)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.address = f"https://{host!s}:{port}"
            self._authority = {"certificate-authority": str(certificate.chain)}
        self.node = Node(self.store, self.faults, (str(host), int(port)))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def write_config(self, path: Path, namespace: str = "team") -> Path:
        """Write a kubeconfig that leads here."""
        path.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "stub",
                    "clusters": [{"name": "stub", "cluster": {"server": self.address, **self._authority}}],
                    "users": [{"name": "somebody", "user": {"token": TOKEN}}],
                    "contexts": [
                        {
                            "name": "stub",
                            "context": {"cluster": "stub", "user": "somebody", "namespace": namespace},
                        }
                    ],
                }
            )
        )
        return path

    def jobs(self, namespace: str = "team") -> list[Json]:
        """Return the Jobs that are there."""
        return self.store.list("jobs", namespace)[0]

    def close(self) -> None:
        """End everything."""
        self._server.shutdown()
        self._server.server_close()
        self.node.close()


@contextmanager
def stub_cluster(certificate: Certificate | None = None) -> Iterator[StubCluster]:
    """Yield a stub that listens, and end it."""
    cluster = StubCluster(certificate)
    try:
        yield cluster
    finally:
        cluster.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    stub: StubCluster

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep standard error quiet."""

    def handle(self) -> None:
        """Serve one connection; that a client leaves is nothing to report."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def do_GET(self) -> None:
        self._serve("get")

    def do_POST(self) -> None:
        self._serve("create")

    def do_PUT(self) -> None:
        self._serve("update")

    def do_DELETE(self) -> None:
        self._serve("delete")

    def _serve(self, verb: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        stub, faults = self.stub, self.stub.faults
        stub.asked.append(f"{self.command} {path}")
        if faults.silent:
            while faults.silent:
                time.sleep(0.05)
            self.close_connection = True
        elif faults.overloaded:
            self._refuse(503, "the server is currently unable to handle the request")
        elif faults.unknown_user or self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._refuse(401, "Unauthorized")
        elif path == "/version/":
            self._answer({"gitVersion": VERSION, "major": "1", "minor": "33"})
        elif path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
            self._review(json.loads(body))
        elif (found := _PATH.fullmatch(path)) is None or found["plural"] not in _KINDS:
            self._refuse(404, "the server could not find the requested resource")
        else:
            self._serve_object(verb, found, json.loads(body or b"{}"))

    def _first(self, name: str, default: str = "") -> str:
        return parse_qs(urlsplit(self.path).query).get(name, [default])[0]

    def _serve_object(self, verb: str, found: re.Match[str], body: Json) -> None:
        namespace, plural, name, part = (found[key] for key in ("namespace", "plural", "name", "part"))
        if verb == "get" and not name:
            verb = "watch" if self._first("watch").lower() in ("true", "1") else "list"
        what = f"{plural}/{part}" if part else plural
        faults = self.stub.faults
        if f"{verb} {what}" in faults.refused | faults.refused_late:
            group = _GROUPS[plural]
            self._refuse(
                403,
                f'{what}{f".{group}" if group else ""} is forbidden: User "somebody" cannot {verb} resource '
                f'"{what}" in API group "{group}" in the namespace "{namespace}"',
            )
        elif faults.missing_namespace and verb == "create":
            self._refuse(404, f'namespaces "{namespace}" not found')
        elif part == "exec":
            self._exec(namespace, name)
        elif part == "log":
            self._log(namespace, name)
        elif verb == "create":
            self._create(namespace, plural, body)
        elif verb == "update":
            self._update(namespace, plural, name, body)
        elif verb == "delete":
            self._delete(namespace, plural, name, body)
        elif verb == "watch":
            self._watch(namespace, plural)
        elif verb == "list":
            self._list(namespace, plural)
        else:
            stored = self.stub.store.get(plural, namespace, name)
            if stored is None:
                self._refuse(404, f'{plural} "{name}" not found')
            else:
                self._answer(stored)

    def _review(self, body: Json) -> None:
        wanted = body["spec"]["resourceAttributes"]
        what = wanted["resource"] + (f"/{wanted['subresource']}" if wanted.get("subresource") else "")
        allowed = f"{wanted['verb']} {what}" not in self.stub.faults.refused
        self._answer({**body, "status": {"allowed": allowed}}, 201)

    def _create(self, namespace: str, plural: str, body: Json) -> None:
        problem = _problem(body, _KINDS[plural], namespace)
        if problem:
            self._refuse(422, problem)
            return
        name = body["metadata"]["name"]
        faults = self.stub.faults
        taken = plural == "jobs" and faults.conflicts > 0
        faults.conflicts -= int(taken)
        body["metadata"].setdefault("namespace", namespace)
        stored = None if taken else self.stub.store.add(plural, body)
        if stored is None:
            self._refuse(409, f'{plural} "{name}" already exists')
            return
        if plural == "jobs":
            self.stub.node.take(stored)
        self._answer(stored, 201)

    def _update(self, namespace: str, plural: str, name: str, body: Json) -> None:
        problem = _problem(body, _KINDS[plural], namespace)
        stored = None if problem else self.stub.store.change(plural, namespace, name, spec=body["spec"])
        if problem:
            self._refuse(422, problem)
        elif stored is None:
            self._refuse(404, f'{plural} "{name}" not found')
        else:
            self._answer(stored)

    def _delete(self, namespace: str, plural: str, name: str, body: Json) -> None:
        stored = self.stub.store.get(plural, namespace, name)
        if stored is None or plural != "jobs":
            self._refuse(404, f'{plural} "{name}" not found')
            return
        self.stub.deletions.append(body)
        foreground = body.get("propagationPolicy") == "Foreground"
        arguments = {"namespace": namespace, "job": name, "foreground": foreground}
        threading.Thread(target=self.stub.node.remove, kwargs=arguments, daemon=True).start()
        self._answer(stored)

    def _list(self, namespace: str, plural: str) -> None:
        items, version = self.stub.store.list(plural, namespace, self._first("labelSelector"))
        fields = [part.partition("=") for part in self._first("fieldSelector").split(",") if part]
        for path, _, value in fields:
            items = [item for item in items if _field(item, path) == value]
        self._answer(
            {"kind": f"{_KINDS[plural]}List", "metadata": {"resourceVersion": version}, "items": items}
        )

    def _watch(self, namespace: str, plural: str) -> None:
        faults = self.stub.faults
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if faults.broken_watches > 0:
            faults.broken_watches -= 1
            self.close_connection = True
            return
        if faults.expired_watches > 0:
            faults.expired_watches -= 1
            gone = {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410}
            self._chunk({"type": "ERROR", "object": {**gone, "message": "too old resource version"}})
            self._chunk(None)
            return
        until = time.monotonic() + float(self._first("timeoutSeconds", "30"))
        since = int(self._first("resourceVersion") or 0)
        selector = self._first("labelSelector")
        for change, stored in self.stub.store.changes(plural, namespace, selector, since, until):
            self._chunk({"type": change, "object": stored})
        self._chunk(None)

    def _chunk(self, event: Json | None) -> None:
        data = b"" if event is None else json.dumps(event).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _log(self, namespace: str, name: str) -> None:
        container = self.stub.node.container(namespace, name, self._first("container"))
        if container is None:
            self._refuse(404, f'pods "{name}" not found')
            return
        data = container.log.read_bytes()[-int(self._first("limitBytes", "4096")) :]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _exec(self, namespace: str, name: str) -> None:
        container = self.stub.node.container(namespace, name, self._first("container"))
        offered = [word.strip() for word in self.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        protocol = next((word for word in self.stub.faults.protocols if word in offered), "")
        key = self.headers.get("Sec-WebSocket-Key", "")
        if container is None:
            self._refuse(404, f'pods "{name}" not found')
            return
        if not key or not protocol:
            self._refuse(400, "Upgrade request required")
            return
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", accept_key(key))
        self.send_header("Sec-WebSocket-Protocol", protocol)
        self.end_headers()
        self.close_connection = True
        argv = parse_qs(urlsplit(self.path).query, keep_blank_values=True)["command"]
        link = Websocket(self.connection, self.rfile)  # type: ignore[arg-type]
        self.stub.node.execute((namespace, name), container, argv, link, protocol)

    def _answer(self, value: Json, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, status: int, message: str) -> None:
        reason = _REASONS[status]
        value = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status}
        self._answer({**value, "reason": reason, "message": message}, status)


def _problem(body: Json, kind: str, namespace: str) -> str:
    """Return why a server would not take an object; empty where it would."""
    if body.get("kind") != kind:
        return f"expected {kind}"
    if body.get("metadata", {}).get("namespace", namespace) != namespace:
        return "the namespace of the provided object does not match the namespace sent on the request"
    try:
        kubernetes_validate.validate(body, _SCHEMAS, strict=True)
    except kubernetes_validate.ValidationError as error:
        return f"{kind} is invalid: {error.message}"
    return ""


def _field(item: Any, path: str) -> str:
    for name in path.split("."):
        item = item.get(name, {}) if isinstance(item, dict) else {}
    return str(item)
