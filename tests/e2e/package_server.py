"""A registry on the machine's loopback: an index of Python packages, and one of Node's."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from attrs import define, field

VERSION = "1.0"


def wheel(name: str, text: str, version: str = VERSION) -> bytes:
    """Return a wheel of one module."""
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": text,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return buffer.getvalue()


def module(name: str, text: str) -> bytes:
    """Return a package of Node's with one module, which wants to run a program when it is installed."""
    about = {"name": name, "version": f"{VERSION}.0", "main": "index.js"}
    about["scripts"] = {"postinstall": "touch /opt/greenline/packages/node/node_modules/was-run"}  # type: ignore[assignment]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, content in {"index.js": text, "package.json": json.dumps(about)}.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content.encode()))
    return buffer.getvalue()


def go_module(name: str, text: str, version: str) -> tuple[dict[str, bytes], str]:
    """Return what a proxy of Go's serves of a module of one file, by path, and the lines of `go.sum`."""
    about = f"module {name}\n\ngo 1.18\n".encode()
    files = {f"{name}@{version}/go.mod": about, f"{name}@{version}/own.go": text.encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    served = {
        f"/{name}/@v/{version}.info": json.dumps({"Version": version}).encode(),
        f"/{name}/@v/{version}.mod": about,
        f"/{name}/@v/{version}.zip": buffer.getvalue(),
    }
    sums = f"{name} {version} {_go_hash(files)}\n{name} {version}/go.mod {_go_hash({'go.mod': about})}\n"
    return served, sums


def _go_hash(files: dict[str, bytes]) -> str:
    lines = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    return f"h1:{base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()}"


def sha256(data: bytes) -> str:
    """Return a hash as files of requirements write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def integrity(data: bytes) -> str:
    """Return a hash as Node's lock files write it."""
    return f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"


@define
class Registry:
    """What is served, and what was asked for."""

    port: int = 0
    files: dict[str, bytes] = field(factory=dict)
    """Path → content."""
    redirects: dict[str, str] = field(factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(factory=list)
    """Path and fields of each request."""

    @property
    def place(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """The same as an address."""
        return f"http://{self.place}"

    def add_wheel(self, name: str, data: bytes, version: str = VERSION) -> None:
        """Offer a Python package."""
        file = f"{name}-{version}-py3-none-any.whl"
        self.files[f"/files/{file}"] = data
        self.files[f"/simple/{name}/"] = f'<html><a href="/files/{file}">{file}</a></html>'.encode()

    def add_module(self, name: str, data: bytes) -> None:
        """Offer a package of Node's."""
        self.files[f"/{name}/-/{name}-{VERSION}.0.tgz"] = data


@contextmanager
def serve() -> Iterator[Registry]:
    """Serve on a port of loopback until the end."""
    registry = Registry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            registry.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            target = registry.redirects.get(path)
            content = registry.files.get(path, b"")
            self.send_response(302 if target else 200 if path in registry.files else 404)
            if target:
                self.send_header("Location", target)
            is_page = path.startswith("/simple/")
            self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
