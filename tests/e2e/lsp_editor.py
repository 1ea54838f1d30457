"""A small editor over a server process: several buffers, files made and deleted, and what it was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lsp_driver import Driver

FILES = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "delete"]},
    },
    "general": {"positionEncodings": ["utf-32"]},
}


class Editor:
    """Applies what the server asks for, all or nothing, and reports it with didChange."""

    def __init__(self, server: Driver) -> None:
        self.server = server
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.edits: list[dict[str, Any]] = []
        """Every `workspace/applyEdit` that was applied."""
        self.lies = False
        """Whether to say that an edit was applied without applying it."""
        server.answers["workspace/applyEdit"] = self.apply

    def open(self, path: Path, text: str, version: int = 1) -> str:
        """Open a document; return its URI."""
        uri = path.as_uri()
        self.texts[uri], self.versions[uri] = text, version
        document = {"uri": uri, "version": version, "languageId": "python", "text": text}
        self.server.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def type(self, uri: str, text: str) -> None:
        """Change a document."""
        self.texts[uri] = text
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.server.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )

    def apply(self, params: dict[str, Any]) -> dict[str, Any]:
        """Answer `workspace/applyEdit`."""
        changes = params["edit"]["documentChanges"]
        for change in changes:
            document = change.get("textDocument")
            if document and document["version"] not in (None, self.versions.get(document["uri"])):
                return {"applied": False, "failureReason": "stale"}
        if self.lies:
            return {"applied": True}
        self.edits.append(params)
        for change in changes:
            self._apply(change)
        return {"applied": True}

    def _apply(self, change: dict[str, Any]) -> None:
        kind = change.get("kind")
        if kind is None:
            uri = change["textDocument"]["uri"]
            if uri not in self.texts:
                self.open(_path(uri), _path(uri).read_bytes().decode())
            self.type(uri, edited(self.texts[uri], change["edits"]))
        elif kind == "create":
            _path(change["uri"]).touch(exist_ok=False)
        else:
            _path(change["uri"]).unlink()
            if self.texts.pop(change["uri"], None) is not None:
                document = {"uri": change["uri"]}
                self.server.notify("textDocument/didClose", {"textDocument": document})


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after edits whose columns count code points; only LSP's line ends end a line."""
    starts = [0]
    for offset, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[offset + 1 : offset + 2] != "\n"):
            starts.append(offset + 1)

    def at(position: dict[str, int]) -> int:
        assert position["line"] < len(starts), "the edit starts past the text"
        return starts[position["line"]] + position["character"]

    for edit in sorted(edits, key=lambda e: at(e["range"]["start"]), reverse=True):
        text = text[: at(edit["range"]["start"])] + edit["newText"] + text[at(edit["range"]["end"]) :]
    return text


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
