"""A diff whose end was cut off is refused, wherever it ends, and one with careless counts is not."""

from __future__ import annotations

import contextlib
import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

LINES = [f"line {number}" for number in range(30)]
BEFORE = "".join(line + "\n" for line in LINES)


def applied(edit: str, files: dict[str, str]) -> dict[str, str]:
    """Return the files that an edit changes, by name."""
    held = {f"/w/{name}": text.encode() for name, text in files.items()}
    changes = edit_set_from_text(edit, Staging(held.get, "/w")).changes
    return {change.path[3:]: (change.after or b"").decode() for change in changes}


def refusal(edit: str, files: dict[str, str]) -> str:
    """Return the code with which an edit is refused."""
    with pytest.raises(EditRejected) as caught:
        applied(edit, files)
    return caught.value.code


@given(
    st.dictionaries(st.integers(0, 29), st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=4),
    st.integers(0, 4),
    st.data(),
)
@settings(max_examples=400, deadline=None)
def test_a_diff_cut_at_a_line_end_is_whole_or_refused(
    changes: dict[int, tuple[bool, int]], n_context: int, data: st.DataObject
) -> None:
    after: list[str] = []
    for number, line in enumerate(LINES):
        is_kept, n_added = changes.get(number, (True, 0))
        after += [f"new {number}.{added}" for added in range(n_added)] + ([line] if is_kept else [])
    diff = list(difflib.unified_diff(LINES, after, "a/m.txt", "b/m.txt", lineterm="", n=n_context))
    if not diff:
        return
    size = data.draw(st.integers(3, len(diff)))
    # Nothing shows that a hunk was to follow, so the diff that ends with this one is what is meant.
    end = next((row for row in range(size, len(diff)) if diff[row].startswith("@@")), len(diff))
    expected = applied("".join(line + "\n" for line in diff[:end]), {"m.txt": BEFORE})

    try:
        found = applied("".join(line + "\n" for line in diff[:size]), {"m.txt": BEFORE})
    except EditRejected as error:
        assert size < end
        assert error.code == "malformed"
    else:
        assert found == expected
    if end == len(diff):
        assert expected == {"m.txt": "".join(line + "\n" for line in after)}


@pytest.mark.parametrize("names", ["--- /dev/null\n+++ b/new.txt\n", "--- a/new.txt\n+++ b/new.txt\n"])
def test_a_new_file_with_fewer_lines_than_its_header_says_is_refused(names: str) -> None:
    assert refusal(f"{names}@@ -0,0 +1,4 @@\n+a\n+b\n", {}) == "malformed"


@pytest.mark.parametrize("ending", ["```\n", "```\n\nThat is all.\n"])
def test_counts_are_not_believed_where_the_diff_is_closed(ending: str) -> None:
    diff = f"```diff\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,4 @@\n+a\n+b\n{ending}"

    assert applied(diff, {}) == {"new.txt": "a\nb\n"}


@pytest.mark.parametrize("ranges", ["-4,9 +4,1", "-4,8 +4,8", "-4,1 +4,1", "-4,7 +4,9"])
def test_careless_counts_of_a_whole_hunk_are_tolerated(ranges: str) -> None:
    body = " line 3\n line 4\n line 5\n-line 6\n+new\n line 7\n line 8\n line 9\n"

    found = applied(f"--- a/m.txt\n+++ b/m.txt\n@@ {ranges} @@\n{body}", {"m.txt": BEFORE})

    assert found == {"m.txt": BEFORE.replace("line 6\n", "new\n")}


@pytest.mark.parametrize(
    "below",
    [
        "-- \n2.39.5\n\n",
        "-- \n2.39.5 (Apple Git-154)\n",
        "--\n2.39.5\n",
        "\n- this is a summary of it\n- and another line of it\n",
        "\n+ added new instead of six\n",
    ],
)
def test_what_stands_below_a_whole_hunk_is_no_part_of_it(below: str) -> None:
    body = " line 5\n-line 6\n+new\n line 7\n"

    found = applied(f"--- a/m.txt\n+++ b/m.txt\n@@ -6,3 +6,3 @@\n{body}{below}", {"m.txt": BEFORE})

    assert found == {"m.txt": BEFORE.replace("line 6\n", "new\n")}


@pytest.mark.parametrize("below", ["- this is a summary of it\n", "+ added new instead of six\n"])
def test_what_may_be_a_change_more_than_is_counted_is_refused(below: str) -> None:
    body = " line 5\n-line 6\n+new\n line 7\n"

    with pytest.raises(EditRejected) as caught:
        applied(f"--- a/m.txt\n+++ b/m.txt\n@@ -6,3 +6,3 @@\n{body}{below}", {"m.txt": BEFORE})

    assert caught.value.code == "malformed"


def test_a_dash_with_a_blank_is_a_removed_line_where_the_counts_say_so() -> None:
    diff = "--- a/m.txt\n+++ b/m.txt\n@@ -1,2 +1,1 @@\n-- \n x\n"

    assert applied(diff, {"m.txt": "- \nx\n"}) == {"m.txt": "x\n"}


@pytest.mark.parametrize("git", ["", "diff --git a/n.txt b/n.txt\n"])
def test_a_diff_cut_inside_the_next_file_s_header_is_refused(git: str) -> None:
    # Without its header's other half, the cut line reads as one more removed line: an empty one is there.
    files = {"m.txt": "one\ntwo\n\n\nthree\n", "n.txt": "x\n"}
    first = "--- a/m.txt\n+++ b/m.txt\n@@ -1,3 +1,2 @@\n one\n-two\n \n"
    second = f"{git}--- a/n.txt\n+++ b/n.txt\n"

    assert applied(first, files) == {"m.txt": "one\n\n\nthree\n"}
    for size in range(1, len(second)):
        with pytest.raises(EditRejected):
            applied(first + second[:size], files)


def test_a_move_is_never_made_to_a_name_that_was_cut_off() -> None:
    files = {"old.txt": "x\n"}
    move = "diff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt"

    for size in range(1, len(move)):
        with contextlib.suppress(EditRejected):
            assert set(applied(move[:size], files)) == {"old.txt", "new.txt"}
    assert applied(move, files) == applied(move + "\n", files) == {"new.txt": "x\n", "old.txt": ""}
