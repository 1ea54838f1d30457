"""Parts of one edit that contradict each other are refused, with both places; parts that build up are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import Staging, edit_set_from_text
from greenline.workspace.snapshot import Snapshot

EDIT = {"path": "a.txt", "search": "beta", "replace": "B"}
WHOLE = {"path": "a.txt", "content": "all\n"}
DELETE = {"op": "delete", "path": "a.txt"}
UPDATE = {"op": "update", **EDIT}


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


UPDATED = ("*** Update File: a.txt", "@@", " alpha", "-beta", "+B")


def applied(root: Path, edit: str) -> dict[str, str | None]:
    (root / "a.txt").write_text("alpha\nbeta\n")
    (root / "l.txt").symlink_to("a.txt")
    changes = edit_set_from_text(edit, Staging(Snapshot((str(root),)).read_bytes, str(root))).changes
    return {Path(c.path).name: None if c.after is None else c.after.decode() for c in changes}


@pytest.mark.parametrize(
    ("edit", "first", "second"),
    [
        ({"writes": [WHOLE, {**WHOLE, "content": "b\n"}]}, "writes 1 gives all of a.txt", "writes 2"),
        ({"writes": [WHOLE, {**WHOLE, "path": "./a.txt"}]}, "writes 1", "writes 2 gives all of ./a.txt"),
        ({"writes": [WHOLE, {**WHOLE, "path": "l.txt"}]}, "writes 1", "writes 2 gives all of l.txt"),
        ({"edits": [EDIT], "writes": [WHOLE]}, "edits 1 changes a.txt", "writes 1"),
        ({"writes": [WHOLE], "ops": [UPDATE]}, "writes 1", "ops 1 changes a.txt"),
        ({"edits": [EDIT], "ops": [DELETE]}, "edits 1", "ops 1 deletes a.txt"),
        ({"edits": [EDIT], "ops": [{**DELETE, "path": "./a.txt"}]}, "edits 1", "ops 1 deletes ./a.txt"),
        ({"ops": [UPDATE, DELETE]}, "ops 1", "ops 2"),
        ({"ops": [DELETE, UPDATE]}, "ops 1 deletes", "ops 2 changes"),
        ({"writes": [{**WHOLE, "path": "l.txt"}], "ops": [DELETE]}, "writes 1 gives all of l.txt", "ops 1"),
        ({"ops": [DELETE, {"op": "create", "path": "l.txt", "content": "x\n"}]}, "ops 1", "ops 2 creates"),
        ({"ops": [{"op": "update", "path": "a.txt", **EDIT, "content": "x\n"}]}, "ops 1", "ops 1"),
        (patch(*UPDATED, "*** Delete File: a.txt"), "line 2 changes a.txt", "line 7 deletes a.txt"),
        (patch(*UPDATED, "*** Delete File: ./a.txt"), "line 2", "line 7"),
        (patch("*** Delete File: a.txt", *UPDATED), "line 2 deletes", "line 3 changes"),
        (patch("*** Add File: n", "+1", "*** Add File: n", "+2"), "line 2 creates n", "line 4 creates n"),
        ("n.py\n```\n1\n```\n./n.py\n```\n2\n```\n", "the fence at line 2", "the fence at line 6"),
    ],
)
def test_what_another_part_would_undo_is_refused_with_both_places(
    tmp_path: Path, edit: object, first: str, second: str
) -> None:
    text = edit if isinstance(edit, str) else json.dumps(edit)

    with pytest.raises(EditRejected, match="contradicts itself") as error:
        applied(tmp_path, text)

    assert error.value.code == "malformed"
    assert first in error.value.message
    assert second in error.value.message


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        ({"edits": [EDIT, {**EDIT, "search": "alpha", "replace": "A"}]}, {"a.txt": "A\nB\n"}),
        ({"edits": [EDIT, {**EDIT, "path": "l.txt", "search": "alpha"}]}, {"a.txt": "B\nB\n"}),
        ({"ops": [{**UPDATE, "move_to": "b.txt"}]}, {"a.txt": None, "b.txt": "alpha\nB\n"}),
        (patch("*** Delete File: a.txt", "*** Add File: a.txt", "+new"), {"a.txt": "new\n"}),
        (
            {
                "ops": [
                    {"op": "update", **WHOLE, "move_to": "b.txt"},
                    {"op": "create", "path": "a.txt", "content": "new\n"},
                ]
            },
            {"a.txt": "new\n", "b.txt": "all\n"},
        ),
        (
            {
                "ops": [
                    {"op": "create", "path": "n", "content": "x\n"},
                    {**UPDATE, "path": "n", "search": "x"},
                ]
            },
            {"n": "B\n"},
        ),
    ],
)
def test_parts_that_build_on_each_other_are_applied_in_order(
    tmp_path: Path, edit: object, after: dict[str, str | None]
) -> None:
    text = edit if isinstance(edit, str) else json.dumps(edit)

    assert applied(tmp_path, text) == after
