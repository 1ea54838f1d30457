"""A withheld file by way of the sandbox: a command and a test look for it in vain."""

from __future__ import annotations

from pathlib import Path

from greenline.agent.wiring import make_tools
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.port import ToolRequest
from greenline.guard.gate import Gate
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.tool.definition import Asking
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.document import OpenDocument
from greenline.workspace.snapshot import Snapshot

VALUE = "made-up-value-1"
TEST = """import pathlib


def test_reads():
    found = []
    for name in (".env.local", "link.txt", "build/cache.txt"):
        path = pathlib.Path(name)
        found.append(name + " " + (path.read_text().upper() if path.exists() else "absent"))
    raise AssertionError("; ".join(found))
"""


def test_commands_and_tests_find_no_secret(tmp_path: Path, docker_host: str) -> None:
    root = tmp_path / "w"
    (root / "build").mkdir(parents=True)
    (root / ".env.local").write_text(f"TOKEN={VALUE}\n")
    (root / "link.txt").symlink_to(".env.local")
    (root / "build" / "cache.txt").write_text("generated\n")
    (root / ".gitignore").write_text("build/\n")
    (root / "test_reads.py").write_text(TEST)
    path = str(root / ".env.local")
    snapshot = Snapshot((str(root),), {path: OpenDocument(path, 1, f"TOKEN={VALUE}-typed\n")})
    sandbox = DockerSandbox(SandboxSettings(docker_host=docker_host))
    opened = make_tools(Settings(permission="auto"), SandboxVerifier(sandbox), sandbox, str)
    session = opened(
        snapshot,
        Gate(snapshot.roots),
        Asking(lambda text: "allowOnce", lambda text, options: "yes"),
        "run-54",
    )

    looked = session.call(
        ToolRequest("1", "run_command", {"command": "grep -ri made-up . ; ls -A; git show HEAD"}),
        Cancellation(),
    ).text
    tested = session.call(ToolRequest("2", "run_tests", {}), Cancellation()).text

    assert VALUE not in looked
    assert "test_reads.py" in looked
    assert "build" not in looked
    assert VALUE.upper() not in tested
    assert ".env.local absent" in tested
    assert "link.txt absent" in tested
    # Ignored files are there for the tests, which may need a generated module.
    assert "build/cache.txt GENERATED" in tested
