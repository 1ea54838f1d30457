"""Where an edit goes: the strictest match, one place alone, and new lines in the file's own form."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import EditRejected
from greenline.edit.hunk import diff_text
from greenline.edit.operation import PatchHunk
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.replace import replace_lines, replace_once
from greenline.edit.unified import parse

TWICE = "def f():\n    x = 1\n    return x\n\n\n" + "# text\n" * 30 + "def g():\n    x = 1\n    return x\n"


def hunk(body: str, start: int | None = None, heading: str = "") -> PatchHunk:
    """Return a hunk from a diff's body."""
    lines = tuple((line[0], line[1:] + "\n") for line in body.split("\n") if line)
    return PatchHunk(None if start is None else start - 1, lines, heading)


def refusal(text: str, *hunks: PatchHunk) -> EditRejected:
    """Return why hunks are refused."""
    with pytest.raises(EditRejected) as caught:
        apply_patch_hunks(text, hunks)
    return caught.value


@pytest.mark.parametrize(
    ("start", "heading", "place"),
    [(2, "", 2), (37, "", 37), (4, "", 2), (34, "", 37), (None, "def g():", 37), (None, "def f():", 2)],
)
def test_what_breaks_a_tie(start: int | None, heading: str, place: int) -> None:
    after = apply_patch_hunks(TWICE, [hunk("     x = 1\n-    return x\n+    return 2\n", start, heading)])

    assert [n for n, line in enumerate(after.split("\n"), 1) if line == "    return 2"] == [place + 1]


@pytest.mark.parametrize("start", [None, 1, 19, 20, 60])
def test_a_tie_that_nothing_breaks_is_ambiguous(start: int | None) -> None:
    error = refusal(TWICE, hunk("     x = 1\n-    return x\n+    return 2\n", start))

    assert (error.code, error.lines) == ("ambiguous", (2, 37))


@pytest.mark.parametrize(("start", "heading"), [(2, "def g():"), (37, "def f():")])
def test_a_heading_and_a_stated_line_that_contradict_each_other_are_ambiguous(
    start: int, heading: str
) -> None:
    error = refusal(TWICE, hunk("     x = 1\n-    return x\n+    return 2\n", start, heading))

    assert (error.code, error.lines) == ("ambiguous", (2, 37))


def test_hunks_with_one_place_move_the_numbers_of_their_neighbours() -> None:
    text = "top\n" + "a\nb\n" * 12 + "end\n"
    shifted = [hunk("-top\n+TOP\n", 5), hunk(" a\n-b\n+B\n", 12), hunk("-end\n+END\n", 30)]

    after = apply_patch_hunks(text, shifted)

    assert after.split("\n")[8] == "B"
    assert after.count("B") == 1


def test_a_number_that_fits_another_place_loosely_is_no_match_elsewhere() -> None:
    text = "if a:\n    go()\n    stop()\n" + "pass\n" * 20 + "go()\nstop()\nrest()\n"

    assert refusal(text, hunk(" go()\n-stop()\n+halt()\n", 2)).code == "ambiguous"


FAR = "def f():\n    x = 1\n    return x\n{}" + "pad\n" * 60 + "def f():\n    x = 1\n    return x\n{}"


