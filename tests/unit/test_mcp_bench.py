"""What a tool of the MCP server leaves behind in its process, which lives as long as the other agent."""

from __future__ import annotations

import gc
from pathlib import Path

from greenline.app import open_session
from greenline.core.cancel import Cancellation
from greenline.lsp.parts import Opening
from greenline.mcp_server.bench import Bench, explain


def test_explaining_keeps_no_file_open(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    opening = Opening((str(tmp_path),), {"warmWorker": False, "index": False})

    def unused() -> None:
        raise AssertionError

    bench = Bench(
        str(tmp_path),
        unused,  # type: ignore[arg-type]
        unused,  # type: ignore[arg-type]
        unused,  # type: ignore[arg-type]
        lambda listener: open_session(opening, listener),
    )
    journal = "journal.db"

    def n_open() -> int:
        return sum(journal in str(link.resolve()) for link in Path("/proc/self/fd").iterdir())

    gc.disable()
    try:
        before = n_open()
        explain(bench, {"path": "a.py", "line": 1}, Cancellation(), str)
        after = n_open()
    finally:
        gc.enable()

    assert after == before
