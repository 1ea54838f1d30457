"""Trees of git: exact bytes of a revision or the index, and the changes since, with no filter run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from greenline.core.error import InvalidInput
from greenline.guard.gate import Gate
from greenline.workspace.revision import changes_since, staged_changes, tree_at
from greenline.workspace.snapshot import Snapshot


def git(root: Path, *arguments: str) -> None:
    """Run git as a user would."""
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def write(root: Path, files: dict[str, str]) -> None:
    """Lay files in a root."""
    for name, text in files.items():
        (root / name).write_text(text, "utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one commit, one staged and one unstaged change."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.py": "one\n", "gone.py": "x\n", ".gitignore": "made.py\n", "made.py": "m\n"})
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First")
    write(tmp_path, {"a.py": "two\n", "new.py": "n\n"})
    git(tmp_path, "add", "a.py")
    write(tmp_path, {"a.py": "three\n"})
    (tmp_path / "gone.py").unlink()
    return tmp_path


def test_a_revision_is_read_as_stored(repository: Path) -> None:
    tree = tree_at(str(repository), "HEAD")

    assert {name: file.content for name, file in tree.items()} == {
        ".gitignore": b"made.py\n",
        "a.py": b"one\n",
        "gone.py": b"x\n",
    }


def test_changes_since_a_revision(repository: Path) -> None:
    root = str(repository)
    snapshot = Snapshot((root,))

    base, edits = changes_since(root, "HEAD", snapshot.tree(root, Gate((root,))), snapshot.list_files(root))

    assert base["made.py"].content == b"m\n"
    assert [(Path(c.path).name, c.before, c.after) for c in edits.changes] == [
        ("a.py", b"one\n", b"three\n"),
        ("gone.py", b"x\n", None),
        ("new.py", None, b"n\n"),
    ]


def test_staged_changes_are_those_of_the_index(repository: Path) -> None:
    root = str(repository)
    snapshot = Snapshot((root,))

    _, edits = staged_changes(root, snapshot.tree(root, Gate((root,))), snapshot.list_files(root))

    assert [(Path(c.path).name, c.after) for c in edits.changes] == [("a.py", b"two\n")]


@pytest.mark.parametrize("revision", ["nope", "--output=x", ""])
def test_a_revision_that_is_none_is_refused(repository: Path, revision: str) -> None:
    with pytest.raises(InvalidInput):
        tree_at(str(repository), revision)


def test_a_bare_repository_has_no_working_files_and_none_deleted(repository: Path) -> None:
    bare = repository / "bare.git"
    git(repository, "clone", "-q", "--bare", str(repository), str(bare))

    with pytest.raises(InvalidInput, match="no working files"):
        changes_since(str(bare), "HEAD", {}, ())
    with pytest.raises(InvalidInput, match="no working files"):
        staged_changes(str(bare), {}, ())
    with pytest.raises(InvalidInput, match="no working files"):
        changes_since(str(repository / ".git"), "HEAD", {}, ())


def since(root: Path) -> list[tuple[str, bytes | None, bytes | None]]:
    """Return what changed since the last commit."""
    snapshot = Snapshot((str(root),))
    current = snapshot.tree(str(root), Gate((str(root),)))
    _, edits = changes_since(str(root), "HEAD", current, snapshot.list_files(str(root)))
    return [(Path(c.path).name, c.before, c.after) for c in edits.changes]


@pytest.mark.parametrize(
    "attributes",
    [
        "*.py text eol=crlf\n",
        "*.py text=auto eol=crlf\n",
        "*.py eol=crlf\n",
        "*.py crlf\n",
        "*.py crlf=input\n",
        "*.py text=input\n",
        "",
    ],
)
def test_line_ends_that_git_converts_are_no_change(tmp_path: Path, attributes: str) -> None:
    git(tmp_path, "init", "-q")
    if not attributes:
        git(tmp_path, "config", "core.autocrlf", "true")
    write(tmp_path, {".gitattributes": attributes, "a.py": "one\ntwo\n", "b.py": "one\n", "c.txt": "x\n"})
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First")
    (tmp_path / "a.py").write_bytes(b"one\r\nthree\r\n")
    (tmp_path / "b.py").write_bytes(b"one\r\n")

    assert since(tmp_path) == [("a.py", b"one\r\ntwo\r\n", b"one\r\nthree\r\n")]


def test_line_ends_that_git_keeps_are_a_change(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", "false")
    write(tmp_path, {".gitattributes": "*.bin -text\n", "a.py": "one\n", "b.bin": "one\n"})
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First")
    for name in ("a.py", "b.bin"):
        (tmp_path / name).write_bytes(b"one\r\n")

    assert [name for name, _, _ in since(tmp_path)] == ["a.py", "b.bin"]


def test_no_filter_of_the_repository_is_started_to_compare(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitattributes": "*.py text eol=crlf filter=mean\n", "a.py": "one\n"})
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First")
    git(tmp_path, "config", "filter.mean.clean", f"touch {tmp_path}/started; cat")
    (tmp_path / "a.py").write_bytes(b"one\r\n")

    assert since(tmp_path) == []
    assert not (tmp_path / "started").exists()


def test_a_submodule_is_no_part_of_a_change(tmp_path: Path) -> None:
    inner, root = tmp_path / "inner", tmp_path / "root"
    for folder in (inner, root):
        folder.mkdir()
        git(folder, "init", "-q")
        write(folder, {"a.py": "one\n"})
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "First")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor")
    git(root, "commit", "-q", "-m", "Vendor")
    write(root / "vendor", {"a.py": "two\n", "b.py": "new\n"})
    write(root, {"a.py": "two\n"})

    assert since(root) == [("a.py", b"one\n", b"two\n")]


def test_a_repository_of_another_user_is_said_in_git_s_words(repository: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(repository, 65534, -1)
    os.chown(repository / ".git", 65534, -1)

    with pytest.raises(InvalidInput) as caught:
        tree_at(str(repository), "HEAD")

    assert "dubious ownership" in str(caught.value)
    assert f"git config --global --add safe.directory {repository}" in caught.value.remedy