@pytest.mark.parametrize("end", ["", "    # last\n"])
def test_a_stated_place_that_lacks_blank_lines_after_the_end_of_the_file_alone_is_meant(end: str) -> None:
    body = f" def f():\n-    x = 1\n+    x = 2\n     return x\n{end and ' ' + end} \n \n"
    text = FAR.format(f"{end}\n\n", end)

    after = apply_patch_hunks(text, [hunk(body, 66 + bool(end))])

    head, _, tail = text.rpartition("x = 1")
    assert after == f"{head}x = 2{tail}"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (FAR.format("end\n", "other\n"), " def f():\n-    x = 1\n+    x = 2\n     return x\n end\n"),
        (
            FAR.format("", "").replace("1\n    return x\npad", "1\npad"),
            " def f():\n-    x = 1\n+    x = 2\n pad\n",
        ),
        (
            "\ta\n\tb\n\tx\nc\n" + "pad\n" * 60 + "\ta\n\tb\n\tx\nm\nc\n",
            "     a\n     b\n-    x\n+    y\n c\n",
        ),
        ("a\nb\nx\nc\n" + "pad\n" * 60 + "a\nb\nm\nx\nc\n", " a\n b\n-x\n+y\n c\n"),
    ],
)
def test_a_stated_place_that_almost_fits_is_not_left_for_another(text: str, body: str) -> None:
    start = text.index("pad\n" * 60)
    there = text.count("\n", 0, start) + 61

    error = refusal(text, hunk(body, there))

    assert (error.code, error.lines) == ("ambiguous", (1, there))


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("a0\nb0\nc0\nd0\ne0\n", " a0\n c0\n-d0\n+D\n e0\n", "a0\nb0\nc0\nD\ne0\n"),
        ("a1\nb1\nc1\nd1\n", " a1\n a1\n b1\n-c1\n+C\n d1\n", "a1\nb1\nC\nd1\n"),
        ("x = 1  \ny = 2\n", " x = 1\n-y = 2\n+y = 3\n", "x = 1  \ny = 3\n"),
        ("say(“hi”)\nx\n", '-say("hi")\n+say("hi", 2)\n x\n', "say(“hi”, 2)\nx\n"),
        ('say("hi")\nx\n', "-say(“hi”)\n+say(“ho”)\n x\n", 'say("ho")\nx\n'),
        (
            "\tif a:\n\t\tb()\n",
            "     if a:\n-        b()\n+        c()\n+            d()\n",
            "\tif a:\n\t\tc()\n\t\t\td()\n",
        ),
        ("f(a,b)\ng()\n", "-f(a, b)\n+f(c)\n g()\n", "f(c)\ng()\n"),
    ],
)
def test_form_is_tolerated_and_the_files_own_is_kept(text: str, body: str, expected: str) -> None:
    assert apply_patch_hunks(text, [hunk(body)], path="a.py") == expected


@pytest.mark.parametrize(
    ("diff", "expected"),
    [
        ("@@ -1,0 +2 @@\n+x\n", "a\nx\nb\nc\n"),
        ("@@ -0,0 +1,2 @@\n+x\n+y\n@@ -2,0 +5 @@\n+z\n", "x\ny\na\nb\nz\nc\n"),
        ("@@ -1 +0,0 @@\n-a\n@@ -3,0 +3 @@\n+z\n", "b\nc\nz\n"),
        ("@@ -1,0 +70 @@\n+x\n", None),
        ("@@ -1,0 +1 @@\n+x\n", None),
        ("@@ -0,0 +1,2 @@\n+x\n+y\n@@ -2,0 +3 @@\n+z\n", None),
        ("@@ -1,0 @@\n+x\n", None),
    ],
)
def test_lines_without_any_around_them_need_numbers_that_agree(diff: str, expected: str | None) -> None:
    hunks = parse(f"--- a/f\n+++ b/f\n{diff}")[0].hunks

    if expected is None:
        assert refusal("a\nb\nc\n", *hunks).code == "no-match"
    else:
        assert apply_patch_hunks("a\nb\nc\n", hunks) == expected


@pytest.mark.parametrize("head", ["@@ -1,2 +1,3 @@", "@@ -1 +1,2 @@"])
def test_a_last_hunk_that_lacks_the_old_lines_it_claims_was_cut_off(head: str) -> None:
    hunks = parse(f"--- a/f\n+++ b/f\n{head}\n+x\n")[0].hunks

    assert refusal("a\nb\nc\n", *hunks).code == "malformed"


FLAT = "def f():\n    a()\n    b()\n"


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        (FLAT, "-def f():\n+def f(x):\n a()\n b()\n", FLAT.replace("f()", "f(x)")),
        (FLAT, "-def f():\n+def f(x):\n a()\n b()\n+c()\n", FLAT.replace("f()", "f(x)") + "    c()\n"),
        (FLAT, " def f():\n a()\n-b()\n+c()\n+d()\n", FLAT.replace("b()", "c()\n    d()")),
        (FLAT, " def f():\n a()\n+c()\n b()\n", FLAT.replace("    b", "    c()\n    b")),
        (
            "x = 1\ny = 2\n" + FLAT,
            " x = 1\n y = 2\n def f():\n-a()\n+c()\n",
            "x = 1\ny = 2\n" + FLAT.replace("a", "c"),
        ),
    ],
)
def test_a_new_line_is_indented_as_the_old_ones_beside_it(text: str, body: str, expected: str) -> None:
    assert apply_patch_hunks(text, [hunk(body)]) == expected


@pytest.mark.parametrize(
    "body",
    [" def f():\n+c()\n a()\n b()\n", "-def f():\n-a()\n+def f(x):\n b()\n", "+c()\n def f():\n a()\n b()\n"],
)
def test_a_new_line_between_two_indentations_that_the_edit_has_as_one_is_refused(body: str) -> None:
    assert refusal(FLAT, hunk(body)).code == "no-match"


