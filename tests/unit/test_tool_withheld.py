"""Whatever tool is tried, a withheld file is neither shown nor changed, and no refusal tells what it holds.

The tree is that of a reported bug: an ignore list that stopped the reading tools alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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

CASE = Path(__file__).parents[1] / "data" / "cases" / "54-ignored-file-by-any-tool"
VALUE = json.loads((CASE / "scenario.json").read_text())["value"]
WITHHELD = (".env.local", "./sub/../.env.local", "link.txt", "build/cache.txt", "notes.private")
"""A secret by its name, by a detour and by a link; ignored by git; ignored by the workspace's own file."""

Call = Callable[..., str]


def make_tree(root: Path) -> None:
    """Write the case's tree, with further ways to the file and further files that are withheld."""
    shutil.copytree(CASE / "tree", root)
    for old, new in json.loads((CASE / "setup.json").read_text())["rename"].items():
        (root / old).rename(root / new)
    (root / "sub").mkdir()
    (root / "sub" / "kept.py").touch()
    (root / "link.txt").symlink_to(".env.local")
    (root / "build").mkdir()
    (root / "build" / "cache.txt").write_text(f"TOKEN={VALUE}\n")
    (root / "notes.private").write_text(f"TOKEN={VALUE}\n")
    (root / ".gitignore").write_text("build/\n")
    (root / ".greenlineignore").write_text("*.private\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)


def tools_over(root: Path, sandbox: DockerSandbox, buffers: dict[str, str] | None = None) -> Call:
    """Return the real tools as one function; the user allows everything."""
    overlay = {str(root / n): OpenDocument(str(root / n), 1, t) for n, t in (buffers or {}).items()}
    snapshot = Snapshot((str(root),), overlay)
    opened = make_tools(Settings(permission="auto"), SandboxVerifier(sandbox), sandbox, str)
    session = opened(
        snapshot,
        Gate(snapshot.roots),
        Asking(lambda text: "allowOnce", lambda text, options: "yes"),
        "run-54",
    )

    def call(tool: str, **arguments: Any) -> str:
        return session.call(ToolRequest("1", tool, arguments), Cancellation()).text

    return call


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_tree(tmp_path / "w")
    return tmp_path / "w"


@pytest.fixture
def call(root: Path) -> Call:
    return tools_over(root, DockerSandbox(SandboxSettings(docker_host=f"unix://{root}/none.sock")))


def _diff(path: str, line: str, new: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{line}\n+{new}\n"


@pytest.mark.parametrize("path", WITHHELD)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {}),
        ("get_file_summary", {}),
        ("edit_file", {"search": f"TOKEN={VALUE}", "replace": "TOKEN=x"}),
        ("edit_file", {"search": "TOKEN=wrong", "replace": "TOKEN=x"}),
        ("create_file", {"content": "TOKEN=x\n"}),
        ("delete_file", {}),
    ],
)
def test_a_withheld_file_is_refused_by_every_tool(
    call: Call, path: str, tool: str, arguments: dict[str, str]
) -> None:
    answer = call(tool, path=path, **arguments)

    assert answer.startswith(("[secret]", "[ignored]"))
    assert VALUE not in answer


@pytest.mark.parametrize("path", WITHHELD)
def test_a_diff_tells_nothing_of_a_withheld_file(call: Call, path: str) -> None:
    right = call("apply_diff", diff=_diff(path, f"TOKEN={VALUE}", "TOKEN=x"))
    wrong = call("apply_diff", diff=_diff(path, "TOKEN=wrong", "TOKEN=x"))
    moved = f"diff --git a/{path} b/seen.txt\nsimilarity index 100%\nrename from {path}\nrename to seen.txt\n"

    assert right.startswith(("[secret]", "[ignored]"))
    assert wrong == right
    assert call("apply_diff", diff=moved).startswith(("[secret]", "[ignored]"))
    assert call("read_file", path="seen.txt").startswith("[missing]")


def test_a_withheld_file_is_neither_listed_nor_found(call: Call) -> None:
    listed = call("list_directory")

    assert listed.splitlines() == [".env.example", ".gitignore", ".greenlineignore", "app.py", "sub/"]
    assert call("list_directory", path="build").startswith("[")
    assert call("search_files", pattern=VALUE) == "Nothing matches."
    assert call("search_files", pattern=VALUE, glob=".env*") == "Nothing matches."


def test_an_open_buffer_of_a_withheld_file_is_withheld_too(root: Path, tmp_path: Path) -> None:
    sandbox = DockerSandbox(SandboxSettings(docker_host=f"unix://{tmp_path}/none.sock"))
    call = tools_over(root, sandbox, {".env.local": "TOKEN=typed-just-now\n"})

    assert call("search_files", pattern="typed-just-now") == "Nothing matches."
    assert call("read_file", path=".env.local").startswith("[secret]")


def test_its_example_can_be_read(call: Call) -> None:
    assert "TOKEN=" in call("read_file", path=".env.example")
