"""What a tool of the MCP server leaves behind in its process, which lives as long as the other agent."""

from __future__ import annotations

import gc
from pathlib import Path

from greenline.app import open_session
from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import Limits, VerifyRequest
from greenline.edit.hunk import diff_text
from greenline.lsp.parts import Opening
from greenline.mcp_server.bench import Bench, Measuring, explain, verify


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


def test_a_patch_brings_no_file_of_secrets_into_a_container(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / ".env").write_text("A=1\n")
    seen: list[VerifyRequest] = []

    class Verifier:
        def verify(self, request: VerifyRequest, *_: object) -> Evidence:
            seen.append(request)
            return Evidence(Verdict.NOT_RUN, "noTests", "")

    class Sandbox:
        def close(self) -> None: ...

    def unused() -> None:
        raise AssertionError

    measuring = Measuring(Sandbox(), Verifier(), Limits())  # type: ignore[arg-type]
    bench = Bench(str(tmp_path), lambda: measuring, *[unused] * 3)  # type: ignore[arg-type]
    diff = diff_text(".env", "A=1\n", "A=2\n") + diff_text("a.py", "x = 1\n", "x = 2\n")

    value = verify(bench, {"patch": diff}, Cancellation(), str)

    assert [Path(change.path).name for change in seen[0].edit_set.changes] == ["a.py"]
    assert ".env" not in seen[0].base
    assert value["warnings"] == ["Left out of the patch, as files of secrets: .env."]
