"""Files whose encoding has to be guessed, or that say it themselves: no other reading of them is harmed."""

from __future__ import annotations

import json

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging

HTML = '<!DOCTYPE html>\n<meta charset="iso-8859-1">\n<p>x</p>\n'
XML = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>x</a>\n'


def applied(data: bytes | None, edit: object, encoding: str | None = None) -> bytes | None:
    """Return the file `m.xml` after a structured edit."""
    staging = Staging({"/w/m.xml": data}.get, "/w", encoding=encoding)
    (change,) = edit_set_from_text(json.dumps(edit), staging).changes
    return change.after


def replace(search: str, new: str) -> object:
    """Return an edit of a piece of the file."""
    return {"edits": [{"path": "m.xml", "search": search, "replace": new}]}


def write(content: str) -> object:
    """Return an edit that gives the whole file."""
    return {"writes": [{"path": "m.xml", "content": content}]}


@pytest.mark.parametrize(
    ("text", "encoding", "search"),
    [('x = "表"\n', "shift_jis", "\\"), ("x = 'a丄b'\n", "gbk", "A"), ("テスト\n", "iso2022_jp", "%9")],
)
def test_a_search_finds_no_part_of_a_character(text: str, encoding: str, search: str) -> None:
    with pytest.raises(EditRejected) as caught:
        applied(text.encode(encoding), replace(search, "Q"))

    assert caught.value.code in ("not-utf8", "no-match")


@pytest.mark.parametrize("encoding", ["iso2022_jp", "hz", "utf_7"])
def test_no_letters_of_another_encoding_are_mixed_into_escapes(encoding: str) -> None:
    text = "a\n日本\nb\n"

    with pytest.raises(EditRejected) as caught:
        applied(text.encode(encoding), replace("b\n", "本\n"))

    assert caught.value.code == "not-utf8"
    assert "--encoding" in caught.value.remedy
    assert applied(text.encode(encoding), replace("b\n", "c\n")) == text.replace("b", "c").encode(encoding)
    after = text.replace("b\n", "本\n").encode(encoding)
    assert applied(text.encode(encoding), replace("b\n", "本\n"), encoding) == after


def test_ascii_that_only_looks_like_escapes_takes_any_letter() -> None:
    text = "x = a+bcd-e\ny = 1 + 2\n"

    assert applied(text.encode(), replace("1 + 2", "é")) == text.replace("1 + 2", "é").encode()


@pytest.mark.parametrize("keys", ["Ctrl+Esc", "Shift+F10", "base+overhead"])
def test_words_with_a_plus_between_them_are_no_escapes(keys: str) -> None:
    text = f"Press {keys}\nb\n"

    assert applied(text.encode(), replace("b\n", "–\n")) == f"Press {keys}\n–\n".encode()
    assert applied(text.encode(), write(f"{text}é\n")) == f"{text}é\n".encode()


@pytest.mark.parametrize("letters", ["é", "Ö", "ж", "αβ", "日本"])
def test_letters_of_utf_7_are_seen_as_such(letters: str) -> None:
    with pytest.raises(EditRejected) as caught:
        applied(f"{letters}\nb\n".encode("utf-7"), replace("b\n", "é\n"))

    assert caught.value.code == "not-utf8"


def test_a_whole_file_keeps_the_encoding_that_its_lines_show() -> None:
    before, after = "für “alle”\nb\n", "für “alle”\nneu “x”\n"

    assert applied(before.encode("cp1252"), write(after)) == after.encode("cp1252")


@pytest.mark.parametrize("text", [HTML, XML])
def test_a_page_is_in_the_encoding_that_it_says(text: str) -> None:
    old, new = text.replace("x<", "é<"), text.replace("x<", "ü<")

    assert applied(text.encode(), replace("x<", "ü<")) == new.encode("latin-1")
    assert applied(old.encode("latin-1"), replace("é<", "ü<")) == new.encode("latin-1")
    assert applied(None, write(new)) == new.encode("latin-1")
