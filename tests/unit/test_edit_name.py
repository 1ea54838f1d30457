"""Names in a diff's header that end in a word or a timestamp: a part of the name, or an addition to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_diff, edit_set_from_text
from greenline.edit.name import unstamped
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

BODY = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
STAMPS = [" new", " original", " (modified)", " revision 3", " 2024-01-02 10:00:00"]


def changed(root: Path, diff: str) -> dict[str, bytes | None]:
    """Return the new bytes of what a diff changes, by name."""

    def read(path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    edits = edit_set_from_diff(diff, read, str(root))
    return {str(Path(change.path).relative_to(root)): change.after for change in edits.changes}


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("has_other", [False, True])
@pytest.mark.parametrize("git", ["", "diff --git a/{0} b/{0}\nindex 1..2 100644\n"])
def test_a_file_whose_name_ends_so_is_that_file(
    tmp_path: Path, stamp: str, has_other: bool, git: str
) -> None:
    name = f"notes{stamp}"
    for one in [name, "notes"] if has_other else [name]:
        (tmp_path / one).write_text("a\nb\n")
    tab = "\t" if git else ""

    found = changed(tmp_path, f"{git.format(name)}--- a/{name}{tab}\n+++ b/{name}{tab}\n{BODY}")

    assert found == {name: b"a\nc\n"}


@pytest.mark.parametrize(
    "stamps", [(" (original)", " (modified)"), (STAMPS[4], STAMPS[4]), (" original", "")]
)
def test_what_a_header_adds_to_a_name_is_left_out(tmp_path: Path, stamps: tuple[str, str]) -> None:
    (tmp_path / "x.py").write_text("a\nb\n")

    assert changed(tmp_path, f"--- a/x.py{stamps[0]}\n+++ b/x.py{stamps[1]}\n{BODY}") == {"x.py": b"a\nc\n"}


def test_a_file_of_git_that_is_gone_is_not_taken_for_one_with_a_shorter_name(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a\nb\n")
    name = "notes new"

    with pytest.raises(EditRejected) as caught:
        changed(tmp_path, f"diff --git a/{name} b/{name}\n--- a/{name}\t\n+++ b/{name}\t\n{BODY}")

    assert caught.value.code == "missing"


def test_git_makes_and_renames_files_to_names_that_end_so(tmp_path: Path) -> None:
    (tmp_path / "x y").write_text("a\n")
    diff = "diff --git a/x y b/x new\nsimilarity index 100%\nrename from x y\nrename to x new\n"
    diff += "diff --git a/my updated b/my updated\nnew file mode 100644\n--- /dev/null\n+++ b/my updated\t\n"

    found = changed(tmp_path, f"{diff}@@ -0,0 +1 @@\n+z\n")

    assert found == {"x y": None, "x new": b"a\n", "my updated": b"z\n"}


def test_a_new_file_has_no_timestamp_behind_its_suffix(tmp_path: Path) -> None:
    diff = "--- /dev/null 1970-01-01 00:00:00\n+++ b/x.py 2024-01-02 10:00:00\n@@ -0,0 +1 @@\n+z\n"

    assert changed(tmp_path, diff) == {"x.py": b"z\n"}


def test_a_name_with_many_blanks_is_read_in_one_pass() -> None:
    # Read once for each blank it takes many minutes.
    name = "a" + " " * 400_000 + "b"

    assert unstamped(name) == name
    assert unstamped(f"{name}  (new)") == name


@pytest.mark.parametrize(
    ("name", "where"),
    [("app\\new.py", "app/new.py"), ("app\\sub\\new.py", "app/sub/new.py"), ("new\\a.py", "new\\a.py")],
)
def test_a_new_file_with_backslashes_lies_in_the_folder_that_is_there(
    tmp_path: Path, name: str, where: str
) -> None:
    (tmp_path / "app").mkdir()
    staging = Staging(Snapshot((str(tmp_path),)).read_bytes, str(tmp_path))
    edit = json.dumps({"ops": [{"op": "create", "path": name, "content": "x = 1\n"}]})

    (change,) = edit_set_from_text(edit, staging).changes

    assert change.path == str(tmp_path / where)


def test_a_header_with_backslashes_and_a_prefix_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.py").write_text("a\nb\n")

    assert changed(tmp_path, f"--- a\\app\\a.py\n+++ b\\app\\a.py\n{BODY}") == {"app/a.py": b"a\nc\n"}
