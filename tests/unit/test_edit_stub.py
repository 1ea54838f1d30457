"""Stubs that stand for code, marks and NULs that no file should get, and words that say which fault it is."""

from __future__ import annotations

import json

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

CODE = "def f(a):\n    x = 1\n    return x\n\n\ndef g(a):\n    y = 1\n    z = 2\n    return y + z\n"


def applied(edit: object, before: bytes, encoding: str | None = None) -> bytes | None:
    """Return the file `a.py` after a structured edit."""
    staging = Staging({"/w/a.py": before}.get, "/w", encoding=encoding)
    (change,) = edit_set_from_text(json.dumps(edit), staging).changes
    return change.after


def refused(edit: object, before: bytes, encoding: str | None = None) -> EditRejected:
    """Return why a structured edit is refused."""
    with pytest.raises(EditRejected) as caught:
        applied(edit, before, encoding)
    return caught.value


def write(content: str) -> object:
    """Return an edit that writes the whole file."""
    return {"writes": [{"path": "a.py", "content": content}]}


@pytest.mark.parametrize(
    "rest",
    [
        "def g(a):\n    pass  # ... existing code ...\n",
        "def g(a): ...  # unchanged\n",
        "def g(a):\n    pass  # implementation unchanged\n",
        "# etc.\n",
        "# Der Rest bleibt unverändert\n",
        "# Restlicher Code wie bisher\n",
        "# Le reste du code reste inchangé\n",
        "# El resto del código sigue igual\n",
    ],
)
def test_a_stub_for_code_that_was_there_is_refused(rest: str) -> None:
    edit = write("def f(a):\n    x = 5\n    return x\n\n\n" + rest)

    assert refused(edit, CODE.encode()).code == "elision"


@pytest.mark.parametrize(
    "line",
    [
        "    def g(a): ...  # noqa: E704",
        "    pass  # nothing to close",
        "x = {}  # names already seen",
        "# Der Rest der Division ist Null",
        "# lists, tuples, etc.",
    ],
)
def test_a_stub_that_stands_for_nothing_is_written(line: str) -> None:
    edit = {"edits": [{"path": "a.py", "search": "one\n", "replace": f"one\n{line}\n"}]}

    assert applied(edit, b"one\n") == f"one\n{line}\n".encode()


@pytest.mark.parametrize(
    "edit",
    [
        write("\ufeffx = 2\n"),
        {"edits": [{"path": "a.py", "search": "x = 1", "replace": "\ufeffx = 2"}]},
    ],
)
def test_no_byte_order_mark_is_added(edit: object) -> None:
    assert applied(edit, b"x = 1\n") == b"x = 2\n"


@pytest.mark.parametrize("path", ["a.py", "new.py"])
def test_a_nul_is_not_written_into_text(path: str) -> None:
    edit = {"writes": [{"path": path, "content": "x = '\0'\n"}]}

    assert refused(edit, b"x = 1\n").code == "malformed"


def test_places_on_one_line_are_counted() -> None:
    error = refused({"edits": [{"path": "a.py", "search": "x", "replace": "y"}]}, b"x = x\nx\n")

    assert "3 places: lines 1 (2 times), 2." in error.message
    assert error.lines == (1, 2)


def test_a_name_that_is_too_long_is_malformed() -> None:
    edit = {"writes": [{"path": "d/" + "x" * 300, "content": "b"}]}

    assert refused(edit, b"").code == "malformed"


def test_bytes_that_would_not_come_back_are_named_so() -> None:
    edit = {"edits": [{"path": "a.py", "search": "x = 1", "replace": "x = 2"}]}

    error = refused(edit, b"x = 1\n# \x87\x90\n", "cp932")

    assert error.code == "not-utf8"
    assert "written back" in error.message
