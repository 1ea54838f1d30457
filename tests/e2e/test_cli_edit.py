"""`greenline edit apply` over tests/data/edit: each folder is files, an edit in some forms, and its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from greenline.cli import main
from greenline.workspace import snapshot

CASES = sorted(p for p in (Path(__file__).parents[1] / "data" / "edit").iterdir() if p.is_dir())
EDITS = [edit for case in CASES for edit in sorted(case.glob("edit*"))]


def read_tree(folder: Path) -> dict[str, bytes]:
    """Return all regular files below a folder."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and not p.is_symlink() and not any(parent.is_symlink() for parent in p.parents)
    }


def lay(case: Path, meta: dict[str, Any], folder: Path) -> None:
    """Write a case's files below a folder."""
    files = read_tree(case / "before")
    if (case / "before.txt").exists():
        files[meta["path"]] = (case / "before.txt").read_bytes()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    for name in (*meta.get("roots", ()), meta.get("workspace", ".")):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, target in meta.get("symlinks", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)
    for name, mode in meta.get("modes", {}).items():
        (folder / name).chmod(int(mode, 8))


def expected(case: Path, meta: dict[str, Any]) -> dict[str, bytes]:
    """Return the files that must be there afterwards."""
    if (case / "expected.txt").exists():
        return {meta["path"]: (case / "expected.txt").read_bytes()}
    return read_tree(case / "expected")


def arguments(meta: dict[str, Any], folder: Path, edit: Path) -> list[str]:
    """Return the command's arguments for a case."""
    roots = [folder / name for name in meta.get("roots", [meta.get("workspace", ".")])]
    options = [item for root in roots for item in ("--root", str(root))]
    for name in meta.get("options", {}):
        options += [f"--{name}", meta["options"][name]]
    return ["edit", "apply", *options, str(edit)]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.parent.name}-{edit.name}")
def test_case(edit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = edit.parent
    meta = json.loads((case / "meta.json").read_text("utf-8"))
    lay(case, meta, tmp_path)
    before = read_tree(tmp_path)
    code = meta.get("codes", {}).get(edit.name, meta.get("code"))

    exit_code = main(arguments(meta, tmp_path, edit))

    answer = json.loads(capsys.readouterr().out)
    if code is not None:
        assert (exit_code, answer["status"], answer["code"]) == (3, "rejected", code)
        assert read_tree(tmp_path) == before
    else:
        assert (exit_code, answer["status"]) == (0, "applied")
        assert read_tree(tmp_path) == expected(case, meta)
    for name in meta.get("links", ()):
        assert (tmp_path / name).is_symlink()
    for name, mode in meta.get("modes_after", meta.get("modes", {})).items():
        assert oct((tmp_path / name).stat().st_mode & 0o777) == oct(int(mode, 8))
    for name in meta.get("absent", ()):
        assert not (tmp_path / name).exists()


def test_a_path_that_begins_with_a_roots_name_means_that_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for root in ("api", "web"):
        (tmp_path / root / "src").mkdir(parents=True)
        (tmp_path / root / "src" / "app.py").write_text("x = 1\n")
    edit = tmp_path / "edit.json"
    edit.write_text(
        json.dumps({"edits": [{"path": "web/src/app.py", "search": "x = 1", "replace": "x = 2"}]})
    )

    code = main(
        ["edit", "apply", "--root", str(tmp_path / "api"), "--root", str(tmp_path / "web"), str(edit)]
    )

    assert code == 0, capsys.readouterr().out
    assert (tmp_path / "api/src/app.py").read_text() == "x = 1\n"
    assert (tmp_path / "web/src/app.py").read_text() == "x = 2\n"


def test_one_bad_hunk_leaves_all_files_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(f"{name}\n")
    edit = {"edits": [{"path": n, "search": f"{n}\n", "replace": "new\n"} for n in ("a", "b")]}
    edit["edits"].append({"path": "c", "search": "nothing like it\n", "replace": "new\n"})
    (tmp_path / "e.json").write_text(json.dumps(edit))

    code = main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "e.json")])

    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["code"]) == (3, "no-match")
    assert answer["message"].startswith("c: ")
    assert [(tmp_path / name).read_text() for name in ("a", "b", "c")] == ["a\n", "b\n", "c\n"]


def test_candidates_are_named_by_path_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 2\nx = 1\n")
    (tmp_path / "e.txt").write_text("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n")

    code = main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "e.txt")])

    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["code"]) == (3, "ambiguous")
    assert answer["candidates"] == [{"path": "a.py", "line": 1}, {"path": "a.py", "line": 3}]


def test_the_folder_itself_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "e.json").write_text(json.dumps({"writes": [{"path": ".", "content": "x"}]}))

    code = main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "e.json")])

    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["code"]) == (3, "malformed")
    assert "no file" in answer["message"]


