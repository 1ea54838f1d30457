"""What the front loads: nothing heavy ever, and before `initialize` nothing that only a session needs."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"litellm", "docker", "jedi", "tree_sitter", "openai", "requests"}
OF_A_SESSION = {"apsw", "pathspec", "platformdirs", "detect_secrets"} | {
    f"greenline.{name}" for name in ("lsp.session", "lsp.reviewer", "edit.undo", "journal.checkpoint")
}


def test_the_server_is_made_without_heavy_imports() -> None:
    loaded = _modules_of(
        "import greenline.cli.serve, greenline.app, greenline.lsp.server as s; s.GreenlineServer(None)"
    )

    assert "greenline.lsp.server" in loaded
    assert not (HEAVY | OF_A_SESSION) & loaded


def test_an_open_session_has_no_heavy_imports() -> None:
    loaded = _modules_of(
        "import greenline.app as a; from greenline.lsp.parts import Opening; a.connect(Opening(()))"
    )

    assert "apsw" in loaded
    assert "greenline.journal.checkpoint" in loaded
    assert not HEAVY & loaded


def _modules_of(code: str) -> set[str]:
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())
