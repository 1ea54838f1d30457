"""Blocks between longer markers, and the lines above a block or a fence that name its file."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

CONFLICT = "<<<<<<< ours\nblue\n=======\nred\n>>>>>>> theirs\n"
BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"


def applied(edit: str, before: dict[str, str]) -> dict[str, str]:
    """Return the new text of what an edit changes, by name."""
    staging = Staging({f"/w/{name}": text.encode() for name, text in before.items()}.get, "/w")
    changes = edit_set_from_text(edit, staging).changes
    return {change.path.removeprefix("/w/"): (change.after or b"").decode() for change in changes}


@pytest.mark.parametrize("inner", [CONFLICT, BLOCK])
def test_a_block_between_longer_markers_may_hold_markers(inner: str) -> None:
    edit = f"N.md\n<<<<<<<<< SEARCH\n{inner}=========\nblue\n>>>>>>>>> REPLACE\n"

    assert applied(edit, {"N.md": f"R\n{inner}End\n"}) == {"N.md": "R\nblue\nEnd\n"}


def test_a_block_whose_markers_differ_in_length_is_read_as_before() -> None:
    edit = "N.md\n<<<<<<<< SEARCH\na\n========\nb\n>>>>>>> REPLACE\n"

    assert applied(edit, {"N.md": "a\n"}) == {"N.md": "b\n"}


def test_a_longer_marker_without_its_end_does_not_reach_into_the_next_block() -> None:
    edit = f"N.md\n<<<<<<<< SEARCH\na\n========\nb\n>>>>>>> REPLACE\n\n{BLOCK}"

    with pytest.raises(EditRejected):
        applied(edit, {"N.md": "x\n"})


@pytest.mark.parametrize("title", ["### Changes in `m.txt`", "## Update `m.txt`:", "# Fix for `m.txt`"])
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_a_heading_names_the_file_of_a_block(title: str, fence: str) -> None:
    assert applied(f"{title}\n{fence}{BLOCK}{fence}", {"m.txt": "a\n"}) == {"m.txt": "b\n"}


@pytest.mark.parametrize("line", ["n.txt (new file)", "**n.txt** (new)", "`n.txt` (created)"])
def test_a_line_names_a_new_file(line: str) -> None:
    assert applied(f"{line}\n```\nhello\n```\n", {}) == {"n.txt": "hello\n"}


def test_a_new_file_that_is_there_is_not_overwritten() -> None:
    with pytest.raises(EditRejected):
        applied("n.txt (new file)\n```\nhello\n```\n", {"n.txt": "x\n"})