def test_an_edit_comes_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    command = [str(Path(sys.executable).parent / "greenline"), "edit", "apply", "--root", str(tmp_path), "-"]
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"

    done = subprocess.run(
        command, input=diff, capture_output=True, text=True, check=False, env=dict(os.environ)
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"status": "applied", "files": [{"path": "a.py", "op": "update"}]}
    assert (tmp_path / "a.py").read_text() == "x = 2\n"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("folder", "exists"),
        ("pipe", "exists"),
        ("a.txt/b.txt", "exists"),
        ("a.txt/b/c.txt", "exists"),
        ("folder/", "malformed"),
        ("a.txt/", "malformed"),
        ("new/", "malformed"),
        ("file:///etc/hosts", "malformed"),
        ("http://h/x", "malformed"),
    ],
)
def test_what_is_no_regular_file_is_never_replaced(
    path: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text("a\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "e.json").write_text(json.dumps({"writes": [{"path": path, "content": "x\n"}]}))

    assert main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "e.json")]) == 3

    assert json.loads(capsys.readouterr().out)["code"] == code
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "e.json", "folder", "pipe"]
    assert (tmp_path / "folder").is_dir()
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize(
    ("options", "named"),
    [(["/nowhere.txt"], "/nowhere.txt"), (["--encoding", "klingon", "-"], "klingon")],
)
def test_what_cannot_be_read_is_an_input_error(
    options: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["edit", "apply", "--root", str(tmp_path), *options]) == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.count("\n") == 1


def test_a_patch_that_is_no_diff_is_an_input_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.diff").write_text("not a diff\n")

    assert main(["verify", "--root", str(tmp_path), "--patch", str(tmp_path / "p.diff")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_was_applied_is_undone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    edit = tmp_path / "edit.json"
    edit.write_text('{"edits": [{"path": "a.txt", "search": "two\\n", "replace": "2\\n"}]}')

    assert main(["edit", "apply", "--root", str(tmp_path), str(edit)]) == 0
    applied = (tmp_path / "a.txt").read_bytes()
    assert main(["undo", "--root", str(tmp_path)]) == 0

    assert applied == b"one\r\n2\r\n"
    assert (tmp_path / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


PLACES = json.loads((Path(__file__).parents[1] / "data" / "edit-places.json").read_text("utf-8"))


def shown(folder: Path) -> dict[str, str]:
    """Return all files and links below a folder; a link is where it leads."""
    return {
        str(p.relative_to(folder)): f"-> {p.readlink()}" if p.is_symlink() else p.read_text()
        for p in sorted(folder.rglob("*"))
        if p.is_symlink() or p.is_file()
    }


@pytest.mark.parametrize(
    "edit",
    [
        {"edits": [{"path": "a.txt", "search": "a", "replace": "b"}]},
        {"writes": [{"path": "a.txt", "content": "b\n"}]},
        {"ops": [{"op": "delete", "path": "a.txt"}]},
    ],
)
def test_a_file_that_cannot_be_read_is_not_said_to_be_missing(
    edit: object, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "e.json").write_text(json.dumps(edit))

    def refuse(path: str) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    # Whoever runs the tests as root may read all files.
    monkeypatch.setattr(snapshot, "read_regular", refuse)

    assert main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "e.json")]) == 3

    answer = json.loads(capsys.readouterr().out)
    assert answer["code"] == "unreadable"
    assert "Permission denied" in answer["message"]


@pytest.mark.parametrize("case", PLACES, ids=lambda case: case["name"])
def test_an_edit_goes_where_links_and_roots_lead_and_nowhere_else(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "f"
    for name, text in case["before"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in case["roots"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, target in case["links"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target.replace("$F", str(folder)))
    edit = tmp_path / "edit"
    edit.write_text(case["edit"].replace("$F", str(folder)))
    before = shown(folder)

    roots = [item for name in case["roots"] for item in ("--root", str(folder / name))]
    code = main(["edit", "apply", *roots, str(edit)])

    answer = json.loads(capsys.readouterr().out)
    expected = {**before, **case.get("changed", {})}
    assert (code, answer.get("code")) == (3 if "code" in case else 0, case.get("code"))
    assert shown(folder) == {name: text for name, text in expected.items() if text is not None}


def test_a_name_that_is_no_text_is_written_out_where_only_text_can_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    edit = tmp_path / "edit.diff"
    edit.write_text('--- /dev/null\n+++ "b/caf\\351\\033[2J.py"\n@@ -0,0 +1 @@\n+y = 1\n')
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    said = []
    for command in (
        ["edit", "apply", str(edit)],
        ["checkpoints"],
        ["undo"],
        ["index", "--why", "caf\udce9.py"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "greenline", *command, "--root", str(tmp_path)],
            capture_output=True,
            env=strict,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        said.append(done.stdout.decode() + done.stderr.decode())

    assert "caf\\udce9\\x1b[2J.py" in said[1]
    assert f"restored {tmp_path}/caf\\udce9\\x1b[2J.py" in said[2]
    assert "caf\\udce9.py" in said[3]


def test_an_edit_that_changes_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "edit").write_text("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 1\n>>>>>>> REPLACE\n")

    assert main(["edit", "apply", "--root", str(tmp_path), str(tmp_path / "edit")]) == 0

    out, err = capsys.readouterr()
    assert json.loads(out) == {"status": "applied", "files": []}
    assert "changes nothing" in err
