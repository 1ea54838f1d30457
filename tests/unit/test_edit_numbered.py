"""Line numbers that a tool showed never reach a file, and a file's own numbers stay."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

FORMS: dict[str, Callable[[int, str], str]] = {
    "read": lambda n, line: f"{n:6}→{line}",
    "arrow": lambda n, line: f"{n}→{line}",
    "cat -n": lambda n, line: f"{n:6}\t{line}",
    "tab": lambda n, line: f"{n}\t{line}",
    "bar": lambda n, line: f"{n}|{line}",
    "wide bar": lambda n, line: f"{n:4} | {line}",
    "box": lambda n, line: f"{n:4} │ {line}",
    "colon": lambda n, line: f"{n}: {line}",
    "grep": lambda n, line: f"{n}:{line}",
    "letter": lambda n, line: f"L{n}: {line}",
    "word": lambda n, line: f"Line {n}: {line}",
    "plus": lambda n, line: f"+{n}: {line}",
}
PYTHON = """import os


class Shop:
    def __init__(self, repo):
        self.repo = repo

    def cancel(self, order_id):
        order = self.repo.get(order_id)
        order.status = "cancelled"
        return order

    def codes(self):
        return {
            1: "new",
            2: "paid",
        }
"""
SCRIPT = """const codes = {
  1: "new",
  2: "paid",
};

export function cancel(order) {
  order.status = "cancelled";
  if (order.paid) {
    refund(order);
  }
  return order;
}
"""
MARKDOWN = "# Shop\n\nRun `make test`.\n\nThen ship it.\n"
FILES = {"shop.py": PYTHON, "shop.js": SCRIPT, "README.md": MARKDOWN}


def numbered(lines: list[str], first: int, form: str) -> list[str]:
    """Return lines as a tool shows them."""
    return [FORMS[form](number, line) for number, line in enumerate(lines, first)]


def block(path: str, search: list[str], replace: list[str]) -> str:
    """Return a block."""
    parts = ["<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]
    return "\n".join([path, *parts, ""])


def structured(path: str, search: list[str], replace: list[str]) -> str:
    """Return the same as JSON."""
    texts = ("".join(line + "\n" for line in lines) for lines in (search, replace))
    return json.dumps({"edits": [{"path": path, "search": next(texts), "replace": next(texts)}]})


def diff(path: str, search: list[str], replace: list[str]) -> str:
    """Return the same as a diff."""
    body = [*(f"-{line}" for line in search), *(f"+{line}" for line in replace)]
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", "@@ @@", *body, ""])


KINDS = {"block": block, "json": structured, "diff": diff}


def result(edit: str, path: str, before: str | None) -> str | None:
    """Return the file's text after an edit; None where it is refused."""
    files = {} if before is None else {f"/w/{path}": before.encode()}
    try:
        changes = edit_set_from_text(edit, Staging(files.get, "/w")).changes
    except EditRejected:
        return None
    return next((c.after.decode() for c in changes if c.after is not None), before)


