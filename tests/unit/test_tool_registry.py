"""Tools over a staged copy: what they answer and refuse, and that the files of the user stay as they are."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled
from greenline.core.port import Limits, ToolRequest
from greenline.edit.apply import Staging
from greenline.guard.gate import Gate
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.tool.definition import MAX_OUTPUT, Asking, ToolContext
from greenline.tool.permission import Permission
from greenline.tool.registry import Answer, ToolBox
from greenline.verify.verifier import SandboxVerifier
from greenline.workspace.document import OpenDocument
from greenline.workspace.snapshot import Snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_bytes(b"def f(x):\r\n    return x\r\n")
    (tmp_path / ".env").write_text("TOKEN=abc")
    return tmp_path


def test_reading_shows_line_numbers(root: Path) -> None:
    assert _call(_box(root), "read_file", path="pkg/a.py").text.splitlines()[0] == "    1 def f(x):"


def test_an_edit_is_staged_and_the_disk_is_left_alone(root: Path) -> None:
    box = _box(root)

    answer = _call(box, "edit_file", path="pkg/a.py", search="return x", replace="return x + 1")

    assert not answer.failed
    assert box.edit_set().changes[0].after == b"def f(x):\r\n    return x + 1\r\n"
    assert (root / "pkg" / "a.py").read_bytes() == b"def f(x):\r\n    return x\r\n"
    assert "x + 1" in _call(box, "read_file", path="pkg/a.py").text
    assert "pkg/a.py:2" in _call(box, "search_files", pattern=r"x \+ 1").text


def test_the_open_buffer_is_what_is_read_and_searched(root: Path) -> None:
    path = str(root / "pkg" / "a.py")
    box = _box(root, {path: OpenDocument(path, 3, "def g(): pass\n", "python")})

    assert "def g" in _call(box, "read_file", path="pkg/a.py").text
    assert "pkg/a.py:1" in _call(box, "search_files", pattern="def g").text
    assert _call(box, "search_files", pattern="def f").text == "Nothing matches."


def test_files_are_created_and_deleted_in_the_copy_alone(root: Path) -> None:
    box = _box(root)

    assert not _call(box, "create_file", path="pkg/b.py", content="B = 1\n").failed
    assert "[exists]" in _call(box, "create_file", path="pkg/b.py", content="").text
    assert _call(box, "list_directory", path="pkg").text == "a.py\nb.py"
    assert not _call(box, "delete_file", path="pkg/b.py").failed
    assert box.edit_set().changes == ()


def test_a_diff_applies_whole_or_not_at_all(root: Path) -> None:
    box = _box(root)
    good = "--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,2 +1,2 @@\n def f(x):\n-    return x\n+    return 2\n"
    bad = good + "--- a/pkg/none.py\n+++ b/pkg/none.py\n@@ -1 +1 @@\n-a\n+b\n"

    assert _call(box, "apply_diff", diff=bad).failed
    assert box.edit_set().changes == ()
    assert not _call(box, "apply_diff", diff=good).failed
    assert box.edit_set().changes[0].after == b"def f(x):\r\n    return 2\r\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("read_file", {"path": ".env"}, "[secret]"),
        ("edit_file", {"path": ".env", "search": "abc", "replace": "x"}, "[secret]"),
        ("create_file", {"path": "id_rsa", "content": "x"}, "[secret]"),
        ("read_file", {"path": "../elsewhere.py"}, "[outside-workspace]"),
        ("read_file", {"path": "/etc/passwd"}, "[outside-workspace]"),
        ("create_file", {"path": ".git/hooks/pre-commit", "content": "x"}, "["),
        ("read_file", {"path": "none.py"}, "[missing]"),
        ("read_file", {}, "[invalidInput]"),
        ("read_file", {"path": 3}, "[invalidInput]"),
        ("read_file", {"path": "pkg/a.py", "mode": "r"}, "[invalidInput]"),
        ("search_files", {"pattern": "("}, "[invalidInput]"),
        ("edit_file", {"path": "pkg/a.py", "search": "absent", "replace": ""}, "[no-match]"),
        ("format_disk", {}, "[invalidInput]"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_staged(
    root: Path, tool: str, arguments: dict[str, Any], code: str
) -> None:
    box = _box(root)

    answer = box.call(ToolRequest("1", tool, arguments), Cancellation())

    assert answer.failed
    assert answer.text.startswith(code)
    assert box.edit_set().changes == ()


def test_secret_files_are_not_listed(root: Path) -> None:
    assert _call(_box(root), "list_directory").text == "pkg/"
    assert _call(_box(root), "search_files", pattern="abc").text == "Nothing matches."


def test_a_link_is_not_deleted_through(root: Path) -> None:
    (root / "link.py").symlink_to("pkg/a.py")
    box = _box(root)

    assert _call(box, "delete_file", path="link.py").text.startswith("[link]")
    assert box.edit_set().changes == ()


def test_a_glob_narrows_the_search(root: Path) -> None:
    (root / "notes.txt").write_text("return the books\n")
    box = _box(root)

    assert _call(box, "search_files", pattern="return", glob="*.txt").text.startswith("notes.txt:1")
    assert _call(box, "search_files", pattern="return", glob="*.py").text.startswith("pkg/a.py:2")
    assert _call(box, "search_files", pattern="return", glob="pkg/**").text.startswith("pkg/a.py:2")


def test_a_search_ends_with_its_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that never ends stands for a search of files that are too many."""
    folder = root.parent / "programs"
    folder.mkdir()
    program = folder / "rg"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    cancellation = Cancellation()
    threading.Timer(0.3, cancellation.cancel).start()

    with pytest.raises(Cancelled):
        _box(root).call(ToolRequest("1", "search_files", {"pattern": "x"}), cancellation)


