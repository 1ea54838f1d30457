"""The real engine behind a door that knows no image and takes none: an image that is absent, and no network.

Everything else is passed on as it is, and every path that was asked for is kept.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer


@contextmanager
def engine_without_images(engine: Path, door: Path) -> Iterator[list[str]]:
    """Serve at the socket `door` what answers at `engine`, without images; yield the paths asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def address_string(self) -> str:
            return "client"

        def log_message(self, format: str, *arguments: object) -> None:
            """Keep standard error quiet."""

        def _pass_on(self) -> None:
            asked.append(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if "/images/" in self.path:
                self._send(404, "application/json", b'{"message": "no such image, and no network"}')
                return
            connection = http.client.HTTPConnection("engine", timeout=30)
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(engine))
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            self._send(answer.status, answer.headers.get("Content-Type", "text/plain"), data)

        do_GET = do_HEAD = do_POST = do_DELETE = _pass_on

        def _send(self, status: int, kind: str, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    with ThreadingUnixStreamServer(str(door), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield asked
        server.shutdown()