def refusal(edit: str, path: str, before: str | None) -> EditRejected:
    """Return why an edit is refused."""
    files = {} if before is None else {f"/w/{path}": before.encode()}
    with pytest.raises(EditRejected) as caught:
        edit_set_from_text(edit, Staging(files.get, "/w"))
    return caught.value


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(FILES)),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 20),
    st.integers(1, 6),
    st.sampled_from(["both", "new", "old"]),
    st.integers(0, 2),
)
def test_numbers_before_lines_are_never_written(
    path: str, form: str, kind: str, start: int, height: int, side: str, stale: int
) -> None:
    text = FILES[path]
    lines = text.splitlines()
    start %= len(lines) - 1
    search = lines[start : start + height]
    replace = [*search[:-1], search[-1] + "X" if search[-1] else "X"]
    right = "".join(line + "\n" for line in [*lines[:start], *replace, *lines[start + len(search) :]])
    first = start + 1 + (stale if path != "README.md" and side == "both" else 0)
    shown = [
        numbered(part, first, form) if side in ("both", name) else part
        for name, part in (("old", search), ("new", replace))
    ]

    after = result(KINDS[kind](path, *shown), path, text)

    assert after in (None, right, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", FILES)
def test_a_numbered_file_is_refused(path: str, form: str) -> None:
    lines = numbered(FILES[path].splitlines(), 1, form)

    fence = "\n".join([path, "```", *lines, "```", ""])
    added = "\n".join(
        ["*** Begin Patch", f"*** Add File: {path}", *("+" + x for x in lines), "*** End Patch"]
    )

    assert "line number" in refusal(fence, path, FILES[path]).message
    if path != "README.md":
        assert refusal(added, path, None).code == "malformed"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_on_both_sides_are_taken_off(kind: str, form: str) -> None:
    lines = PYTHON.splitlines()
    search, replace = lines[7:11], [*lines[7:10], "        self.repo.save(order)", lines[10]]
    right = PYTHON.replace(lines[9] + "\n", lines[9] + "\n        self.repo.save(order)\n")

    edit = KINDS[kind]("shop.py", numbered(search, 8, form), numbered(replace, 8, form))
    mixed = KINDS[kind]("shop.py", numbered(search, 8, form), replace)

    assert result(edit, "shop.py", PYTHON) == right
    assert result(mixed, "shop.py", PYTHON) == right


def test_numbers_choose_between_no_places_that_look_alike() -> None:
    text = SCRIPT + SCRIPT
    edit = block("shop.js", numbered(["  return order;"], 11, "read"), numbered(["  return 1;"], 11, "read"))

    assert refusal(edit, "shop.js", text).code == "ambiguous"


@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_a_file_that_was_another_are_refused_too(form: str) -> None:
    lines = SCRIPT.splitlines()

    for first in (5, 7, 30):
        edit = block("shop.js", lines[6:8], numbered(['  order.status = "void";', lines[7]], first, form))
        assert "line number" in refusal(edit, "shop.js", SCRIPT).message


def test_numbers_of_some_lines_are_named() -> None:
    lines = PYTHON.splitlines()
    some = [*numbered(lines[7:9], 8, "read"), "        order.status = None"]

    shown = numbered(lines[7:9], 8, "read")

    for search, replace in ((lines[7:9], some), (shown, some), (some, lines[7:9])):
        assert "ine number" in refusal(block("shop.py", search, replace), "shop.py", PYTHON).message


@pytest.mark.parametrize(
    ("path", "before", "search", "replace"),
    [
        ("a.bas", '10 PRINT "A"\n20 END\n', ["20 END"], ['20 PRINT "B"', "30 END"]),
        ("a.yml", "codes:\n  1: a\n  2: b\n", ["  2: b"], ["  2: b", "  3: c", "  4: d"]),
        ("a.yml", "codes: {}\n", ["codes: {}"], ["1: a", "2: b", "3: c"]),
        ("a.tsv", "x\ty\n", ["x\ty"], ["1\tx\ty", "2\tz\tz"]),
        ("a.md", "# A\n\nx\n", ["x"], ["1. one", "2. two", "3. three"]),
        ("a.md", "# A\n\n1. one\n2. two\n", ["2. two"], ["2. two", "3. three"]),
        ("a.py", 'A = {\n    1: "a",\n}\n', ['    1: "a",'], ['    1: "a",', '    2: "b",', '    3: "c",']),
        ("a.py", "A = {\n    # here\n}\n", ["    # here"], ['    9:  "a",', '    10: "b",']),
        ("a.js", "a = {\n  // all\n};\n", ["  // all"], ['  1: "a",', '  2: "b",']),
        ("a.py", 'S = """\nx\n"""\n', ["x"], ["1 | x", "7 | y"]),
        ("a.py", "C = {\n}\n", ["C = {", "}"], ["C = {", '    2: "paid",', '    3: "sent",', "}"]),
        ("a.js", "C = {\n};\n", ["C = {", "};"], ["C = {", '  2: "paid",', '  3: "sent",', "};"]),
        ("a.md", "# A\n", ["# A"], ["# A", "2:00 tea", "3:00 cake"]),
        ("a.c", "int f() {\n  x = f(2);\n}\n", ["  x = f(2);"], ["L1: x = f(2);"]),
        ("a.txt", "Bars: none\n", ["Bars: none"], ["12 | x"]),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_the_file_itself_stay(
    kind: str, path: str, before: str, search: list[str], replace: list[str]
) -> None:
    old, new = ("".join(line + "\n" for line in lines) for lines in (search, replace))

    assert result(KINDS[kind](path, search, replace), path, before) == before.replace(old, new)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("d.tsv", "1\ta\n2\tb\n3\tc\n"),
        ("d.yml", "1: a\n2: b\n"),
        ("d.txt", "1: a\n2: b\n"),
        ("d.md", "1. a\n2. b\n"),
        ("d.psv", "1|a\n2|b\n"),
        ("cat.txt", "     1\tfoo\n     2\tbar\n"),
        ("d.yaml", "8:  eight\n9:  nine\n10: ten\n"),
        ("test_d.py", 'SHOWN = """\\\n     1→a\n     2→b\n"""\n'),
    ],
)
def test_a_new_file_may_hold_numbers(path: str, text: str) -> None:
    assert result(json.dumps({"writes": [{"path": path, "content": text}]}), path, None) == text


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (block("shop.py", ["if a &lt; b:"], ["pass"]), "escapes of HTML"),
        ("<path>shop.py</path>\n" + block("", ["x"], ["y"]).lstrip(), "names shop.py"),
        ("In `shop.py`, for the price:\n" + block("", ["x"], ["y"]).lstrip(), "names shop.py"),
        (block("shop.py", ["x"], ["y"]) + "\nor\n\n" + block("shop.py", ["x"], ["z"]), "earlier part"),
    ],
)
def test_a_refusal_says_what_is_wrong(edit: str, said: str) -> None:
    assert said in refusal(edit, "shop.py", "if a < b:\nx\n").message


