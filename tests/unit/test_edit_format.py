"""Every format says the same edit, is found among prose, and is refused where it can be read two ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import EditRejected, OutsideWorkspace
from greenline.edit.apply import edit_set_from_text
from greenline.edit.format import EditFormat, recognise
from greenline.edit.hunk import diff_text
from greenline.edit.path import writable_path
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

LINES = st.lists(
    st.text(alphabet="abc é\u2028\x0c'\"", min_size=1, max_size=8), min_size=1, max_size=8, unique=True
)


def apply(
    edit: str,
    files: dict[str, bytes],
    path: str | None = None,
    given_format: EditFormat | None = None,
    encoding: str | None = None,
) -> dict[str, bytes]:
    """Return the files below /w after an edit."""
    held = {f"/w/{name}": data for name, data in files.items()}
    staging = Staging(held.get, "/w", encoding=encoding)
    for change in edit_set_from_text(edit, staging, path, given_format).changes:
        if change.after is None:
            del held[change.path]
        else:
            held[change.path] = change.after
    return {name[3:]: data for name, data in held.items()}


def refusal(edit: str, files: dict[str, bytes], path: str | None = None, encoding: str | None = None) -> str:
    """Return the code with which an edit is refused."""
    with pytest.raises((EditRejected, OutsideWorkspace)) as caught:
        apply(edit, files, path, encoding=encoding)
    return caught.value.code


def block(path: str, search: str, replace: str) -> str:
    """Return a SEARCH/REPLACE block."""
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def envelope(before: str, after: str) -> str:
    """Return a patch in the `*** Begin Patch` form."""
    old = "".join(f"-{line}\n" for line in before.split("\n")[:-1])
    new = "".join(f"+{line}\n" for line in after.split("\n")[:-1])
    return f"*** Begin Patch\n*** Update File: a.txt\n@@\n{old}{new}*** End Patch\n"


@given(LINES, LINES)
@settings(max_examples=150)
def test_every_format_says_the_same(old: list[str], new: list[str]) -> None:
    before, after = ("".join(line + "\n" for line in lines) for lines in (old, new))
    if before == after or not any(line.strip() for line in old):
        return
    files = {"a.txt": before.encode()}
    forms = {
        EditFormat.DIFF: diff_text("a.txt", before, after),
        EditFormat.BLOCK: block("a.txt", before, after),
        EditFormat.PATCH: envelope(before, after),
        EditFormat.WHOLE: f"a.txt\n```\n{after}```\n",
        EditFormat.JSON: json.dumps({"edits": [{"path": "a.txt", "search": before, "replace": after}]}),
    }

    for name, edit in forms.items():
        assert recognise(edit, None, lambda path: path == "a.txt") is name
        assert apply(edit, files) == {"a.txt": after.encode()}, name


BELOW = "def b():\n    y = 1\n\n.c {\n    z = 1\n"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("@@ def b():", "z = 2"),
        ("@@ .c {", "z = 2"),
        ("@@ -1,2 +1,2 @@ def b():\n@@ ... .c { ... @@", "z = 2"),
        ("@@ -4,2 +4,2 @@", "z = 2"),
        ("@@ ... @@", "z = 2"),
        ("@@ def zzz():", None),
        ("@@ .c {\n@@ def b():", None),
    ],
)
def test_a_patch_changes_what_stands_below_the_lines_that_it_names(above: str, expected: str | None) -> None:
    edit = f"*** Begin Patch\n*** Update File: a\n{above}\n-    z = 1\n+    z = 2\n*** End Patch\n"
    files = {"a": BELOW.encode()}

    if expected is None:
        assert refusal(edit, files) == "no-match"
    else:
        assert apply(edit, files) == {"a": BELOW.replace("z = 1", expected).encode()}


def test_a_patch_is_refused_where_the_line_that_it_names_is_below() -> None:
    edit = "*** Begin Patch\n*** Update File: a\n@@ .c {\n-    y = 1\n+    y = 2\n*** End Patch\n"

    assert refusal(edit, {"a": BELOW.encode()}) == "no-match"


PROSE = "Sure! Here it is:\n\n{}\nThis does:\n\n- one thing\n- another\n\nAsk me for more.\n"


@pytest.mark.parametrize(
    "edit",
    [
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n",
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -7,9 +1,1 @@\n x = 1\n-y = 2\n+y = 3\n```\n",
        "```diff\n--- a.py\n@@\n x = 1\n-y = 2\n+y = 3\n```\n",
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-y = 2\n+y = 3\n",
        "**`a.py`**\n```python\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n```\n",
        "```python\na.py\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n```\n",
        "```python a.py\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n```\n",
        "### a.py\n\n```python\nx = 1\ny = 3\n```\n",
        '```python title="a.py"\nx = 1\ny = 3\n```\n',
        "```python\n# a.py\nx = 1\ny = 3\n```\n",
        '```json\n{"edits": [{"path": "a.py", "search": "y = 2", "replace": "y = 3"}]}\n```\n',
        '```json\n{"writes": [{"path": "a.py", "content": "x = 1\\ny = 3\\n"}]}\n```\n',
    ],
)
def test_an_edit_is_found_among_prose(edit: str) -> None:
    after = apply(PROSE.format(edit), {"a.py": b"x = 1\ny = 2\n"})

    assert after["a.py"].removeprefix(b"# a.py\n") == b"x = 1\ny = 3\n"


def test_several_blocks_and_files_apply_in_order() -> None:
    edit = block("a.py", "x = 1\n", "x = 2\n") + block("b.py", "", "new = 1\n") + block("a.py", "y\n", "z\n")

    assert apply(edit, {"a.py": b"x = 1\ny\n"}) == {"a.py": b"x = 2\nz\n", "b.py": b"new = 1\n"}


def test_longer_markers_hold_marker_lines() -> None:
    text = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    edit = "n.md\n<<<<<<<<< SEARCH\n=======\nb\n=========\n=======\nc\n>>>>>>>>> REPLACE\n"

    assert apply(edit, {"n.md": text.encode()})["n.md"] == text.replace("b\n", "c\n").encode()


def test_operations_create_move_and_delete() -> None:
    ops = [
        {"op": "create", "path": "new/c.py", "content": "c = 1\n"},
        {"op": "move", "path": "a.py", "move_to": "lib/a.py"},
        {"op": "update", "path": "b.py", "search": "b = 1", "replace": "b = 2", "move_to": "lib/b.py"},
        {"op": "delete", "path": "d.py"},
    ]
    files = {"a.py": b"a\r\n", "b.py": b"b = 1\n", "d.py": b"d\n"}

    assert apply(json.dumps({"ops": ops}), files) == {
        "new/c.py": b"c = 1\n",
        "lib/a.py": b"a\r\n",
        "lib/b.py": b"b = 2\n",
    }


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ("This is no edit at all.\n", "malformed"),
        ('{"edits": [{"path": "a.py", "search": "x"', "malformed"),
        ('{"edits": [{"path": "a.py", "search": "x"}]}', "malformed"),
        ('{"edits": {}}', "malformed"),
        ('{"ops": [{"op": "burn", "path": "a.py"}]}', "malformed"),
        ("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n", "malformed"),
        ("<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n", "malformed"),
        ("*** Begin Patch\n*** Update File: a.py\n-x = 1\n+x = 2\n", "malformed"),
        ("a.py\n```python\nx = 2\n", "malformed"),
        (block("a.py", "x = 1\n=======\n", "x = 2\n"), "ambiguous-block"),
        (block("a.py", "x = 9\n", "x = 2\n"), "no-match"),
        (block("no.py", "x = 1\n", "x = 2\n"), "missing"),
        (block("a.py", "", "x = 2\n"), "exists"),
        (block("../a.py", "", "x = 2\n"), "outside-workspace"),
        (block(".git/hooks/pre-commit", "", "x\n"), "protected"),
        ('{"writes": [{"path": "a\\u0000.py", "content": ""}]}', "malformed"),
        ('{"ops": [{"op": "move", "path": "a.py", "move_to": "b.py"}]}', "exists"),
        ('{"ops": [{"op": "create", "path": "a.py", "content": "x"}]}', "exists"),
        ('{"ops": [{"op": "delete", "path": "no.py"}]}', "missing"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_code(edit: str, code: str) -> None:
    assert refusal(edit, {"a.py": b"x = 1\ny = 2\n", "b.py": b"b\n"}) == code


@pytest.mark.parametrize(
    "line",
    [
        "# ... existing code ...",
        "// ... rest of the function ...",
        "/* ... other rules stay the same ... */",
        "<!-- rest of the page remains unchanged -->",
        "-- (other columns unchanged)",
        "; rest of the file stays the same",
        "# The rest of the code stays the same",
        "{/* ...existing props... */}",
        "... (rest of the methods unchanged)",
        "# … keep existing imports …",
        "{# ... existing blocks ... #}",
        "<# ... rest of the script unchanged #>",
        ":: rest of the file stays the same",
        "<%-- ... existing code ... --%>",
    ],
)
@pytest.mark.parametrize("form", ["write", "search"])
def test_a_placeholder_is_refused(line: str, form: str) -> None:
    before = "".join(f"line {n}\n" for n in range(9))
    write = {"writes": [{"path": "a", "content": f"line 0\n{line}\n"}]}
    search = {"edits": [{"path": "a", "search": f"line 0\n{line}\nline 8\n", "replace": "x\n"}]}

    assert refusal(json.dumps(write if form == "write" else search), {"a": before.encode()}) == "elision"


@pytest.mark.parametrize(
    "line",
    [
        "# Read the rest of the header before the body arrives",
        "x = [...]",
        "...",
        "# Wait for it ...",
        "print('... and the rest')",
        "# TODO: keep the cache warm",
        "The existing code",
    ],
)
def test_text_that_only_looks_like_a_placeholder_is_written(line: str) -> None:
    edit = {"edits": [{"path": "a", "search": "one\n", "replace": f"one\n{line}\n"}]}

    assert apply(json.dumps(edit), {"a": b"one\n"})["a"] == f"one\n{line}\n".encode()


def test_a_placeholder_that_the_file_has_is_text() -> None:
    files = {"a": b"one\n# ... rest of the code stays the same ...\n"}
    edit = {"writes": [{"path": "a", "content": "two\n# ... rest of the code stays the same ...\n"}]}

    assert apply(json.dumps(edit), files)["a"].startswith(b"two\n# ...")


def test_prose_without_blank_lines_does_not_swallow_a_change() -> None:
    text = "import os\n\nclass A:\n    x = 1\n    y = 2\n"
    lost_marks = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,9 @@\nimport os\n\nclass A:\n-    x = 1\n+    x = 3\n     y = 2\n"
    )

    assert apply(lost_marks, {"a.py": text.encode()})["a.py"] == text.replace("x = 1", "x = 3").encode()


def test_a_nested_fence_belongs_to_the_file() -> None:
    readme = "# Title\n\n```python\nx = 1\n```\n\nEnd.\n"

    assert apply(f"README.md\n```markdown\n{readme}```\n", {})["README.md"] == readme.encode()


@pytest.mark.parametrize(
    "edit",
    [
        '{"edits": [{"path": "a", "search": "\ufeffx = 1", "replace": "\ufeffx = 2"}]}',
        '{"writes": [{"path": "a", "content": "\ufeffx = 2\\ny\\n"}]}',
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-\ufeffx = 1\n+\ufeffx = 2\n y\n",
        "a\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
    ],
)
def test_a_byte_order_mark_is_written_once(edit: str) -> None:
    assert apply(edit, {"a": b"\xef\xbb\xbfx = 1\ny\n"}) == {"a": b"\xef\xbb\xbfx = 2\ny\n"}


def test_a_stated_line_counts_where_it_fits_before_an_earlier_edit_or_after_it() -> None:
    edits = [
        {"path": "a", "search": "top\n", "replace": "top\nw\nx\n"},
        {"path": "a", "search": "x\n", "replace": "y\n", "start_line": 2},
    ]

    assert apply(json.dumps({"edits": edits}), {"a": b"top\nx\nz\nx\n"}) == {"a": b"top\nw\nx\ny\nz\nx\n"}
    edits[0]["replace"] = "top\nx\nw\n"
    assert refusal(json.dumps({"edits": edits}), {"a": b"top\nx\nz\nx\n"}) == "ambiguous"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "shift_jis"])
def test_a_named_encoding_is_kept(encoding: str) -> None:
    word = "テスト" if encoding == "shift_jis" else "größe"
    before = f"# {word}\nx = 1\n".encode(encoding)
    edit = json.dumps({"edits": [{"path": "a.py", "search": "x = 1", "replace": f"x = '{word}'"}]})

    after = apply(edit, {"a.py": before}, encoding=encoding)["a.py"]

    assert after == f"# {word}\nx = '{word}'\n".encode(encoding)


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("latin-1", "größe"),
        ("cp1251", "привет"),
        ("koi8_r", "привет"),
        ("shift_jis", "テスト"),
        ("gb18030", "测试"),
    ],
)
def test_letters_of_the_edit_show_a_legacy_encoding(encoding: str, word: str) -> None:
    before = f"# {word}\nx = 1\n"
    edit = block("a", f"# {word}\n", f"# {word} {word}\n")

    assert apply(edit, {"a": before.encode(encoding)})["a"] == f"# {word} {word}\nx = 1\n".encode(encoding)


def test_letters_that_no_encoding_has_there_are_refused() -> None:
    assert refusal(block("a", "# größe\n", "x\n"), {"a": "# привет\n".encode("cp1251")}) == "not-utf8"


@pytest.mark.parametrize(
    ("data", "encoding", "code"),
    [
        ("größe = 1\n".encode("latin-1"), None, "not-utf8"),
        ("größe = 1\n".encode("latin-1"), "latin-1", "unencodable"),
        ("größe = 1\n".encode("latin-1"), "utf-8", "not-utf8"),
        (b"# -*- coding: latin-1 -*-\ngr\xf6\xdfe = 1\n", None, "unencodable"),
        (b"\x00\x01 = 1\n", None, "not-utf8"),
    ],
)
def test_a_character_that_cannot_be_written_is_refused(data: bytes, encoding: str | None, code: str) -> None:
    character = "ā" if code == "unencodable" else "ñ"
    edit = json.dumps({"edits": [{"path": "a.py", "search": " = 1", "replace": f" = '{character}'"}]})

    assert refusal(edit, {"a.py": data}, encoding=encoding) == code


PIECES = st.sampled_from(
    [
        "--- a/a.py\n",
        "+++ b/a.py\n",
        "+++ /dev/null\n",
        "--- /dev/null\n",
        "diff --git a/a.py b/c.py\n",
        "rename from a.py\n",
        "rename to c.py\n",
        "new file mode 100644\n",
        "deleted file mode 100644\n",
        "@@ -1,2 +1,2 @@\n",
        "@@ ... @@\n",
        "@@",
        " x = 1\n",
        "-x = 1\n",
        "+x = 2\n",
        "-y = 2\n",
        "\\ No newline at end of file\n",
        "\n",
        "a.py\n",
        "```python\n",
        "```\n",
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "x = 1\n",
        "*** Begin Patch\n",
        "*** Update File: a.py\n",
        "*** Add File: b.py\n",
        "*** Delete File: a.py\n",
        "*** Move to: c.py\n",
        "*** End Patch\n",
        '{"edits": [',
        '{"path": "a.py", "search": "x", "replace": "z"}',
        "]}",
        '"',
        "\r\n",
        "\0",
        "\ud800",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from([None, "a.py", "new.py", ""]))
@settings(max_examples=600)
def test_any_text_is_applied_or_refused(edit: str, path: str | None) -> None:
    try:
        after = apply(edit, {"a.py": b"x = 1\ny = 2\n"}, path)
    except (EditRejected, OutsideWorkspace) as error:
        assert error.message
    else:
        assert after.get("a.py") == b"x = 1\ny = 2\n" or "a.py" in (path or "") + edit


@given(st.data(), st.sampled_from(list(EditFormat)))
@settings(max_examples=300)
def test_any_text_in_a_named_format_is_applied_or_refused(data: st.DataObject, form: EditFormat) -> None:
    edit = data.draw(st.lists(PIECES, max_size=10).map("".join))

    try:
        apply(edit, {"a.py": b"x = 1\ny = 2\n"}, "a.py", form)
    except (EditRejected, OutsideWorkspace) as error:
        assert error.message


def test_a_path_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(EditRejected, match="is no path"):
        writable_path("\ud800.py", "/w")


@pytest.mark.parametrize("mode", ["999", "x", "-1", "1"])
def test_a_mode_that_is_none_is_refused(mode: str) -> None:
    edit = f"diff --git a/a.py b/a.py\nold mode 100644\nnew mode {mode}\n"
    edit += "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"

    with pytest.raises(EditRejected, match="mode"):
        apply(edit, {"a.py": b"x\n"})


@pytest.mark.parametrize("paths", [("a", "a/b"), ("a/b", "a"), ("a/b/c", "a/b")])
def test_a_file_in_a_file_of_the_same_edit_is_refused(paths: tuple[str, str]) -> None:
    edit = json.dumps({"writes": [{"path": path, "content": "k"} for path in paths]})

    with pytest.raises(EditRejected) as caught:
        apply(edit, {})

    assert caught.value.code == "exists"


@pytest.mark.parametrize("name", ["a/x.py", "b/x.py", "c/x.py", "i/x.py"])
@pytest.mark.parametrize(
    "edit",
    [
        '{"writes": [{"path": "NAME", "content": "new\\n"}]}',
        '{"ops": [{"op": "create", "path": "NAME", "content": "new\\n"}]}',
        "NAME\n```\nnew\n```\n",
        "*** Begin Patch\n*** Add File: NAME\n+new\n*** End Patch\n",
    ],
)
def test_a_folder_named_as_the_prefix_of_a_diff_is_a_folder(edit: str, name: str) -> None:
    after = apply(edit.replace("NAME", name), {"x.py": b"old\n"})

    assert after == {"x.py": b"old\n", name: b"new\n"}


def test_nothing_is_deleted_for_a_path_that_only_begins_as_in_a_diff() -> None:
    assert refusal('{"ops": [{"op": "delete", "path": "a/x.py"}]}', {"x.py": b"old\n"}) == "missing"


def test_an_edit_that_shows_lines_finds_the_file_without_a_prefix() -> None:
    edit = {"edits": [{"path": "a/x.py", "search": "old\n", "replace": "new\n"}]}

    assert apply(json.dumps(edit), {"x.py": b"old\n"}) == {"x.py": b"new\n"}


def test_an_edit_does_not_change_what_a_file_says_of_its_encoding() -> None:
    before = "# coding: latin-1\nname = 'é'\n".encode("latin-1")
    edit = {"edits": [{"path": "a.py", "search": "# coding: latin-1", "replace": "# coding: utf-8"}]}

    assert refusal(json.dumps(edit), {"a.py": before}) == "unencodable"


def test_a_new_file_is_in_the_encoding_that_it_says() -> None:
    text = "# coding: latin-1\nname = 'é'\n"

    after = apply(json.dumps({"writes": [{"path": "a.py", "content": text}]}), {})

    assert after == {"a.py": text.encode("latin-1")}


def test_a_hunk_that_ends_at_the_end_of_the_file_is_the_last_of_its_twins() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a\n@@\n     go()\n+    stop()\n*** End of File\n*** End Patch\n"
    )

    after = apply(patch, {"a": b"if a:\n    go()\nif b:\n    go()\n"})

    assert after == {"a": b"if a:\n    go()\nif b:\n    go()\n    stop()\n"}
    assert refusal(patch.replace("*** End of File\n", ""), {"a": b"    go()\nx\n    go()\n"}) == "ambiguous"


def test_a_diff_of_a_file_in_a_folder_named_as_a_prefix_touches_no_other(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "main.h").write_bytes(b"1\n")
    (tmp_path / "c" / "main.c").write_bytes(b"1\n")
    for diff in (
        "--- c/main.h\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
        "diff --git a/c/main.h b/c/m2.h\nsimilarity index 100%\nrename from c/main.h\nrename to c/m2.h\n",
    ):
        with pytest.raises(EditRejected) as caught:
            edit_set_from_text(diff, Staging(Snapshot((str(tmp_path),)).read_bytes, str(tmp_path)))
        assert caught.value.code == "missing"


def test_a_letter_is_not_found_without_the_accent_that_combines_with_it() -> None:
    edit = {"edits": [{"path": "a", "search": "cafe", "replace": "tea"}]}

    assert refusal(json.dumps(edit), {"a": "cafe\u0301 = 1\n".encode()}) == "no-match"
    assert (
        apply(json.dumps(edit), {"a": "cafe\u0301 = cafe\n".encode()})["a"] == "cafe\u0301 = tea\n".encode()
    )


@pytest.mark.parametrize("codec", ["rot13", "hex", "undefined", "idna", "utf-16"])
def test_a_new_file_that_says_an_encoding_python_would_not_read_it_by(codec: str) -> None:
    edit = {"writes": [{"path": "a.py", "content": f"# coding: {codec}\nx = 'ü'\n"}]}

    assert refusal(json.dumps(edit), {}) == "unencodable"


def test_only_python_says_its_encoding_so() -> None:
    text = "# How to write encoding: utf16 für alle\n"

    assert apply(json.dumps({"writes": [{"path": "a.md", "content": text}]}), {}) == {"a.md": text.encode()}


def test_an_ascii_file_may_come_to_say_its_encoding() -> None:
    edit = {"edits": [{"path": "a.py", "search": "x = 1\n", "replace": "# coding: latin-1\nx = 'é'\n"}]}

    assert apply(json.dumps(edit), {"a.py": b"x = 1\n"})["a.py"] == "# coding: latin-1\nx = 'é'\n".encode(
        "latin-1"
    )
