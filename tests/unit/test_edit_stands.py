"""What hunks replace stands or not after what was typed later, also where they have no lines of their own."""

from __future__ import annotations

import pytest

from greenline.core.edit import FileChange
from greenline.edit.hunk import changed_spans, split, stands
from greenline.edit.text import split_lines
from greenline.lsp.landing import _is_before, _is_typed_over
from greenline.lsp.review import FileEdit


@pytest.mark.parametrize(
    ("now", "is_there"),
    [
        ("a\nc\nz\n", True),
        ("A\nc\n", True),
        ("a\nC\n", True),
        ("a\nb\nc\n", False),
        ("a\nb\nC\n", False),
        ("A\nb\nc\n", False),
    ],
)
def test_a_deletion_that_is_put_back_beside_another_change_does_not_stand(now: str, is_there: bool) -> None:
    deleted, whole = "a\nc\n", "a\nb\nc\n"
    (hunk,) = split(FileChange("a", b"", b""), deleted, whole)
    lines = split_lines(now)

    assert stands(hunk, changed_spans(split_lines(deleted), lines), lines) == is_there


@pytest.mark.parametrize("now", ["A\nINS2\nb\n", "a\nINS2\nB\n", "a\nINS2\nb\n"])
def test_an_inserted_line_that_is_retyped_with_a_neighbour_is_not_the_text_before(now: str) -> None:
    edit = FileEdit("/w/a", "edit", "a\nb\n", "a\nINS\nb\n", 1)

    assert not _is_before(edit, now)
    assert not _is_typed_over(edit, now)
