"""Line numbers of several edits of one file: of the file as it was, or as it is by then, never by chance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

PART = "# part\nx = 0\ny = 1\nz = 2\nend\n"
ALIKE = "top\n" + PART * 10
NAMED = "top\n" + "".join(PART.replace("part", f"part {n}") for n in range(10))
NAMED_0 = PART.replace("part", "part 0")
INSERTED = ("top\n", "top\na\nb\nc\n", None)


def result(root: Path, before: str, *edits: tuple[str, str, int | None]) -> str:
    (root / "a.txt").write_text(before)
    staging = Staging(Snapshot((str(root),)).read_bytes, str(root))
    items = [{"path": "a.txt", "search": s, "replace": r, "start_line": n} for s, r, n in edits]
    (change,) = edit_set_from_text(json.dumps({"edits": items}), staging).changes
    return (change.after or b"").decode()


def at(text: str, row: int, line: str) -> str:
    """Return a text with another line `row`, counted from 1."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: row - 1], line, *lines[row:]])


@pytest.mark.parametrize(
    ("before", "first", "row", "expected"),
    [
        (NAMED, INSERTED, 24, at(NAMED, 24, "y = 9\n").replace("top\n", "top\na\nb\nc\n")),
        (NAMED, INSERTED, 27, at(NAMED, 24, "y = 9\n").replace("top\n", "top\na\nb\nc\n")),
        (NAMED, ("y = 1\n", "y = 9\nw = 1\n", 4), 9, None),
        (ALIKE, ("top\n", "", None), 24, at(ALIKE, 24, "y = 9\n").removeprefix("top\n")),
        (ALIKE, ("y = 1\n", "y = 9\n", 9), 24, at(at(ALIKE, 24, "y = 9\n"), 9, "y = 9\n")),
    ],
)
def test_a_number_counts_where_one_reading_of_it_fits(
    tmp_path: Path, before: str, first: tuple[str, str, int | None], row: int, expected: str | None
) -> None:
    if expected is None:
        expected = at(at(before, 9, "y = 9\n"), 4, "y = 9\nw = 1\n")

    assert result(tmp_path, before, first, ("y = 1\n", "y = 9\n", row)) == expected


@pytest.mark.parametrize(
    ("before", "first"),
    [(ALIKE, (PART, "", 2)), (NAMED, (NAMED_0, "", None)), (ALIKE, ("top\n", "top\n" + "n\n" * 5, None))],
)
def test_a_number_that_fits_before_and_after_is_ambiguous(
    tmp_path: Path, before: str, first: tuple[str, str, int | None]
) -> None:
    with pytest.raises(EditRejected) as caught:
        result(tmp_path, before, first, ("y = 1\n", "y = 9\n", 24))

    assert caught.value.code == "ambiguous"
