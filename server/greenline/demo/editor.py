"""A small editor: starts the server, speaks LSP with it, holds buffers and applies edits to them.

One thread reads; every answer and every notification arrives through it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import attrs

from greenline.core.error import GreenlineError
from greenline.edit.text import split_lines

_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-32", "utf-16"]},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    "window": {"workDoneProgress": True},
}
_END_S = 15.0


@attrs.define
class Buffer:
    """One open document."""

    path: Path
    text: str
    version: int = 1


class Editor:
    """A server process and the buffers that are open in it; use as a context."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        on_notification: Callable[[str, dict[str, Any]], None],
    ) -> None:
        self.buffers: dict[str, Buffer] = {}
        self._on_notification = on_notification
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._ids = 0
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=dict(environment)
        )
        self._reader = threading.Thread(target=self._read, name="editor", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_: object) -> None:
        """End the server as an editor does, and kill it where it does not end."""
        try:
            self.request("shutdown", None, _END_S)
            self.notify("exit", None)
            self._process.wait(_END_S)
        except (GreenlineError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_S)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def initialize(self, root: Path) -> dict[str, Any]:
        """Open a folder."""
        folders = [{"uri": root.as_uri(), "name": root.name}]
        params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": folders}
        result: dict[str, Any] = self.request("initialize", {**params, "capabilities": _CAPABILITIES}, 60)
        self.notify("initialized", {})
        return result

    def open(self, path: Path) -> Buffer:
        """Open a document, once."""
        uri = path.as_uri()
        if uri not in self.buffers:
            buffer = Buffer(path, path.read_bytes().decode())
            self.buffers[uri] = buffer
            item = {"uri": uri, "languageId": "python", "version": 1, "text": buffer.text}
            self.notify("textDocument/didOpen", {"textDocument": item})
        return self.buffers[uri]

    def request(self, method: str, params: Any, timeout_s: float) -> Any:
        """Send a request and return its result; an error, an end or silence is a `GreenlineError`."""
        answer: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        with self._lock:
            self._ids += 1
            number = self._ids
            self._answers[number] = answer
        self._send({"id": number, "method": method, "params": params})
        try:
            message = answer.get(timeout=timeout_s)
        except queue.Empty:
            raise GreenlineError(f"{method} was not answered in {timeout_s:g} s.") from None
        if "error" in message:
            data = message["error"].get("data") or {}
            raise GreenlineError(message["error"]["message"], code=data.get("code", "failed"))
        return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        with self._lock:
            try:
                self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                self._process.stdin.flush()
            except (BrokenPipeError, ValueError) as error:
                raise GreenlineError(
                    "The server ended.", remedy="`greenline doctor` looks for why."
                ) from error

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._take(json.loads(stream.read(length)))
        ended = {"error": {"message": "The server ended."}}
        for answer in list(self._answers.values()):
            answer.put(ended)

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            if (answer := self._answers.pop(message["id"], None)) is not None:
                answer.put(message)
        elif "id" not in message:
            self._on_notification(message["method"], message.get("params") or {})
        else:
            result: Any = None
            if message["method"] == "workspace/applyEdit":
                result = self._apply(message["params"]["edit"])
            self._send({"id": message["id"], "result": result})

    def _apply(self, edit: dict[str, Any]) -> dict[str, Any]:
        """Apply versioned edits to the buffers, all or none, and tell the server what they hold now."""
        planned: list[tuple[str, str]] = []
        for change in edit.get("documentChanges", ()):
            if "textDocument" not in change:
                return {"applied": False, "failureReason": "this editor changes open files only"}
            uri, version = change["textDocument"]["uri"], change["textDocument"].get("version")
            buffer = self.buffers.get(uri) or self.open(Path(unquote(urlsplit(uri).path)))
            if version is not None and version != buffer.version:
                return {"applied": False, "failureReason": f"{buffer.path.name} has another version"}
            planned.append((uri, replaced(buffer.text, change["edits"])))
        for uri, text in planned:
            buffer = self.buffers[uri]
            buffer.text, buffer.version = text, buffer.version + 1
            document = {"uri": uri, "version": buffer.version}
            self.notify(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
            )
        return {"applied": True}


def replaced(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after LSP text edits; characters are code points, as negotiated."""
    lines = split_lines(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(position: dict[str, int]) -> int:
        return min(starts[min(position["line"], len(lines))] + position["character"], len(text))

    spans = [(offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]) for e in edits]
    for start, end, new in sorted(spans, reverse=True, key=lambda span: span[:2]):
        text = text[:start] + new + text[end:]
    return text
