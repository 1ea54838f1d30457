"""Diffs become edit sets whole or not at all, tolerant of wrong counts and strict about where they write."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.core.edit import EditSet
from greenline.core.error import EditRejected, OutsideWorkspace
from greenline.edit.apply import edit_set_from_diff
from greenline.edit.replace import replace_once

BASE = "def f(x):\n    if x > 1:\n        return x\n    return 0\n"


def edits(root: Path, diff: str, files: dict[str, str] | None = None) -> EditSet:
    """Apply a diff to files below a root."""
    held = {str(root / name): text.encode() for name, text in (files or {"a.py": BASE}).items()}
    return edit_set_from_diff(diff, held.get, str(root))


@pytest.mark.parametrize(
    "header",
    [
        "@@ -2,3 +2,3 @@\n",
        "@@ -40,9 +40,1 @@ def f(x):\n",
        "@@ ... @@\n",
    ],
)
@pytest.mark.parametrize("names", ["--- a/a.py\n+++ b/a.py\n", "--- a.py\n+++ a.py\n"])
def test_wrong_counts_and_numbers_are_tolerated(tmp_path: Path, header: str, names: str) -> None:
    diff = f"{names}{header}     if x > 1:\n-        return x\n+        return x + 1\n     return 0\n"

    (change,) = edits(tmp_path, diff).changes

    assert change.after == BASE.replace("return x", "return x + 1").encode()


def test_the_nearest_of_several_places_is_taken(tmp_path: Path) -> None:
    text = "a\nx\n" * 10
    diff = "--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n a\n-x\n+y\n"

    (change,) = edits(tmp_path, diff, {"a.py": text}).changes

    assert change.after == ("a\nx\n" * 4 + "a\ny\n" + "a\nx\n" * 5).encode()


def test_git_headers_move_create_and_delete(tmp_path: Path) -> None:
    diff = (
        "diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n"
        "--- a/a.py\n+++ b/b.py\n@@ -4 +4 @@\n-    return 0\n+    return 2\n"
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\n"
        "--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )

    changes = {Path(c.path).name: c for c in edits(tmp_path, diff, {"a.py": BASE, "gone": "x\n"}).changes}

    assert changes["a.py"].after is None
    assert changes["b.py"].after == BASE.replace("0", "2").encode()
    assert changes["a.py"].moved_from == changes["b.py"].moved_from == str(tmp_path / "a.py")
    assert (changes["run.sh"].before, changes["run.sh"].mode) == (None, 0o755)
    assert changes["gone"].after is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../x.py", "outside-workspace"),
        ("/etc/passwd", "outside-workspace"),
        (".git/hooks/pre-commit", "protected"),
        ("missing.py", "missing"),
    ],
)
def test_a_diff_that_cannot_go_through_changes_nothing(tmp_path: Path, name: str, code: str) -> None:
    good = "--- a/a.py\n+++ b/a.py\n@@ -4 +4 @@\n-    return 0\n+    return 1\n"
    bad = f"--- {name}\n+++ {name}\n@@ -1 +1 @@\n-a\n+b\n"

    with pytest.raises((EditRejected, OutsideWorkspace)) as caught:
        edits(tmp_path, good + bad)

    assert caught.value.code == code


@pytest.mark.parametrize("kind", ["link", "file", "relative file", "of another folder", "bare"])
@pytest.mark.parametrize("name", ["store/hooks/pre-commit", "store/config", "other/hooks/pre-commit"])
def test_no_edit_reaches_the_folder_of_git_by_another_name(tmp_path: Path, kind: str, name: str) -> None:
    store = tmp_path / "store"
    (store / "hooks").mkdir(parents=True)
    (tmp_path / "other").symlink_to("store")
    (tmp_path / "sub").mkdir()
    if kind == "link":
        (tmp_path / ".git").symlink_to("store")
        name = name.replace("store", ".git")
    elif kind in ("of another folder", "bare"):
        for folder in ("objects", "refs"):
            (store / folder).mkdir()
        (store / "HEAD").write_text("ref: refs/heads/main\n")
        if kind != "bare":
            (tmp_path / "sub" / ".git").write_text("gitdir: ../store\n")
    else:
        (tmp_path / ".git").write_text(f"gitdir: {store if kind == 'file' else './store'}\n")

    with pytest.raises(EditRejected) as caught:
        edits(tmp_path, f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n")

    assert caught.value.code == "protected"


def test_a_git_file_that_names_no_folder_keeps_nothing_out(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: a\0b\n")

    (change,) = edits(tmp_path, "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+x\n").changes

    assert change.after == b"x\n"


def test_a_creation_over_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EditRejected) as caught:
        edits(tmp_path, "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n")

    assert caught.value.code == "exists"


def test_a_search_in_two_places_names_their_lines() -> None:
    with pytest.raises(EditRejected, match="lines 1, 3") as caught:
        replace_once("x\ny\nx\n", "x", "z")

    assert caught.value.code == "ambiguous"


def test_a_search_for_nothing_of_the_file_is_refused() -> None:
    with pytest.raises(EditRejected) as caught:
        replace_once("x\n", "something else\n", "z\n")

    assert caught.value.code == "no-match"


def test_a_replacement_takes_the_line_ends_of_the_file() -> None:
    assert replace_once("a\r\nb\r\n", "b", "b\nc") == "a\r\nb\r\nc\r\n"


@pytest.mark.parametrize(
    ("text", "search", "replacement"),
    [
        ("limit_x = 1\n", "x = 1\n", "x = 2\n"),
        ("limit_x = 1\r\n", "x = 1\n", "x = 2\n"),
        ("if x: y = 1\n", "y = 1\n", "y = 2\n"),
        ("    max_n = 3\n    return 1\n", "n = 3\n    return 1", "n = 5\n    return 1"),
        ("a\nx = 10\n", "\nx = 1", "\nx = 2"),
        ("a\nx = 1\n", "\nx = 1\n", "x = 2\n"),
        ("a\nx = 1\n", "\nx = 1", "x = 2"),
    ],
)
def test_lines_that_are_only_parts_of_the_file_s_lines_are_not_found(
    text: str, search: str, replacement: str
) -> None:
    with pytest.raises(EditRejected) as caught:
        replace_once(text, search, replacement)

    assert caught.value.code == "no-match"


@pytest.mark.parametrize(
    ("text", "search", "replacement", "expected"),
    [
        ("def f():\n    x = 1\n", "x = 1\n", "if y:\n    x = 2\n", "def f():\n    if y:\n        x = 2\n"),
        ("limit_x = 1\nx = 1\n", "x = 1\n", "x = 2\n", "limit_x = 1\nx = 2\n"),
        ("x = 1\ny = 1\n", "x = 1\n", "x = 2", "x = 2\ny = 1\n"),
        ("a\r\nx = 1\r\ny = 1\r\n", "x = 1\n", "x = 2", "a\r\nx = 2\r\ny = 1\r\n"),
        ("a\n\nx = 1\n", "\nx = 1\n", "x = 2\n", "a\nx = 2\n"),
        ("a\nx = 1\n", "\nx = 1\n", "\nx = 2\n", "a\nx = 2\n"),
        ("a\nx = 1\nb\n", "\nx = 1", "", "a\nb\n"),
        ("x = f(a,\n      b)\n", "f(a,\n      b)", "g(a)", "x = g(a)\n"),
        ("    x = 1\n    y = 1\n", "x = 1\n    y", "x = 2\n    y", "    x = 2\n    y = 1\n"),
    ],
)
def test_whole_lines_and_pieces_of_lines_are_replaced(
    text: str, search: str, replacement: str, expected: str
) -> None:
    assert replace_once(text, search, replacement) == expected
