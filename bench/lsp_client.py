"""A client of a language server on one thread, so that what it measures is the server and the pipes.

Requests of the server are answered with null, at once; the client must be pumped while it has nothing to ask.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ANSWER_S = 120.0
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}


class ServerSilent(Exception):
    """A server ended, answered with an error, or did not answer in time."""


class Client:
    """One server process; use as a context."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder, env=dict(environment)
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._write_fd, self._read_fd = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._read_fd, selectors.EVENT_READ)
        self._data = bytearray()
        self._answers: dict[int, dict[str, Any]] = {}
        self._id = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        """End the server as an editor does, and kill it where it does not end."""
        try:
            self.request("shutdown", None, 20)
            self.notify("exit", None)
            self.process.wait(20)
        except (ServerSilent, OSError, subprocess.TimeoutExpired):
            self.process.kill()
        self._selector.close()
        self.process.communicate()

    def initialize(self, root: Path) -> float:
        """Open a folder; return the seconds from the start of the process to the answer."""
        folders = [{"uri": root.as_uri(), "name": root.name}]
        params = {"processId": os.getpid(), "rootUri": root.as_uri(), "workspaceFolders": folders}
        self.request("initialize", {**params, "capabilities": _CAPABILITIES})
        seconds = time.perf_counter() - self.started
        self.notify("initialized", {})
        return seconds

    def open(self, path: Path) -> None:
        """Open a Python file."""
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text()}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def memory_mb(self) -> float:
        """Return the resident memory of the server's own process, in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def request(self, method: str, params: Any, timeout_s: float = ANSWER_S) -> Any:
        """Ask and wait; return the result, or raise `ServerSilent`."""
        number = self.ask(method, params)
        deadline = time.monotonic() + timeout_s
        while number not in self._answers:
            if not self._read(deadline - time.monotonic()):
                raise ServerSilent(f"{method} was not answered in {timeout_s:g} s.")
        return self.answer(number)

    def ask(self, method: str, params: Any) -> int:
        """Send a request and return its number."""
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        return self._id

    def has_answer(self, number: int) -> bool:
        """Return whether an answer has come."""
        return number in self._answers

    def answer(self, number: int) -> Any:
        """Return the result that has come for a request; raises `ServerSilent` for an error."""
        message = self._answers.pop(number)
        if "error" in message:
            raise ServerSilent(str(message["error"].get("message")))
        return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def pump(self, seconds: float) -> None:
        """Take what the server sends for a while."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            self._read(remaining)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        view = memoryview(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        while view:
            view = view[os.write(self._write_fd, view) :]

    def _read(self, timeout_s: float) -> bool:
        """Take one chunk, if one comes in time; return whether it did."""
        if timeout_s <= 0 or not self._selector.select(timeout_s):
            return False
        chunk = os.read(self._read_fd, 1 << 16)
        if not chunk:
            raise ServerSilent("The server ended.")
        self._data += chunk
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            headers = bytes(self._data[:end]).lower()
            length = int(headers.partition(b"content-length:")[2].split(b"\r\n")[0])
            if len(self._data) < end + 4 + length:
                break
            message = json.loads(self._data[end + 4 : end + 4 + length])
            del self._data[: end + 4 + length]
            self._take(message)
        return True

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message:
            result: Any = None
            if message["method"] == "workspace/configuration":
                result = [None] * len(message["params"]["items"])
            self._send({"id": message["id"], "result": result})
