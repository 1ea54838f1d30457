"""Trees of git: exact bytes of a revision or the index, and the changes since, with no filter run."""

from __future__ import annotations

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