@pytest.mark.parametrize(
    ("path", "before", "search", "replace"),
    [
        (
            "a.md",
            "1. Get it\n2. Build it\n3. Run it\n\n# Short\n\nGet it\nRun it\n",
            ["1. Get it", "2. Run it"],
            ["1. Get it", "2. Test it", "3. Run it"],
        ),
        (
            "a.yaml",
            "ports:\n  1: alice\n  2: robert\nnames: |\n  alice\n  bob\n",
            ["  1: alice", "  2: bob"],
            ["  1: alice", "  2: bobby"],
        ),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_stale_numbers_of_the_file_itself_are_not_taken_off(
    kind: str, path: str, before: str, search: list[str], replace: list[str]
) -> None:
    assert refusal(KINDS[kind](path, search, replace), path, before).code != "malformed"


def test_a_lone_number_that_continues_no_numbers_is_refused() -> None:
    assert refusal(block("p.json", ["1→[", "2→1"], ["1→[", "7"]), "p.json", "[\n1\n]\n").code == "malformed"


def test_a_lone_number_that_continues_the_numbers_is_an_empty_line() -> None:
    edit = block("a.txt", ["1→a", "2", "3→b"], ["1→a", "2", "3→c"])

    assert result(edit, "a.txt", "a\n\nb\n") == "a\n\nc\n"


def test_a_blank_new_line_keeps_its_blanks() -> None:
    edit = block("a.txt", ["1→a", "2→b"], ["1→a", "   ", "2→c"])

    assert result(edit, "a.txt", "a\nb\n") == "a\n   \nc\n"


def test_many_changes_are_looked_at_in_time() -> None:
    before = "".join(f"name{n}\nval{n}\n" for n in range(3000))
    after = "".join(f"name{n}\n{n + 90000}|v\n" for n in range(3000))
    started = time.monotonic()

    assert result(json.dumps({"writes": [{"path": "a.txt", "content": after}]}), "a.txt", before) == after
    assert time.monotonic() - started < 2


def test_a_block_of_many_lines_is_looked_at_in_time() -> None:
    before = "".join(f"name{n} foo{n * 7919 % 10007}\n" for n in range(1500))
    after = "".join(f"{n + 5}|{chr(97 + n % 26) * 3}{n * 31}zz\n" for n in range(1500))
    started = time.monotonic()

    result(json.dumps({"writes": [{"path": "a.sql", "content": after}]}), "a.sql", before)

    assert time.monotonic() - started < 5
