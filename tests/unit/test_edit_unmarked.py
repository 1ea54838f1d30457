"""What an edit shows without its marks is taken for what it is, or refused; nothing of it gets lost."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

HEAD = "--- a/a.py\n+++ b/a.py\n"
IMPORTS = "import json\nimport re\nimport sys\n\n\ndef a():\n    pass\n\n\ndef b():\n    pass\n"
CONTROL = "Package: x\nDescription: tool\n This is the tool.\n"


def applied(
    edit: str,
    before: str | None,
    path: str = "a.py",
    *,
    named: str | None = None,
) -> str | None:
    """Return a file's text after an edit of it."""
    held = {} if before is None else {f"/w/{path}": before.encode()}
    (change,) = edit_set_from_text(edit, Staging(held.get, "/w"), named).changes
    assert change.path == f"/w/{path}"
    return None if change.after is None else change.after.decode()


def code(edit: str, before: str | None, path: str = "a.py", *, named: str | None = None) -> str:
    with pytest.raises(EditRejected) as caught:
        applied(edit, before, path, named=named)
    return caught.value.code


def test_counted_lines_below_an_insertion_are_its_context() -> None:
    diff = HEAD + "@@ -10,3 +10,4 @@\n+import os\nimport json\nimport re\nimport sys\n"

    assert applied(diff, IMPORTS) == "import os\n" + IMPORTS


def test_a_counted_line_below_a_replacement_tells_its_place() -> None:
    diff = HEAD + "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\nz\n"

    assert applied(diff, "x = 1\ny\nx = 1\nz\n") == "x = 1\ny\nx = 2\nz\n"
    assert code(diff, "x = 1\ny\n") == "no-match"
    assert applied(f"```diff\n{diff}```\n", "x = 1\ny\nx = 1\nz\n") == "x = 1\ny\nx = 2\nz\n"


def test_a_line_of_the_file_below_a_hunk_that_stands_elsewhere_is_no_prose() -> None:
    diff = HEAD + "@@ -1,9 +1,9 @@\n-x = 1\n+x = 2\nz\n"

    assert code(diff, "x = 1\ny\nx = 3\nz\n") == "no-match"
    assert applied(diff, "x = 1\nz\n") == "x = 2\nz\n"
    assert applied(diff.replace("\nz\n", "\nThat is all.\n"), "x = 1\ny\n") == "x = 2\ny\n"


@pytest.mark.parametrize("fence", ["", "```diff\n"])
def test_more_changed_lines_than_are_counted_are_no_list_in_a_fence_and_refused_outside(fence: str) -> None:
    diff = "--- a/control\n+++ b/control\n@@ -2,2 +2,3 @@\n Description: tool\n  This is the tool.\n"
    diff += "+ It has two parts and more.\n+ It also has another part.\n"

    if fence:
        expected = CONTROL + " It has two parts and more.\n It also has another part.\n"
        assert applied(f"{fence}{diff}```\n", CONTROL, "control") == expected
    else:
        assert code(diff, CONTROL, "control") == "malformed"


def test_a_fence_that_lost_its_blank_is_a_line_of_the_file() -> None:
    diff = HEAD + "@@ -1,4 +1,4 @@\n ```\n-a\n+b\n```\n-end\n+END\n"

    assert applied(diff, "```\na\n```\nend\n") == "```\nb\n```\nEND\n"
    assert code(diff.replace("-1,4 +1,4", "-1,9 +1,9"), "```\na\n```\nend\n") == "malformed"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README.md", "# T\n\n```\nmake\n```\n\nMore\n"),
        ("a.py", 'def f():\n    """Say.\n\n```\nf()\n```\n    """\n'),
        ("a.js", "/* Say\n```\nf()\n```\n*/\nf();\n"),
    ],
)
def test_a_whole_file_that_shows_a_bare_fence_is_not_cut_at_it(name: str, content: str) -> None:
    edit = f"{name}\n```\n{content}```\n"

    assert code(edit, "old\n", name) == "ambiguous-block"
    assert applied(f"{name}\n````\n{content}````\n", "old\n", name) == content


@pytest.mark.parametrize("name", ["README.md", "a.py"])
def test_a_whole_file_without_fences_in_it_ends_at_its_own(name: str) -> None:
    edit = f"{name}\n```\nx = 1\n```\n\nThat is all.\n"

    assert applied(edit, "old\n", name) == "x = 1\n"


def test_an_example_below_a_file_is_no_part_of_it() -> None:
    edit = "a.py\n```python\nx = 1\n```\n\nRun it:\n\n```\npython a.py\n```\n"

    assert applied(edit, "old\n") == "x = 1\n"


def test_a_deletion_shows_what_it_deletes() -> None:
    diff = "diff --git a/a.py b/a.py\ndeleted file mode 100644\nindex e69de29..0000000\n"

    assert code(diff, "precious\n") == "malformed"
    assert applied(diff, "") is None


def test_a_page_break_that_an_edit_does_not_show_stays() -> None:
    block = "a.py\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\nz = 4\n>>>>>>> REPLACE\n"

    assert applied(block, "x\n\x0cy = 2\n") == "x\n\x0cy = 3\nz = 4\n"


@pytest.mark.parametrize(
    "line",
    [
        *("# (b and c unchanged)", "# b(), c() as is", "[rest of file]", "{{ existing code }}"),
        *("# leave everything else", "# code continues", "# unchanged code above", "# imports stay"),
        *("# as above", "# (no changes below)", "# def b ... (as is)", "# (def b as before)"),
        *("# existing validation", "# .....", "# no change from here on", "# ditto", "# other helpers"),
    ],
)
def test_a_line_that_stands_for_what_goes_is_an_elision(line: str) -> None:
    before = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"

    assert code(f"a.py\n```\ndef a():\n    return 4\n\n\n{line}\n```\n", before) == "elision"


@pytest.mark.parametrize(
    "line", ["# the order is unchanged", "# keys stay", "# as above", "# code continues", "# other helpers"]
)
def test_where_nothing_goes_such_a_line_is_a_comment(line: str) -> None:
    assert applied(f"a.py\n```\nx = 1\n{line}\ny = 2\n```\n", "x = 1\ny = 2\n") == f"x = 1\n{line}\ny = 2\n"


def test_dots_are_a_body_of_what_is_new() -> None:
    stub = "class P(Protocol):\n    def b(self) -> None:\n        ...\n"
    before = "import a\nimport b\nimport c\nimport d\nimport e\nimport f\n"

    assert applied(f"a.py\n```\n{stub}```\n", before) == stub
    assert code("a.py\n```\ndef b():\n    ...\n```\n", "def b():\n" + "    x()\n" * 6) == "elision"


def test_a_diff_of_another_file_than_the_one_named_beside_it_is_refused() -> None:
    diff = HEAD + "@@ -1 +1 @@\n-x = 1\n+x = 2\n"

    assert code(diff, "x = 1\n", named="b.py") == "malformed"
    assert applied(diff, "x = 1\n", named="a.py") == "x = 2\n"