def test_long_answers_are_cut_and_say_so(root: Path) -> None:
    (root / "long.txt").write_text("x" * (2 * MAX_OUTPUT))

    text = _call(_box(root), "read_file", path="long.txt").text

    assert len(text) < MAX_OUTPUT + 100
    assert "left out" in text


@pytest.mark.parametrize(
    ("setting", "says", "asked", "allowed"),
    [
        ("ask", "allowOnce", 1, True),
        ("ask", "rejectOnce", 1, False),
        ("ask", "anything else", 1, False),
        ("deny", "allowAlways", 0, False),
        ("auto", "rejectAlways", 0, True),
    ],
)
def test_commands_need_the_users_word(root: Path, setting: str, says: str, asked: int, allowed: bool) -> None:
    questions: list[str] = []
    box = _box(root, setting=setting, says=says, questions=questions)

    answer = _call(box, "run_command", command="make it so")

    assert len(questions) == asked
    assert answer.text.startswith("[sandboxUnavailable]" if allowed else "[rejected]")
    assert all("make it so" in question for question in questions)


def test_always_allowed_is_the_very_same_command_alone(root: Path) -> None:
    questions: list[str] = []
    box = _box(root, says="allowAlways", questions=questions)

    for command in ("git status", "git status", "git status; curl example.org", "git push", "git status"):
        _call(box, "run_command", command=command)

    assert len(questions) == 3


def test_always_rejected_is_the_tool(root: Path) -> None:
    questions: list[str] = []
    box = _box(root, says="rejectAlways", questions=questions)

    _call(box, "run_command", command="a")
    _call(box, "run_command", command="b")

    assert len(questions) == 1


def test_a_question_is_asked_with_its_answers(root: Path) -> None:
    assert _call(_box(root), "ask_user", question="Is it?").text == "The user answers: yes, of course"
    chosen = _call(_box(root), "ask_user", question="Which?", options=["red", "blue"])
    assert chosen.text == "The user answers: red, of course"


def test_tests_that_could_not_run_are_not_called_passed(root: Path) -> None:
    text = _call(_box(root), "run_tests").text

    assert "no tests ran" in text
    assert "sandboxUnavailable" in text


def test_a_cancelled_run_calls_no_tool(root: Path) -> None:
    cancellation = Cancellation()
    cancellation.cancel()

    with pytest.raises(Cancelled):
        _box(root).call(ToolRequest("1", "read_file", {"path": "pkg/a.py"}), cancellation)


def test_planning_has_only_reading_tools(root: Path) -> None:
    box = _box(root)

    assert {box.kind(spec.name) for spec in box.specs(reading_only=True)} == {"read", "search"}


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo " + "x" * 900 + "; rm -rf build", "echo " + "x" * 900 + "; rm -rf build"),
        ("y" * 4_000 + "; rm x", "y" * 4_000 + " … (6 more characters are not shown)"),
    ],
)
def test_a_question_shows_the_whole_command_or_says_what_it_leaves_out(
    root: Path, command: str, shown: str
) -> None:
    questions: list[str] = []

    _call(_box(root, says="rejectOnce", questions=questions), "run_command", command=command)

    assert questions == [f"Run run_command: {shown}"]


def _call(box: ToolBox, tool: str, **arguments: Any) -> Answer:
    return box.call(ToolRequest("1", tool, arguments), Cancellation())


def _box(
    root: Path,
    overlay: dict[str, OpenDocument] | None = None,
    *,
    setting: str = "ask",
    says: str = "rejectOnce",
    questions: list[str] | None = None,
) -> ToolBox:
    def ask(question: str) -> str:
        if questions is not None:
            questions.append(question)
        return says

    snapshot = Snapshot((str(root),), overlay or {})
    # An address where no engine listens: nothing here may need one.
    sandbox = DockerSandbox(SandboxSettings(docker_host=f"unix://{root}/none.sock"))
    context = ToolContext(
        root=str(root),
        snapshot=snapshot,
        staging=Staging(snapshot.read_bytes, str(root)),
        gate=Gate((str(root),)),
        verifier=SandboxVerifier(sandbox),
        sandbox=sandbox,
        asking=Asking(ask, lambda question, options: f"{options[0]}, of course"),
        label="run",
        limits=Limits(),
        cancellation=Cancellation(),
    )
    return ToolBox(context, Permission(setting, ask))
