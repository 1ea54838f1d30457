"""The command line without an engine: help, wrong input and runs."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from greenline.app import open_journal
from greenline.cli import main
from greenline.cli.console import diff_text
from greenline.core.edit import FileChange
from greenline.core.evidence import Evidence, Verdict
from greenline.core.task import Proposal, RunState, Task
from greenline.core.visible import visible
from greenline.demo.editor import replaced
from greenline.demo.scene import sample_project
from greenline.edit.hunk import split
from greenline.workspace.revision import staged_tree, tree_at

COMMANDS = (
    "serve",
    "run",
    "plan",
    "verify",
    "search",
    "runs",
    "show",
    "undo",
    "checkpoints",
    "doctor",
    "flaky",
    "packages",
    "demo",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        main([command, "--help"])

    assert exited.value.code == 0
    example = capsys.readouterr().out.partition("example:")[2]
    assert example
    # An id that is made up exists nowhere.
    assert re.search(r"(?:run|cp)-\w{8,}", example) is None


def test_help_documents_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])

    assert "exit codes:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["runs", "--root", "/nowhere"], "/nowhere"),
        (["runs", "--limit", "0"], "--limit 0"),
        (["run", "  "], "empty"),
        (["runs", "--limit", "99999999999999999999"], "--limit 99999999999999999999"),
        (["checkpoints", "--limit", "99999999999999999999"], "--limit 99999999999999999999"),
        (["undo", "--root", "/nowhere"], "/nowhere"),
        (["checkpoints", "--limit", "0"], "--limit 0"),
        (["verify", "--patch", "/nowhere.diff"], "/nowhere.diff"),
        (["verify", "--bite", "0"], "--bite 0"),
        (["verify", "--min-coverage", "most"], "--min-coverage most"),
    ],
)
def test_bad_input_is_one_line_that_names_it(
    argv: list[str],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    code = main(argv)

    error = capsys.readouterr().err
    assert code == 2
    assert named in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "usage"),
    [
        (["verify", "--nosuch"], "usage: greenline verify "),
        (["demo", "more"], "usage: greenline demo "),
        (["edit", "apply", "a.diff", "--nosuch"], "usage: greenline edit apply "),
        (["--nosuch"], "usage: greenline [-h]"),
    ],
)
def test_what_a_command_does_not_know_is_answered_with_its_own_usage(
    argv: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        main(argv)

    error = capsys.readouterr().err
    assert exited.value.code == 2
    assert error.startswith(usage)
    assert f"unrecognized arguments: {argv[-1]}\n" in error


def test_a_folder_that_was_removed_meanwhile_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    assert main(["runs"]) == 2
    assert "--root" in capsys.readouterr().err


def test_a_new_workspace_has_no_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "--root", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_an_unknown_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "run-none", "--root", str(tmp_path)]) == 1
    assert "run-none" in capsys.readouterr().err


@pytest.mark.parametrize("output", ([], ["--json"]), ids=("text", "json"))
def test_a_name_that_is_no_text_is_shown_escaped(
    output: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", os.fsdecode(b"\xff\xfe"), "--root", str(tmp_path), *output]) == 1

    assert capsys.readouterr().err.startswith("greenline: There is no run '\\udcff\\udcfe' here.")


def test_git_trees_of_head_and_of_the_index(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "a.py").write_text("one\n")
    (tmp_path / "link").symlink_to("a.py")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    (tmp_path / "a.py").write_text("two\n")
    git("add", "-A")
    (tmp_path / "a.py").write_text("three\n")

    assert tree_at(str(tmp_path), "HEAD")["a.py"].content == b"one\n"
    assert staged_tree(str(tmp_path))["a.py"].content == b"two\n"
    assert staged_tree(str(tmp_path))["link"].link == "a.py"


def test_the_demonstration_editor_applies_several_edits() -> None:
    edits = [
        {
            "range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}},
            "newText": new,
        }
        for line, new in ((0, "A"), (1, "BB"))
    ]

    assert replaced("a\nb\n", edits) == "A\nBB\n"


def test_a_run_whose_process_died_is_shown_as_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = (
        "import os, sys\n"
        "from greenline.app import open_journal\n"
        "from greenline.core.task import Task\n"
        "open_journal(sys.argv[1]).create_run(Task('x', (sys.argv[1],)))\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-P", "-c", program, str(tmp_path)], check=False)

    assert main(["runs", "--root", str(tmp_path), "--json"]) == 0

    assert [run["state"] for run in json.loads(capsys.readouterr().out)] == ["interrupted"]


def _proposed(root: Path) -> str:
    """Record a run that proposes two edits of a file in a folder; return its id."""
    path = root / "sub" / "a.py"
    path.parent.mkdir()
    before = "".join(f"line {n}\n" for n in range(20))
    after = before.replace("line 5\n", "five\n").replace("line 15\n", "fifteen\n")
    path.write_text(before)
    journal = open_journal(str(root))
    run = journal.create_run(Task("[/red] count [bold]", (str(root),)))
    hunks = split(FileChange(str(path), before.encode(), after.encode()), before, after)
    journal.save_proposal(Proposal("prop-1", run.id, hunks, Evidence(Verdict.VERIFIED, "", ""), "Count"))
    journal.set_state(run.id, RunState.PROPOSED)
    journal.close()
    return run.id


def test_the_list_of_runs_cuts_no_id_off_and_takes_a_request_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = _proposed(tmp_path)

    assert main(["runs", "--root", str(tmp_path)]) == 0

    output = capsys.readouterr().out
    assert run_id in output
    assert "[/red]" in output


@pytest.mark.parametrize("context", [True, False])
def test_what_show_prints_is_a_patch_for_git(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, context: bool
) -> None:
    run_id = _proposed(tmp_path)
    path = tmp_path / "sub" / "a.py"
    if not context:
        path.write_text(path.read_text() + "typed since\n")

    assert main(["show", run_id, "--root", str(tmp_path)]) == 0

    diff = "".join(
        line
        for line in capsys.readouterr().out.splitlines(keepends=True)
        if line.startswith(("---", "+++", "@@", "-", "+", " line"))
    )
    lenient = [] if context else ["--unidiff-zero"]
    subprocess.run(["git", "apply", *lenient, "-"], input=diff.encode(), cwd=tmp_path, check=True)
    assert path.read_text().splitlines()[5] == "five"
    assert path.read_text().splitlines()[15] == "fifteen"
    assert (" line 4" in diff) is context


def test_an_empty_name_undoes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _proposed(tmp_path)

    assert main(["undo", "", "--root", str(tmp_path)]) == 1
    assert "no run or checkpoint ''" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 😀\ttab\nline\r\n", "plain é 漢 😀\ttab\nline\r\n"),
        ("\x1b[8mhidden\x1b[0m", "\\x1b[8mhidden\\x1b[0m"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b2J", "\\x9b2J"),
        ("access \u202enimda\u202c", "access \\u202enimda\\u202c"),
        ("caf\udce9.py", "caf\\udce9.py"),
    ],
)
def test_a_terminal_shows_untrusted_text_and_obeys_none_of_it(
    text: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    assert visible(text) == shown
    assert str(diff_text(f"+{text}")).splitlines() == f"+{shown}".splitlines()


def test_what_cannot_be_opened_is_named_visibly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error", str(tmp_path / "\x1b[2Jx.py"))

    monkeypatch.setattr("greenline.app.open_journal", fail)

    assert main(["runs", "--root", str(tmp_path)]) == 1

    assert f"greenline: {tmp_path}/\\x1b[2Jx.py: Input/output error." in capsys.readouterr().err


def test_a_changed_link_is_named_and_nothing_is_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    (tmp_path / "link").symlink_to("a.py")
    for arguments in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("/etc/passwd")

    assert main(["verify", "--root", str(tmp_path), "--base", "HEAD"]) == 2

    assert "link is a symbolic link" in capsys.readouterr().err


def test_the_sample_is_committed_without_the_users_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = tmp_path / "signed"
    program = tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\ntouch {canary}\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n")
    monkeypatch.setenv("HOME", str(tmp_path))

    with sample_project() as root:
        assert tree_at(str(root), "HEAD")["ledger/discount.py"].content

    assert not canary.exists()


@pytest.mark.parametrize("argv", [["run", "x"], ["plan", "x"], ["verify", "--base", "HEAD"]])
def test_a_setting_that_cannot_be_used_is_said(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GREENLINE_CPUS", "many")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    (tmp_path / "a.py").write_text("one\n")
    for arguments in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "a.py").write_text("two\n")

    main([*argv, "--root", str(tmp_path)])

    assert "GREENLINE_CPUS must be a number" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "index", "edit", "doctor"])
def test_the_whole_disk_is_no_project(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = {"verify": ["verify", "--staged"], "edit": ["edit", "apply", "-"]}.get(command, [command])

    assert main([*argv, "--root", "/"]) == 2
    assert "/ is the whole file system" in capsys.readouterr().err
