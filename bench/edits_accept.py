"""How long the server takes for an accept in a large open file: a real server, whose agent plays a script.

`python -m bench.edits_accept SCRIPT STATE` is that server. The client's own time is not counted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from bench.lsp_client import Client, ServerSilent

_N_HUNKS = 20
_REQUEST = "change many lines"


class Editor(Client):
    """A client with one open buffer that applies edits, and knows how long it took for them itself."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        super().__init__(command, folder, environment)
        self.uri, self.lines, self.version = "", list[str](), 1
        self.own_seconds = 0.0

    def show(self, path: Path, text: str) -> None:
        """Open a document that need not be on the disk."""
        self.uri, self.lines = path.as_uri(), text.split("\n")
        item = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def type_line(self, row: int, text: str) -> None:
        """Type a line."""
        place = {"line": row, "character": 0}
        self.lines.insert(row, text)
        self._changed([{"range": {"start": place, "end": place}, "text": text + "\n"}])

    def _changed(self, changes: list[dict[str, Any]]) -> None:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") != "workspace/applyEdit":
            super()._take(message)
            return
        started = time.perf_counter()
        (change,) = message["params"]["edit"]["documentChanges"]
        if change["textDocument"]["version"] != self.version:
            raise ServerSilent("The edit is for another version.")
        for edit in reversed(change["edits"]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            head = self.lines[start["line"]][: start["character"]]
            tail = self.lines[end["line"]][end["character"] :]
            self.lines[start["line"] : end["line"] + 1] = (head + edit["newText"] + tail).split("\n")
        self._changed([{"range": e["range"], "text": e["newText"]} for e in reversed(change["edits"])])
        self._send({"id": message["id"], "result": {"applied": True}})
        self.own_seconds += time.perf_counter() - started


@attrs.frozen
class Accept:
    """What one accept took."""

    seconds: float
    """From the request to its answer, without the client's own time."""
    cpu_seconds: float
    """Of all threads of the server."""


def accepts(n_lines: int) -> list[Accept]:
    """Measure an accept of each hunk of a proposal in one file, with the user's typing between them."""
    rows = [n_lines * (number + 1) // (_N_HUNKS + 1) for number in range(_N_HUNKS)]
    before = [f"value_{number} = {number}" if number % 3 else "" for number in range(n_lines)]
    after = list(before)
    for number, row in enumerate(rows):
        after[row] = f"changed_{number} = {row}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ws").mkdir()
        files = {"big.py": "\n".join(after) + "\n"}
        script = {_REQUEST: {"steps": [{"do": "propose", "files": files}]}}
        (folder / "script.json").write_text(json.dumps(script))
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-m", "bench.edits_accept", str(folder / "script.json"), str(folder / "s")]
        with Editor(command, folder, environment) as editor:
            editor.initialize(folder / "ws")
            editor.show(folder / "ws" / "big.py", "\n".join(before) + "\n")
            proposal = editor.request("agent/execute", {"request": _REQUEST})["proposal"]
            times = [_accept(editor, proposal, number) for number in range(_N_HUNKS)]
        typed = [line for line in editor.lines if not line.startswith("# typed")]
    if typed != [*after, ""]:
        raise ServerSilent("The accepted text is not as it should be.")
    return times


def _accept(editor: Editor, proposal: Any, number: int) -> Accept:
    """Type a line, then accept a hunk."""
    editor.type_line(number, f"# typed {number}")
    # The typing itself is answered before the clock starts.
    editor.request("agent/status", {})
    hunk_id = proposal["hunks"][number]["id"]
    decisions = [{"hunkId": hunk_id, "decision": "accept"}]
    editor.own_seconds = 0.0
    cpu_started = _cpu_seconds(editor.process.pid)
    started = time.perf_counter()
    review = editor.request("agent/review", {"proposalId": proposal["id"], "decisions": decisions})
    seconds = time.perf_counter() - started - editor.own_seconds
    if review["applied"] != [hunk_id]:
        raise ServerSilent(f"The hunk was not applied: {review['conflicts']}.")
    return Accept(seconds, _cpu_seconds(editor.process.pid) - cpu_started)


def _cpu_seconds(pid: int) -> float:
    """Return the processor time of a process's threads."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def main() -> int:
    """Be the server."""
    from greenline.agent.scripted_agent import ScriptedAgent, load_script
    from greenline.journal.blob import BlobStore
    from greenline.journal.checkpoint_store import CheckpointStore
    from greenline.journal.store import SqliteJournal
    from greenline.lsp.parts import Opening, Parts
    from greenline.lsp.server import serve

    script, state = Path(sys.argv[1]), Path(sys.argv[2])

    def connect(_: Opening) -> Parts:
        state.mkdir(exist_ok=True)
        journal = SqliteJournal(state / "journal.db")
        checkpoints = CheckpointStore(journal, BlobStore(state / "blobs"))
        return Parts(journal, ScriptedAgent(journal, load_script(script)), state, checkpoints)

    return serve(connect)


if __name__ == "__main__":
    sys.exit(main())
