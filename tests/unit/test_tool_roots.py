"""The tools over two roots that hold files of the same name."""

from __future__ import annotations

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


class Tools:
    """The real tools, with a user who allows everything."""

    def __init__(self, tmp_path: Path) -> None:
        self.folders = [tmp_path / "api", tmp_path / "web"]
        for folder in self.folders:
            (folder / "src").mkdir(parents=True)
            (folder / "src" / "app.py").write_text(f"x = '{folder.name}'\n")
        (self.folders[1] / "index.py").write_text("y = 1\n")
        (self.folders[1] / ".env").write_text("TOKEN=made-up-value-1\n")
        (self.folders[0] / "open.py").write_text("z = 'disk'\n")
        open_path = str(self.folders[0] / "open.py")
        roots = tuple(map(str, self.folders))
        snapshot = Snapshot(roots, {open_path: OpenDocument(open_path, 1, "z = 'buffer'\n", "python")})
        # An address where no engine listens: nothing here may need one.
        sandbox = DockerSandbox(SandboxSettings(docker_host=f"unix://{tmp_path}/none.sock"))
        opened = make_tools(Settings(permission="auto"), SandboxVerifier(sandbox), sandbox, str)
        self.session = opened(
            snapshot, Gate(roots), Asking(lambda text: "allowOnce", lambda text, options: "yes"), "run-1"
        )

    def __call__(self, tool: str, **arguments: Any) -> str:
        return self.session.call(ToolRequest("1", tool, arguments), Cancellation()).text

    def staged(self) -> dict[str, bytes | None]:
        base = self.folders[0].parent
        return {str(Path(c.path).relative_to(base)): c.after for c in self.session.edit_set().changes}


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def test_listing_begins_with_the_roots(tools: Tools) -> None:
    assert tools("list_directory") == "api/\nweb/"
    assert tools("list_directory", path=".") == "api/\nweb/"
    assert tools("list_directory", path="web") == "index.py\nsrc/"
    assert tools("list_directory", path="api/src") == "app.py"
    assert tools("list_directory", path="src").startswith("[ambiguous-root]")


def test_reading_by_name_by_chance_and_not_at_all(tools: Tools) -> None:
    assert "x = 'web'" in tools("read_file", path="web/src/app.py")
    assert "y = 1" in tools("read_file", path="index.py")
    assert "buffer" in tools("read_file", path="api/open.py")
    assert "y = 1" in tools("get_file_summary", path="web/index.py")
    refused = tools("read_file", path="src/app.py")
    assert refused.startswith("[ambiguous-root]")
    assert "api/src/app.py, web/src/app.py" in refused


@pytest.mark.parametrize("expression", ["1 + " * 2_900 + "1", "-" * 100_000 + "1"])
def test_what_is_nested_too_deep_for_an_outline_is_told(tools: Tools, expression: str) -> None:
    tools("create_file", path="web/deep.py", content=f"x = {expression}\n")

    said = tools("get_file_summary", path="web/deep.py")

    assert said.startswith("web/deep.py: 1 lines")
    assert "nested too deep" in said


@pytest.mark.parametrize("path", ["web/.env", ".env", "api/../web/.env", "web/src/../.env"])
def test_secret_of_any_root_is_withheld(tools: Tools, path: str) -> None:
    answer = tools("read_file", path=path)

    assert answer.startswith("[secret]")
    assert "made-up" not in answer
    assert tools("search_files", pattern="made-up") == "Nothing matches."


def test_search_shows_the_root_of_each_hit(tools: Tools) -> None:
    assert tools("search_files", pattern="x = ").splitlines() == [
        "api/src/app.py:1: x = 'api'",
        "web/src/app.py:1: x = 'web'",
    ]
    assert tools("search_files", pattern="z =") == "api/open.py:1: z = 'buffer'"
    assert tools("search_files", pattern="=", glob="web/**").startswith("web/index.py:1")


def test_edits_go_to_the_named_root_alone(tools: Tools) -> None:
    assert tools("edit_file", path="src/app.py", search="x = 'api'", replace="x = 2").startswith("[ambiguous")
    assert tools.staged() == {}
    assert "changed" in tools("edit_file", path="web/src/app.py", search="x = 'web'", replace="x = 2")
    assert "api/new.py is new" in tools("create_file", path="api/new.py", content="n = 1\n")
    assert tools("create_file", path="other.py", content="").startswith("[ambiguous-root]")
    assert "web/index.py is gone" in tools("delete_file", path="index.py")

    assert tools.staged() == {"web/src/app.py": b"x = 2\n", "api/new.py": b"n = 1\n", "web/index.py": None}
    assert tools("search_files", pattern="= [12]$").splitlines() == [
        "api/new.py:1: n = 1",
        "web/src/app.py:1: x = 2",
    ]
    assert "n = 1" in tools("read_file", path="new.py")


def _diff(name: str, old: str, new: str) -> str:
    return f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n"


def test_diff_changes_files_of_every_root(tools: Tools) -> None:
    diff = _diff("api/src/app.py", "x = 'api'", "x = 2") + _diff("web/src/app.py", "x = 'web'", "x = 3")
    new = "--- /dev/null\n+++ b/web/new.py\n@@ -0,0 +1 @@\n+n = 1\n"

    answer = tools("apply_diff", diff=diff + new)

    assert answer == "Changed in the staged copy: api/src/app.py, web/new.py, web/src/app.py."
    assert tools.staged() == {
        "api/src/app.py": b"x = 2\n",
        "web/new.py": b"n = 1\n",
        "web/src/app.py": b"x = 3\n",
    }


def test_diff_without_a_root_goes_where_the_only_such_file_is(tools: Tools) -> None:
    assert "web/index.py" in tools("apply_diff", diff=_diff("index.py", "y = 1", "y = 2"))
    assert tools("apply_diff", diff=_diff("src/app.py", "x = 'api'", "x = 2")).startswith("[ambiguous-root]")
    assert tools.staged() == {"web/index.py": b"y = 2\n"}


def test_command_over_several_roots_must_name_one(tools: Tools) -> None:
    answer = tools("run_command", command="true")

    assert answer.startswith("[invalidInput]")
    assert "api, web" in answer
    assert tools("run_command", command="true", root="web").startswith("[sandboxUnavailable]")


def test_tests_are_run_in_the_roots_that_they_name(tools: Tools) -> None:
    both = tools("run_tests")
    one = tools("run_tests", tests=["web/src/app.py::test_a"])

    assert "api: " in both
    assert "web: " in both
    assert "api: " not in one
    assert "sandboxUnavailable" in one
