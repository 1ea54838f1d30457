"""Lines that stand for what a whole file or a block leaves out, however they say it; and honest edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.edit.standin import is_stand_in
from greenline.workspace.snapshot import Snapshot

PROSE = "# T\n\n" + "".join(f"Paragraph {n} about it.\n\n" for n in range(30))
TABLE = "# T\n\n| a | b |\n|---|---|\n" + "".join(f"| {n} | {n} |\n" for n in range(50))
CSV = "id,n\n" + "".join(f"{n},n{n}\n" for n in range(50))
HTML = "<ul>\n" + "".join(f"<li>{n}</li>\n" for n in range(50)) + "</ul>\n"
JS = "".join(f"function f{n}() {{\n  return {n};\n}}\n" for n in range(30))
PY = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(30))
JSON = "{\n" + "".join(f'  "k{n}": {n},\n' for n in range(40)) + '  "z": 0\n}\n'


def is_elision(root: Path, path: str, before: str, edit: str) -> bool:
    (root / path).write_text(before)
    staging = Staging(Snapshot((str(root),)).read_bytes, str(root))
    try:
        edit_set_from_text(edit, staging)
    except EditRejected as error:
        assert error.code == "elision", error
        return True
    return False


@pytest.mark.parametrize(
    ("path", "before", "content"),
    [
        ("a.md", PROSE, "# T\n\nParagraph zero.\n\n> The rest of the document stays the same.\n"),
        ("a.md", PROSE, "# T\n\nParagraph zero.\n\nThe remaining paragraphs are unchanged.\n"),
        ("a.md", PROSE, "# T\n\nParagraph zero.\n\n_[Sections 2 to 30 remain as they are]_\n"),
        ("a.csv", CSV, "id,n\n0,x\n...,...\n49,n49\n"),
        ("a.md", TABLE, "# T\n\n| a | b |\n|---|---|\n| 0 | x |\n| ... | ... |\n"),
        ("a.html", HTML, "<ul>\n<li>zero</li>\n<li>...</li>\n</ul>\n"),
        ("a.js", JS, "function f0() {\n  return 9;\n}\nfunction f1() { ... }\n"),
        ("a.js", JS, "function f0() {\n  return 9;\n}\n\n/* f1 ... f29 */\n"),
        ("a.json", JSON, '{\n  "k0": 1,\n  "...": "..."\n}\n'),
        ("a.json", JSON, '{\n  "k0": 1,\n  "...": "rest unchanged"\n}\n'),
        ("a.json", JSON, '{\n  "k0": 1,\n  "_comment": "... other keys stay as they are"\n}\n'),
        ("a.json", JSON, '{\n  "k0": 1,\n  "_comment": "All other keys remain."\n}\n'),
        ("a.json5", JSON, "{\n  k0: 1,\n  '//': '... existing keys ...',\n}\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# ⋯\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# . . .\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# nothing else changes\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# Next functions: no modifications\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# f1 to f29 go here without changes\n"),
        ("a.py", PY, "def f0():\n    return 9\n\n\n# Please copy f1 to f29 from your file.\n"),
    ],
)
def test_a_whole_file_that_drops_most_and_says_so_is_an_elision(
    tmp_path: Path, path: str, before: str, content: str
) -> None:
    assert is_elision(tmp_path, path, before, f"{path}\n````\n{content}````\n")


METHODS = "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(4))
CLASS = f'class A:\n    """An a."""\n\n{METHODS}'


@pytest.mark.parametrize(
    "comment",
    [
        "# other methods are not affected by this change",
        "# nothing else changes",
        "# previous methods retained",
        "# ⋯",
        "# . . .",
        "# unverändert",
        "# The other methods do not need to change",
        "# same as the current implementation",
        "# unchanged: m0(), m1()",
        "# le reste du fichier ne change pas",
    ],
)
def test_a_block_that_drops_most_and_says_so_is_an_elision(tmp_path: Path, comment: str) -> None:
    new = f'class A:\n    """An a thing."""\n\n    {comment}\n'
    edit = f"a.py\n<<<<<<< SEARCH\n{CLASS}=======\n{new}>>>>>>> REPLACE\n"

    assert is_elision(tmp_path, "a.py", CLASS, edit)


LONG = "def f(x):\n" + "".join(f"    v{n} = x\n" for n in range(8)) + "    return v1\n"
SHORT = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n'


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", LONG, "def f(x, k=1):\n    ...\n"),
        ("a.py", LONG, "async def f(x):\n    ...\n"),
        ("a.json", SHORT, '{\n  "a": 10,\n  "...": "rest unchanged"\n}\n'),
        ("a.json", SHORT, '{\n  "a": 10,\n  "//": "other keys unchanged"\n}\n'),
    ],
)
def test_a_body_or_member_that_stands_for_what_a_block_drops_is_an_elision(
    tmp_path: Path, path: str, old: str, new: str
) -> None:
    assert is_elision(tmp_path, path, old, f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", LONG, "@abstractmethod\ndef f(x: int):\n    ...\n"),
        ("a.py", LONG, "def g(x):\n    ...\n"),
        ("a.py", "def f(x): return x\n", "def f(x, k):\n    ...\n"),
        ("a.json", SHORT, '{\n  "a": 10,\n  "//": "a must be even",\n  "b": "..."\n}\n'),
        ("a.json", SHORT, '{\n  "a": 1,\n  "_comment": "existing users only",\n  "b": 2\n}\n'),
        ("a.json", SHORT, '{\n  "comment": "existing code",\n  "_state": "unchanged"\n}\n'),
    ],
)
def test_a_block_that_drops_lines_honestly_is_none(tmp_path: Path, path: str, old: str, new: str) -> None:
    edit = f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    assert not is_elision(tmp_path, path, old, edit)


@pytest.mark.parametrize(
    ("path", "before", "content"),
    [
        ("a.py", PY, "from collections.abc import Callable\n\nF = Callable[..., int]\nT = tuple[int, ...]\n"),
        ("a.py", PY, "class P:\n    def f(self) -> int:\n        ...\n"),
        ("a.js", JS, "export const f = (...args) => ({ ...args });\n"),
        ("a.c", JS, "void f(const char *s, ...);\n"),
        ("a.py", PY, "def f(n):\n    # Small numbers only.\n    return n\n"),
        ("a.md", PROSE, "# T\n\nIt is short now, and says what it does in the same words.\n"),
    ],
)
def test_an_honest_rewrite_is_none(tmp_path: Path, path: str, before: str, content: str) -> None:
    assert not is_elision(tmp_path, path, before, f"{path}\n````\n{content}````\n")


@pytest.mark.parametrize(
    "body",
    [
        "    # One method for all numbers.\n    def m(self, n):\n        return n\n",
        "    # Rounds like the totals do.\n    def m(self, n):\n        return round(n)\n",
        "    m = property(lambda self: ...)\n",
    ],
)
def test_an_honest_block_that_shrinks_is_none(tmp_path: Path, body: str) -> None:
    edit = f"a.py\n<<<<<<< SEARCH\n{METHODS}=======\n{body}>>>>>>> REPLACE\n"

    assert not is_elision(tmp_path, "a.py", CLASS, edit)


def test_a_note_that_the_file_has_already_may_move(tmp_path: Path) -> None:
    text = CLASS.replace("        return 0\n", "        # nothing else changes\n        return 0\n")
    new = '    """An a thing."""\n    # nothing else changes\n'
    edit = f"a.py\n<<<<<<< SEARCH\n{text.partition(chr(10))[2]}=======\n{new}>>>>>>> REPLACE\n"

    assert not is_elision(tmp_path, "a.py", text, edit)


@pytest.mark.parametrize(
    "line",
    [
        "# Unchanged files are skipped.",
        "# All existing tests continue to pass.",
        "# Other values remain strings.",
        "# Nothing else to do.",
        "# Keys stay sorted.",
        "# fields preserved across saves",
        "// Code remains in cents",
        'print("{...}")',
    ],
)
def test_a_comment_of_an_edit_that_speaks_of_something_else_stands_for_nothing(line: str) -> None:
    assert not is_stand_in(line, strict=True)


def test_a_remark_of_json_that_is_merely_added_is_none(tmp_path: Path) -> None:
    old, new = '  "a": 1\n', '  "$comment": "Same as above",\n  "a": 1\n'
    edit = f"a.json\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"

    assert not is_elision(tmp_path, "a.json", "{\n" + old + "}\n", edit)
