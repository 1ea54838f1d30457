"""New lines in another indentation than the file's: they get its own, or the edit is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

CLASS = "class A:\n\tdef f(self):\n\t\treturn 1\n\n\tdef g(self):\n\t\treturn 2\n"
FOUR, TWO = CLASS.replace("\t", "    "), CLASS.replace("\t", "  ")
MAKE = "all: app\n\napp: main.c\n\tgcc main.c\n\nclean:\n\trm -f app\n\n.PHONY: all clean\n"
GO = "package a\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n\nfunc main() {\n\tAdd(1, 2)\n}\n"


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def result(root: Path, path: str, before: str, edit: str) -> str:
    (root / path).write_text(before)
    staging = Staging(Snapshot((str(root),)).read_bytes, str(root))
    (change,) = edit_set_from_text(edit, staging).changes
    return (change.after or b"").decode()


@pytest.mark.parametrize(
    ("path", "before", "search", "replace", "expected"),
    [
        ("a.py", CLASS, "class A:\n", "class A:\n    x = 1\n\n", CLASS.replace("A:\n", "A:\n\tx = 1\n\n")),
        (
            "a.py",
            CLASS,
            "\t\treturn 2\n",
            "\t\treturn 2\n\n    def h(self):\n        return 3\n",
            CLASS + "\n\tdef h(self):\n\t\treturn 3\n",
        ),
        (
            "a.py",
            FOUR,
            "        return 2\n",
            "        return 2\n\n\tdef h(self):\n\t\treturn 3\n",
            FOUR + "\n    def h(self):\n        return 3\n",
        ),
        ("a.py", TWO, "class A:\n", "class A:\n    x = 1\n\n", TWO.replace("A:\n", "A:\n  x = 1\n\n")),
        (
            "Makefile",
            MAKE,
            ".PHONY: all clean\n",
            "test: app\n    ./app\n\n.PHONY: all clean test\n",
            MAKE.replace(".PHONY: all clean\n", "test: app\n\t./app\n\n.PHONY: all clean test\n"),
        ),
        (
            "main.go",
            GO,
            "\tAdd(1, 2)\n",
            "\tAdd(1, 2)\n    Add(3,\n        4)\n",
            GO.replace("2)\n", "2)\n\tAdd(3,\n\t\t4)\n"),
        ),
        (
            "Makefile",
            MAKE,
            "clean:\n\trm -f app\n",
            "clean:\n\trm -f app\n    rm -rf build\n",
            MAKE.replace("app\n\n.P", "app\n\trm -rf build\n\n.P"),
        ),
        (
            "main.go",
            GO,
            "func main() {\n",
            "func Sub(a, b int) int {\n    if a > b {\n        return a - b\n    }\n    return 0\n}\n\n"
            "func main() {\n",
            GO.replace(
                "func main",
                "func Sub(a, b int) int {\n\tif a > b {\n\t\treturn a - b\n\t}\n\treturn 0\n}\n\nfunc main",
            ),
        ),
    ],
)
def test_new_lines_get_the_indentation_of_the_file(
    tmp_path: Path, path: str, before: str, search: str, replace: str, expected: str
) -> None:
    edit = json.dumps({"edits": [{"path": path, "search": search, "replace": replace}]})

    assert result(tmp_path, path, before, block(path, search, replace)) == expected
    assert result(tmp_path, path, before, edit) == expected


def test_a_diff_gets_the_indentation_of_the_file_too(tmp_path: Path) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n class A:\n+    x = 1\n \tdef f(self):\n"

    assert result(tmp_path, "a.py", CLASS, diff) == CLASS.replace("A:\n", "A:\n\tx = 1\n")


@pytest.mark.parametrize(
    ("path", "before", "search", "replace"),
    [
        ("a.py", CLASS, "class A:\n", 'class A:\n\t"""Help:\n    indented text\n\t"""\n\n'),
        ("a.md", "- a\n\tb\n", "- a\n", "- a\n    c\n"),
        ("Makefile", MAKE, "all: app\n", "ifdef X\n    Y := 1\nendif\n\nall: app\n"),
        ("Makefile", MAKE, "\tgcc main.c\n", "\tgcc \\\n        main.c\n"),
        ("a.c", "int a;\n\tint b;\n", "int a;\n", "/*\n * a\n */\nint a;\n"),
        ("a.py", FOUR, "        return 2\n", "        return f(1,\n                 2)\n"),
        ("a.py", FOUR, "        return 1\n", ""),
        ("a.py", FOUR, "        return 1\n", "        return (1\n"),
        ("a.py", FOUR, "        return 2\n", "        return 2\n            x = 3\n"),
        ("a.py", "x = [\n  1,\n]\n\n\ndef f():\n    return x\n", "  1,\n", "  1,\n  2,\n"),
    ],
)
def test_other_indentation_stays_where_it_breaks_nothing(
    tmp_path: Path, path: str, before: str, search: str, replace: str
) -> None:
    expected = before.replace(search, replace, 1)
    edit = json.dumps({"edits": [{"path": path, "search": search, "replace": replace}]})

    assert result(tmp_path, path, before, edit) == expected


def test_a_file_that_is_indented_anew_is_left_alone(tmp_path: Path) -> None:
    assert result(tmp_path, "a.py", CLASS, f"a.py\n```python\n{FOUR}```\n") == FOUR


def test_indentation_that_fits_no_step_of_the_file_is_refused(tmp_path: Path) -> None:
    edit = block("a.py", "class A:\n", "class A:\n    if x:\n     y = 1\n   z = 2\n")

    with pytest.raises(EditRejected) as caught:
        result(tmp_path, "a.py", CLASS, edit)

    assert caught.value.code == "malformed"
