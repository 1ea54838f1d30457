"""Long lines, and edits of thousands of parts: what they leave alone, and what they cost."""

from __future__ import annotations

import random

import pytest

from greenline.core.error import EditRejected
from greenline.edit.about import names_in
from greenline.edit.apply import edit_set_from_text
from greenline.edit.replace import replace_lines
from greenline.edit.staging import Staging
from greenline.edit.standin import is_stand_in

PLAIN = str.maketrans({"“": '"', "”": '"', "’": "'", "—": "-"})


def paragraph(n_words: int) -> list[str]:
    """Return words with many typographic characters; the same ones for the same number."""
    chance = random.Random(n_words)
    return [
        chance.choice(["“quoted”", "isn’t", "—", "café", f"w{chance.randrange(99)}"]) for _ in range(n_words)
    ]


@pytest.mark.parametrize("n_words", [10, 150, 1000, 20_000])
def test_typographic_characters_of_a_long_line_stay_where_a_word_changes(n_words: int) -> None:
    words = paragraph(n_words)
    third = n_words // 3
    changes = [
        [*words[:third], "CHANGED", *words[third + 1 :]],
        ["first", *words[1:-1], "last"],
        [*words[:third], "some", "new", "words", *words[third:]],
    ]

    for changed in changes:
        search, new = (" ".join(each).translate(PLAIN) for each in (words, changed))
        after = replace_lines(" ".join(words) + "\nb\n", f"{search}\n", f"{new}\n")

        assert after == " ".join(changed) + "\nb\n"


def test_a_long_line_of_equal_words_keeps_its_characters() -> None:
    text = "“é” " * 30_000

    after = replace_lines(f"{text}\nb\n", text.translate(PLAIN) + "\n", text.translate(PLAIN) + "end\n")

    assert after == f"{text}end\nb\n"


def test_marks_that_combine_with_blanks_lose_nothing() -> None:
    text = "“a” \u0301b e\u0301 " * 1000

    after = replace_lines(f"{text}\nb\n", text.translate(PLAIN) + "\n", text.translate(PLAIN) + "end\n")

    assert after.translate(PLAIN) == text.translate(PLAIN) + "end\nb\n"


def test_a_search_of_many_equal_lines_costs_as_much_as_the_text() -> None:
    # Compared anew at each line it takes half an hour.
    with pytest.raises(EditRejected) as caught:
        replace_lines("x\n" * 1_000_000, "x\n" * 10_000, "y\n")

    assert caught.value.code == "ambiguous"


def test_thousands_of_blocks_on_one_file_are_applied() -> None:
    lines = [f"line {number} of the file with some words" for number in range(4000)]
    edit = "".join(
        f"b.txt\n<<<<<<< SEARCH\n{line}\n=======\nnew {line}\n>>>>>>> REPLACE\n\n" for line in lines[::2]
    )
    staging = Staging({"/w/b.txt": "".join(f"{line}\n" for line in lines).encode()}.get, "/w")

    (change,) = edit_set_from_text(edit, staging).changes
    assert (
        change.after
        == "".join(f"{'' if number % 2 else 'new '}{line}\n" for number, line in enumerate(lines)).encode()
    )


@pytest.mark.parametrize("tail", ["", "\n", "x\n", "x"])
@pytest.mark.parametrize("new", ["", "n\n", "n"])
def test_lines_that_stand_exactly_once_are_replaced_as_by_the_long_way(tail: str, new: str) -> None:
    text = f"a\nb\nc\n{tail}"

    assert replace_lines(text, "b\nc\n", new) == replace_lines(text, "b\nc\n", new, 1)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("word", ["a" * 200_000, "1." * 100_000, "a/" * 100_000 + "a"])
def test_a_long_word_names_files_in_no_time(word: str) -> None:
    assert not list(names_in(f"![]({word}!)", lambda name: False))
    assert list(names_in(f"{word}/b.py", lambda name: False)) == [f"{word}/b.py"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("rest", ["a" * 200_000, " " * 200_000 + "b", "a-" * 100_000, "…" * 200_000 + "b"])
def test_a_long_comment_is_no_stand_in(rest: str) -> None:
    assert not is_stand_in(f"//# sourceMappingURL=a{rest}")
