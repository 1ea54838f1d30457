"""Lines of thousands of characters: only the words that change are written anew."""

from __future__ import annotations

import random

import pytest

from greenline.edit.replace import replace_lines

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