@pytest.mark.parametrize(
    "body",
    [
        " a\n-x\n+y\n c\n",
        " a\n z\n-b\n+B\n c\n",
        " a\n+new\n c\n",
        " e\n-f\n",
    ],
)
def test_other_text_is_no_match(body: str) -> None:
    assert refusal("a\nb\nc\nd\ne\n", hunk(body)).code == "no-match"


def test_an_inserted_line_next_to_a_doubled_blank_has_no_place() -> None:
    assert refusal("a = 1\n\n\nb = 2\nc = 3\n", hunk(" a = 1\n \n+x\n b = 2\n c = 3\n")).code == "no-match"


def test_combining_characters_match_in_either_form() -> None:
    text = unicodedata.normalize("NFD", "größe = 'café'\nx\n")

    after = replace_once(text, "größe = 'café'\n", "größe = 'café crème'\n")

    assert after == unicodedata.normalize("NFD", "größe = 'café") + " crème'\nx\n"


def test_a_stated_line_chooses_and_a_wrong_one_does_not() -> None:
    assert replace_once("x\ny\nx\n", "x", "z", 2) == "x\ny\nz\n"
    with pytest.raises(EditRejected) as caught:
        replace_once("x\ny\nx\n", "x", "z", 1)
    assert (caught.value.code, caught.value.lines) == ("ambiguous", (1, 3))


def test_whole_lines_are_not_pieces_of_lines() -> None:
    assert replace_lines("max = 1\nx = 1\n", "x = 1\n", "x = 2\n") == "max = 1\nx = 2\n"
    assert replace_once("max = 1\nx = 1\n", "x = 1\n", "x = 2\n") == "max = 1\nx = 2\n"
    with pytest.raises(EditRejected):
        replace_lines("x = 10\n", "x = 1\n", "x = 2\n")


LINES = st.lists(st.text(alphabet="ab \t\u00e9e\u0301\U0001f600\x0c\u2028\x85", max_size=5), max_size=10)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n"])


@given(LINES, LINES, ENDS, st.booleans(), st.booleans())
@settings(max_examples=300)
def test_apply_after_invert_is_the_identity(
    old: list[str], new: list[str], end: str, old_ends: bool, new_ends: bool
) -> None:
    before, after = end.join(old) + (end if old_ends else ""), end.join(new) + (end if new_ends else "")
    if before == after:
        return

    forward, back = (parse(diff_text("a", x, y))[0].hunks for x, y in ((before, after), (after, before)))

    assert apply_patch_hunks(before, forward) == after
    assert apply_patch_hunks(after, back) == before


@given(st.data())
@settings(max_examples=200)
def test_bytes_outside_a_hunk_are_equal(data: st.DataObject) -> None:
    """However the search is written, only the lines that it names change, whatever their neighbours hold."""
    ends = st.sampled_from(["\n", "\r\n"])
    lines = data.draw(st.lists(st.tuples(st.text(alphabet="ab \x0c\u2028é", max_size=4), ends), max_size=6))
    place = data.draw(st.integers(0, len(lines)))
    own_end = data.draw(ends)
    head, tail = ("".join(a + b for a, b in part) for part in (lines[:place], lines[place:]))
    loosen = data.draw(st.sampled_from(["target = 1", "target = 1  ", "  target = 1", "target\u00a0= 1"]))

    after = replace_lines(head + "target = 1" + own_end + tail, loosen + "\n", "other = 2\n")

    assert after.startswith(head)
    assert after.endswith(own_end + tail)
    assert after[len(head) :].split(own_end)[0].strip() == "other = 2"


@given(
    st.lists(st.text(alphabet="abä", min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_a_write_keeps_encoding_and_line_ends(lines: list[str], encoding: str, end: str, ends: bool) -> None:
    from greenline.edit.apply import edit_set_from_text
    from greenline.edit.staging import Staging

    before = end.join(["first", *lines]) + (end if ends else "")
    edit = {"writes": [{"path": "a", "content": "\n".join(["FIRST", *lines]) + ("\n" if ends else "")}]}
    named = None if encoding.startswith("utf") else encoding
    held = {"/w/a": before.encode(encoding)}

    (change,) = edit_set_from_text(json.dumps(edit), Staging(held.get, "/w", encoding=named)).changes

    assert change.after == before.replace("first", "FIRST").encode(encoding)
