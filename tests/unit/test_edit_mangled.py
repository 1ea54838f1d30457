"""Edits that were right and got mangled on the way are applied or refused, and never anything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import EditRejected, OutsideWorkspace
from greenline.edit.apply import edit_set_from_diff, edit_set_from_text
from greenline.edit.format import EditFormat
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.staging import Staging
from greenline.edit.unified import parse

FILES = {"/w/a.py": b"def f():\n    x = 1\n\n    return x\n" * 3, "/w/b.py": b"", "/w/\xe9.py": b"\xe9\n"}
EDITS = [
    "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n def f():\n-    x = 1\n+    x = 2\n \n",
    "```diff\n--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,1 @@ def f():\n-    x = 1\n-\n```\nThat is all.\n",
    '--- "a/\\303\\251.py"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n',
    "diff --git a/a.py b/c.py\nsimilarity index 90%\nrename from a.py\nrename to c.py\nold mode 100644\n"
    "new mode 100755\n",
    'diff --git "a/\\"q.py" "b/\\"q.py"\nnew file mode 100644\n--- /dev/null\n+++ "b/\\"q.py"\n'
    "@@ -0,0 +1 @@\n+x\n",
    "a.py\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> REPLACE\n",
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: d.py\n@@ def f():\n-    x = 1\n+    x = 2\n"
    "*** Add File: n.py\n+x\n*** Delete File: b.py\n*** End Patch\n",
    "a.py\n```python\ndef f():\n    pass\n```\n",
    '{"edits":[{"path":"a.py","search":"x = 1\\n","replace":"y\\n","start_line":2}],"writes":[{"path":"n.py",'
    '"content":"x"}]}',
    '{"ops":[{"op":"update","path":"a.py","diff":"@@ -2 +2 @@\\n-    x = 1\\n+    x = 2\\n"},{"op":"move",'
    '"path":"b.py","move_to":"c.py"},{"op":"delete","path":"a.py"}]}',
]
TOKENS = st.sampled_from(
    [
        "\\",
        "\\ No newline at end of file\n",
        '"',
        "\n",
        "\n\n",
        "\r",
        "@@",
        "@@\n",
        "--- ",
        "+++ ",
        "-",
        "+",
        " ",
        "```",
        "/dev/null",
        "\x00",
        "\ud800",
        "\udc80",
        "\u2028",
        "\x0c",
        "-1,",
        "99999999999999999999",
        "{",
        "}",
        "[",
        "]",
        "null",
        "%s",
        "*** Move to: ",
        "*** End of File\n",
        "diff --git ",
        "../",
        "rename to ",
        "copy from x\n",
        "new file mode 1",
        "old mode \n",
        "new mode \n",
        "a.py",
        "\\777",
        "\\ud800",
        "<<<<<<< SEARCH\n",
        "=======\n",
        "1e999",
        "Binary files x\n",
    ]
)


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """Return a good edit with pieces put in, left out, or said twice."""
    edit = draw(st.sampled_from(EDITS))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(edit)))
        size = draw(st.integers(1, 30))
        how = draw(st.sampled_from(["put in", "put at a line", "leave out", "say twice", "cut off"]))
        if how == "put at a line":
            at = edit.rfind("\n", 0, at) + 1
        if how.startswith("put"):
            edit = edit[:at] + draw(TOKENS) + edit[at:]
        elif how == "leave out":
            edit = edit[:at] + edit[at + size :]
        elif how == "say twice":
            edit = edit[:at] + edit[max(0, at - size) :]
        else:
            edit = edit[: max(at, len(edit) - size)]
    return edit


@given(mangled(), st.sampled_from([None, "a.py"]), st.sampled_from([None, *EditFormat]))
@settings(max_examples=1500, deadline=None)
def test_a_mangled_edit_is_applied_or_refused(edit: str, path: str | None, form: EditFormat | None) -> None:
    try:
        changes = edit_set_from_text(edit, Staging(FILES.get, "/w"), path, form).changes
    except (EditRejected, OutsideWorkspace) as error:
        assert error.message
    else:
        assert all(change.path.startswith("/w/") for change in changes)


@given(mangled())
@settings(max_examples=300, deadline=None)
def test_a_mangled_patch_is_read_or_refused(edit: str) -> None:
    try:
        edit_set_from_diff(edit, FILES.get, "/w")
    except (EditRejected, OutsideWorkspace) as error:
        assert error.message


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n\\ No newline at end of file\n-x\n+y\n", 3),
        ("--- a/a.py\n+++ b/a.py\n@@\n\\ No newline at end of file\n", 3),
        ('--- "a/\ud800.py"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', 1),
        ('diff --git a/a.py b/b.py\nrename from a.py\nrename to "\ud800.py"\n', 3),
    ],
)
def test_what_cannot_be_read_of_a_diff_is_named_by_its_line(edit: str, line: int) -> None:
    with pytest.raises(EditRejected, match=f"at line {line} ") as caught:
        edit_set_from_text(edit, Staging(FILES.get, "/w"))

    assert caught.value.code == "malformed"


@pytest.mark.parametrize("head", ["diff --cc a.py\nindex 1,2..3\n", "diff --combined a.py\n", ""])
@pytest.mark.parametrize("names", ["--- a/a.py\n+++ b/a.py\n", ""])
def test_the_diff_of_a_merge_is_refused_with_a_way_out(head: str, names: str) -> None:
    with pytest.raises(EditRejected) as caught:
        parse(f"{head}{names}@@@ -1,3 -1,3 +1,4 @@@\n  alpha\n++BETA\n  beta\n  gamma\n", "a.py")

    assert caught.value.code == "malformed"
    assert "git diff PARENT" in caught.value.remedy


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", " a\n-b\n+B\n\\ No newline at end of file\n", "a\nB"),
        ("a\r\nb", " a\n-b\n+B\n\\ No newline at end of file\n", "a\r\nB"),
        ("a\nb", " a\n b\n+c\n\\ No newline at end of file\n", "a\nb\nc"),
        ("a\nb", " a\n-b\n+B\n", "a\nB"),
        ("a\nb\n", " a\n-b\n+B\n\\ No newline at end of file\n", "a\nB"),
        ("a\nb", " a\n-b\n\\ No newline at end of file\n+B\n", "a\nB\n"),
        ("a\nb\n", " a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", "a\nB\n"),
    ],
)
def test_a_file_ends_as_the_new_side_says_where_one_side_is_marked(
    before: str, hunk: str, after: str
) -> None:
    (patch,) = parse(f"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,{2 + ('+c' in hunk)} @@\n{hunk}")

    assert apply_patch_hunks(before, patch.hunks) == after
