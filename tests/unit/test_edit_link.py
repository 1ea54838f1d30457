"""Hunks of a review: each makes sense alone where it can, and knows which others it needs."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.edit import FileChange, Hunk
from greenline.edit.hunk import apply_hunks
from greenline.edit.review_cut import ReviewedChange, cut_for_review

Texts = dict[str, tuple[str | None, str | None]]


def cut(files: Texts, moved: dict[str, str] | None = None) -> tuple[Hunk, ...]:
    """Cut a change of files below /w."""
    changes = []
    for name, (before, after) in files.items():
        contents = [None if text is None else text.encode() for text in (before, after)]
        source = (moved or {}).get(name)
        change = FileChange(f"/w/{name}", contents[0], contents[1], source and f"/w/{source}")
        changes.append(ReviewedChange(change, before, after))
    return cut_for_review(changes)


def links(hunks: tuple[Hunk, ...]) -> list[list[int]]:
    """Return for each hunk the numbers of those that it needs."""
    number = {hunk.id: n for n, hunk in enumerate(hunks)}
    return [sorted(number[name] for name in hunk.needs) for hunk in hunks]


def pair(before: str, after: str, name: str = "a.py") -> Texts:
    return {name: (before, after)}


IMPORT = pair(
    "import os\n\n\ndef f(x):\n    y = 1\n    return x\n",
    "import math\nimport os\n\n\ndef f(x):\n    y = 1\n    return math.sqrt(x)\n",
)
PARAMETER = pair(
    "def f(x):\n    y = 1\n    return x\n\n\ndef g():\n    limit = 3\n    return f(limit)\n",
    "def f(x, limit=None):\n    y = 1\n    return x[:limit]\n\n\ndef g():\n    limit = 3\n"
    "    return f(limit, limit=3)\n",
)
NEW_FILE: Texts = {
    "new.py": (None, "def h():\n    return 1\n"),
    "b.py": ("x = 1\ny = 2\nz = 3\n", "from new import h\nx = 1\ny = 2\nz = h()\n"),
}
GONE_FILE: Texts = {
    "b.py": ("from gone import h\nx = 1\ny = 2\nz = h()\n", "x = 1\ny = 2\nz = 1\n"),
    "gone.py": ("def h():\n    return 1\n", None),
}
MEMBER = pair(
    "class A:\n    def __init__(self):\n        self.x = 1\n\n    def get(self):\n        return self.x\n",
    "class A:\n    def __init__(self):\n        self.x = 1\n        self.cache = {}\n\n"
    "    def get(self):\n        return self.cache.get(self.x)\n",
)
RENAME = pair(
    "def old():\n    pass\n\n\nx = 1\ny = old()\n", "def fresh():\n    pass\n\n\nx = 1\ny = fresh()\n"
)
LOCAL = pair(
    "def f():\n    a = 1\n    b = 2\n    return b\n",
    "def f():\n    t = 3\n    a = 1\n    b = 2\n    return t\n",
)
OTHER_SCOPE = pair(
    "def f():\n    a = 1\n    return a\n\n\ndef g(t):\n    b = 1\n    return b\n",
    "def f():\n    t = 2\n    a = 1\n    return a\n\n\ndef g(t):\n    b = 1\n    return t\n",
)
NEW_VALUE = pair("x = 1\na = 1\nb = x\n", "x = 2\na = 1\nb = x + 1\n")
UNUSED_IMPORT = pair(
    "import os\nimport re\n\n\ndef f():\n    a = 1\n    return os.sep\n",
    "import re\n\n\ndef f():\n    a = 1\n    return '/'\n",
)
SCRIPT: Texts = {
    "m.js": (
        "export const a = 1;\nconst q = 2;\n",
        "export const a = 1;\nexport function b() { return 2 }\nconst q = 2;\n",
    ),
    "u.js": (
        "import { a } from './m';\nx();\ny();\n",
        "import { a, b } from './m';\nx();\ny(b());\n",
    ),
}
HEADER: Texts = {
    "lib.h": (None, "int twice(int);\n"),
    "main.c": (
        "#include <stdio.h>\nint x;\nint main() { return 1; }\n",
        '#include <stdio.h>\n#include "lib.h"\nint x;\nint main() { return twice(1); }\n',
    ),
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (IMPORT, [[], [0]]),
        (PARAMETER, [[], [0], [0]]),
        (NEW_FILE, [[], [0], [1]]),
        (GONE_FILE, [[1], [], [0]]),
        (MEMBER, [[], [0]]),
        (RENAME, [[1], [0]]),
        (LOCAL, [[], [0]]),
        (OTHER_SCOPE, [[], []]),
        (NEW_VALUE, [[], []]),
        (UNUSED_IMPORT, [[1], []]),
        (SCRIPT, [[], [0], [1]]),
        (HEADER, [[], [0], []]),
        (pair("a\nb\nc\n", "A\nb\nC A\n", "n.md"), [[], []]),
        (pair("def f(:\nx\ny = 1\n", "def g(:\nx\ny = g\n"), [[], []]),
    ],
)
def test_a_hunk_needs_what_gives_its_names_a_meaning(files: Texts, expected: list[list[int]]) -> None:
    assert links(cut(files)) == expected


def test_both_halves_of_a_move_need_each_other() -> None:
    hunks = cut({"new.txt": (None, "x\n"), "old.txt": ("x\n", None)}, {"new.txt": "old.txt"})

    assert links(hunks) == [[1], [0]]


WRAPPED = pair(
    "def f():\n    a()\n\n    b()\n\n    c()\n",
    "def f():\n    if x:\n        a()\n\n        b()\n\n    c()\n",
)
BRACKETS = pair("x = [\n    1,\n    2,\n]\ny = 1\n", "x = (\n    1,\n    2,\n)\ny = 1\n")
BRACES = pair("f(1);\ng(2);\n\nh(3);\n", "if (a) {\nf(1);\ng(2);\n}\n\nh(4);\n", "a.js")
STRING = pair("a = 1\nb = 2\nc = 3\n", 'a = """\nb = 2\n"""\n')


@pytest.mark.parametrize(
    ("files", "n_hunks"),
    [(WRAPPED, 1), (BRACKETS, 1), (BRACES, 2), (STRING, 1), (IMPORT, 2), (PARAMETER, 3)],
)
def test_what_breaks_the_syntax_alone_is_joined(files: Texts, n_hunks: int) -> None:
    assert len(cut(files)) == n_hunks


STATEMENTS = st.lists(
    st.sampled_from(
        [
            "x = 1\n",
            "\n",
            "if a:\n    b()\n\n    c()\n",
            "y = (\n    1,\n    2,\n)\n",
            "def f(p):\n    q = p\n\n    return q\n",
            's = """\ntext\n"""\n',
            "@d\nclass C:\n    z = 3\n\n    def m(self):\n        return self.z\n",
        ]
    ),
    max_size=6,
).map("".join)


@given(STATEMENTS, STATEMENTS)
@settings(max_examples=150, deadline=None)
def test_every_hunk_alone_leaves_python_that_can_be_read(before: str, after: str) -> None:
    hunks = cut(pair(before, after))

    assert apply_hunks(before, hunks) == after
    for hunk in hunks:
        ast.parse(apply_hunks(before, [hunk]))
    assert {name for hunk in hunks for name in hunk.needs} <= {hunk.id for hunk in hunks}


def test_mode_bits_alone_are_a_hunk_that_always_has_a_place() -> None:
    change = FileChange("/w/run.sh", b"x\n", b"x\n", mode=0o755)

    (hunk,) = cut_for_review([ReviewedChange(change, "x\n", "x\n")])

    assert (hunk.op, hunk.before, hunk.after, hunk.mode) == ("edit", "", "", 0o755)
    assert apply_hunks("other\n", [hunk]) == "other\n"
