"""Kinds of edits that tools get wrong, many of each: line ends, ends of files, encodings, markers, elision …

`tests/data/edit-kinds.json` holds files before and after as bytes, one character (latin-1) a byte.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from greenline.core.error import EditRejected, InvalidInput, OutsideWorkspace
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

CASES = json.loads((Path(__file__).parents[1] / "data" / "edit-kinds.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_edit_of_this_kind(case: dict[str, Any]) -> None:
    held = {f"/w/{name}": text.encode("latin-1") for name, text in case["before"].items()}
    staging = Staging(held.get, "/w", encoding=case.get("encoding"))

    try:
        changes = edit_set_from_text(case["edit"], staging).changes
    except (EditRejected, InvalidInput, OutsideWorkspace) as error:
        assert error.code == case.get("code"), error
        return

    after = dict(held)
    for change in changes:
        if change.after is None:
            del after[change.path]
        else:
            after[change.path] = change.after
    assert {name[3:]: data.decode("latin-1") for name, data in after.items()} == case.get("after")
