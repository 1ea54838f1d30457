"""Edits whose own place was changed since, while the text that they replace stands in a look-alike."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.replace import replace_once
from greenline.edit.unified import parse

BODY = '    log("x")\n    n = 1\n    if n:\n        return n\n    return 0\n\n\n'
BEFORE = f"def a():\n{BODY}def b():\n{BODY}"
CHANGED = BEFORE.replace("return n\n", "return n + 1\n", 1)
GROWN = BEFORE.replace("return n\n", "log(n)\n        return n + 1\n", 1)
HUNK = "     n = 1\n     if n:\n-        return n\n+        return None\n     return 0\n"


def patched(text: str, header: str, hunk: str = HUNK) -> str:
    """Return a text after a diff of one hunk."""
    (patch,) = parse(f"--- a/m.py\n+++ b/m.py\n{header}\n{hunk}")
    return apply_patch_hunks(text, patch.hunks)


@pytest.mark.parametrize("text", [CHANGED, GROWN])
@pytest.mark.parametrize("header", ["@@ -3,4 +3,4 @@", "@@ -3,4 +3,4 @@ def a():", "@@ ... @@ def a():"])
def test_a_diff_whose_own_place_was_changed_goes_to_no_look_alike(header: str, text: str) -> None:
    with pytest.raises(EditRejected) as caught:
        patched(text, header)

    assert caught.value.code == "no-match"
    assert caught.value.lines == (3, 11 if text == CHANGED else 12)


def test_a_search_whose_stated_place_was_changed_goes_to_no_look_alike() -> None:
    search = "    n = 1\n    if n:\n        return n\n    return 0\n"

    with pytest.raises(EditRejected) as caught:
        replace_once(CHANGED, search, search.replace("return n\n", "return None\n"), 2)

    assert caught.value.code == "no-match"


@pytest.mark.parametrize(
    "header", ["@@ -5,4 +5,4 @@", "@@ -11,4 +11,4 @@", "@@ ... @@ def b():", "@@ ... @@"]
)
def test_a_wrong_number_alone_changes_the_one_place(header: str) -> None:
    after = patched(CHANGED, header)

    assert after == "return None".join(CHANGED.rsplit("return n", 1))


def test_a_little_context_at_the_stated_line_is_chance() -> None:
    text = "a = 1\n}\nb = 2\n}\n"

    assert patched(text, "@@ -1,2 +1,2 @@", "-b = 2\n+b = 3\n }\n") == "a = 1\n}\nb = 3\n}\n"
