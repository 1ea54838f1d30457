"""`greenline verify` over the sample: a patch that fixes, one that breaks, one that no test covers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from greenline.cli import main
from greenline.edit.hunk import diff_text
from greenline.sandbox.package_data import sandbox_folder

FIX = ("ledger/discount.py", "if quantity > pieces:", "if quantity >= pieces:")
BREAK = ("ledger/money.py", "* percent + 50", "* percent + 40")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "ledger-project"
    shutil.copytree(sandbox_folder() / "sample", root)
    return root


@pytest.mark.parametrize(
    ("edit", "verdict", "code"),
    [(FIX, "verified", 0), (BREAK, "regressed", 4)],
)
def test_the_verdict_of_a_patch(
    edit: tuple[str, str, str], verdict: str, code: int, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, old, new = edit
    before = (project / name).read_text()
    patch = project.parent / "p.diff"
    patch.write_text(diff_text(name, before, before.replace(old, new)))

    assert main(["verify", "--root", str(project), "--patch", str(patch), "--json"]) == code

    lines = capsys.readouterr().out.splitlines()
    value = json.loads(lines[-1])
    assert len(lines) == 1
    assert value["verdict"] == verdict
    assert {"warnings", "touchesTests", "base", "patched", "hunks"} <= set(value)
    assert (project / name).read_text() == before


def test_a_file_of_secrets_is_left_out_of_a_patch_and_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, old, new = FIX
    before = (project / name).read_text()
    (project / ".env").write_text("A=1\n")
    (project / "conftest.py").write_text("from pathlib import Path\nassert not Path('.env').exists()\n")
    secret, patch = diff_text(".env", "A=1\n", "A=2\n"), project.parent / "p.diff"
    patch.write_text(secret + diff_text(name, before, before.replace(old, new)))

    assert main(["verify", "--root", str(project), "--patch", str(patch), "--json"]) == 0

    value = json.loads(capsys.readouterr().out)
    assert "Left out of the patch, as files of secrets: .env." in value["warnings"]
    patch.write_text(secret)
    assert main(["verify", "--root", str(project), "--patch", str(patch)]) == 2
    assert "files of secrets: .env." in capsys.readouterr().err


@pytest.mark.parametrize(("data", "word"), [(b"\x7fELF\0\1\0", "binary"), (b"\n", "empty"), (b"", "empty")])
def test_what_is_no_patch_is_named(
    data: bytes, word: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = project.parent / "p.diff"
    patch.write_bytes(data)

    assert main(["verify", "--root", str(project), "--patch", str(patch)]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert str(patch) in line
    assert word in line


def test_new_code_that_no_test_runs_is_not_covered(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "ledger/money.py"
    before = (project / name).read_text()
    patch = project.parent / "p.diff"
    patch.write_text(diff_text(name, before, before + "\n\ndef unused():\n    return 1\n"))

    assert main(["verify", "--root", str(project), "--patch", str(patch), "--json"]) == 4

    assert json.loads(capsys.readouterr().out)["verdict"] == "notCovered"


def test_bite_and_changed_lines_are_said_and_too_few_of_them_are_no_success(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, old, new = FIX
    before = (project / name).read_text()
    patch, sarif = project.parent / "p.diff", project.parent / "p.sarif"
    after = before.replace(old, new) + "\n\ndef unused():\n    return 1\n"
    patch.write_text(diff_text(name, before, after))
    options = ["--root", str(project), "--patch", str(patch), "--sarif", str(sarif)]

    assert main(["verify", *options, "--bite", "60", "--min-coverage", "60", "--json"]) == 4

    value = json.loads(capsys.readouterr().out)
    assert value["verdict"] == "verified"
    assert value["changedLines"] == {"nExecuted": 1, "nExecutable": 3}
    assert value["bite"]["nHunks"] == 2
    assert [hunk["bite"]["state"] for hunk in value["hunks"]] == ["bites", "idle"]
    rules = {result["ruleId"] for result in json.loads(sarif.read_text())["runs"][0]["results"]}
    assert {"idle-hunk", "survived-mutant"} <= rules


def _git(root: Path, *arguments: str, code: int = 0, **environment: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout + done.stderr


def _commit(root: Path, edit: tuple[str, str, str], message: str) -> None:
    name, old, new = edit
    (root / name).write_text((root / name).read_text().replace(old, new))
    _git(root, "commit", "-qam", message)


@pytest.fixture
def repository(project: Path) -> Path:
    """The sample under git on `main`, whose fix is on the branch `fix`; `main` has gone on since."""
    _git(project, "init", "-q", "-b", "main")
    _git(project, "add", "-A")
    _git(project, "commit", "-qm", "Ledger")
    _git(project, "switch", "-qc", "fix")
    _commit(project, FIX, "Mend the steps")
    _git(project, "switch", "-q", "main")
    _commit(project, ("README.md", "\n", "\nMore.\n"), "Say more")
    return project


@pytest.mark.parametrize("given", ["fix", "main...fix", "HEAD~1..fix"])
def test_a_range_is_measured_whatever_the_files_are_now(
    given: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "ledger" / "money.py").write_text("this is no Python")
    files = {name: tmp_path / f"out.{name}" for name in ("sarif", "junit", "markdown")}
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]

    assert main(["verify", "--root", str(repository), "--range", given, "--json", *options]) == 0

    assert json.loads(capsys.readouterr().out)["verdict"] == "verified"
    assert json.loads(files["sarif"].read_text())["runs"][0]["properties"]["verdict"] == "verified"
    assert "<testcase" in files["junit"].read_text()
    assert "Greenline: verified" in files["markdown"].read_text()


def test_a_form_can_be_printed_in_the_place_of_the_table(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)

    assert main(["verify", "--range", "fix", "--sarif", "-"]) == 0

    assert json.loads(capsys.readouterr().out)["runs"][0]["properties"]["verdict"] == "verified"
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--range", "main...nowhere"], "names no commit"),
        (["--range", "-x..fix"], "names no commit"),
        (["--range", "main..fix", "--sarif", "missing/out.sarif"], "--sarif missing/out.sarif"),
        (["--range", "main..fix", "--junit", "."], "--junit . is a folder"),
        (["--range", "main..fix", "--junit", "-", "--json"], "--json and --junit - would both be printed"),
        (["--range", "main..fix", "--junit", "-", "--sarif", "-"], "Two outputs have the same name"),
    ],
)
def test_a_range_or_an_output_that_cannot_be_is_said_before_anything_runs(
    options: list[str], words: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) if "-x..fix" in options else contextlib.nullcontext():
        assert main(["verify", "--root", str(repository), *options]) == 2
        assert words in capsys.readouterr().err


def test_the_hook_of_the_documentation_lets_only_verified_changes_through(
    repository: Path, tmp_path: Path
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    hook = repository / ".git" / "hooks" / "pre-push"
    hook.write_text(text.partition("```sh\n#!/bin/sh")[2].partition("```")[0].join(("#!/bin/sh", "")))
    hook.chmod(0o755)
    _git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    _git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    _git(repository, "push", "-q", "origin", "main", PATH=path)
    _git(repository, "remote", "set-head", "origin", "main")

    assert "verified" in _git(repository, "push", "origin", "fix", PATH=path)
    _commit(repository, BREAK, "Break")
    assert "regressed" in _git(repository, "push", "origin", "main", code=1, PATH=path)
    assert "Break" not in _git(tmp_path / "remote.git", "log", "--oneline", "main")


def test_a_part_of_a_repository_without_tests_names_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "a repository"
    (root / "bank").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "bank" / "names.py").write_text("def first(names):\n    return names[1]\n")
    (root / "tests" / "test_names.py").write_text(
        "from bank.names import first\n\n\ndef test_first():\n    assert first('ab') == 'a'\n"
    )
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    (root / "bank" / "names.py").write_text("def first(names):\n    return names[0]\n")

    assert main(["verify", "--root", str(root / "bank"), "--json"]) == 4
    part = json.loads(capsys.readouterr().out)
    assert main(["verify", "--root", str(root), "--json"]) == 0

    assert (part["verdict"], part["reason"]) == ("notRun", "noTests")
    assert f"name that with --root '{root}'." in part["detail"]
