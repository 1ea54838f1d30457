"""Embedders: the built-in one on real text, the choice between them, and one behind an API."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.error import InvalidInput
from greenline.index.embed.choice import choose_embedder
from greenline.index.embed.static_embedder import StaticEmbedder
from greenline.index.embed.word import read_words

BUILT_IN = StaticEmbedder()


def n_words(text: str) -> int:
    return len(read_words([text]).hashes)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 0),
        ("snake_case", 2),
        ("camelCase", 2),
        ("HTTPServer", 2),
        ("URLs", 1),
        ("x1y2", 4),
        ("über", 1),
        ("a.b(c)", 3),
    ],
)
def test_words_end_at_humps_digits_and_marks(text: str, n: int) -> None:
    assert n_words(text) == n


def test_case_is_folded_and_the_header_is_told_apart() -> None:
    words = read_words(["# Retry\nretry"])

    assert words.hashes[0] == words.hashes[1]
    assert words.in_header.tolist() == [True, False]


def test_a_question_is_nearest_to_the_code_that_answers_it() -> None:
    code = [
        "# net/upload.py retry\ndef retry(request, times):\n    for n in range(times):\n        sleep()",
        "# math/matrix.py invert\ndef invert(matrix):\n    return determinant(matrix) and adjugate(matrix)",
        "# ui/button.py click\ndef click(button):\n    button.pressed = True\n    redraw(button)",
    ]

    scores = BUILT_IN.embed(code) @ BUILT_IN.embed_query(
        "wait longer between attempts to send a request again"
    )

    assert int(np.argmax(scores)) == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=200), max_size=6))
def test_a_vector_has_length_one_and_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    together = BUILT_IN.embed(texts)

    assert together.shape == (len(texts), BUILT_IN.dims)
    for vector, text in zip(together, texts, strict=True):
        assert np.array_equal(vector, BUILT_IN.embed([text])[0])
        assert np.linalg.norm(vector) == pytest.approx(1.0 if n_words(text) else 0.0, abs=1e-5)


def test_fewer_dimensions_are_the_first_ones_and_have_a_stamp_of_their_own() -> None:
    small = StaticEmbedder(dims=64)

    assert small.embed(["send"]).shape == (1, 64)
    assert small.stamp != BUILT_IN.stamp
    assert small.stamp == StaticEmbedder(dims=64).stamp


def test_weights_that_are_none_are_refused_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "weights.npz"
    broken.write_bytes(b"PK\x03\x04 no weights")

    with pytest.raises(InvalidInput, match=r"weights\.npz"):
        StaticEmbedder(broken)


def test_the_choice_follows_the_name() -> None:
    asked: list[str] = []

    def behind_api(name: str) -> StaticEmbedder:
        asked.append(name)
        return BUILT_IN

    assert isinstance(choose_embedder("builtin"), StaticEmbedder)
    assert choose_embedder("none") is None
    assert choose_embedder("litellm:ollama/x", behind_api) is BUILT_IN
    assert asked == ["ollama/x"]


@pytest.mark.parametrize("name", ["litellm:x", "nonsense", "model2vec:/nowhere"])
def test_an_embedder_that_cannot_be_had_is_named(name: str) -> None:
    with pytest.raises(InvalidInput, match=name.rpartition(":")[2]):
        choose_embedder(name)
