"""Counting the tokens of a call in the styles that servers report them in."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from greenline.model.usage import Tokens, tokens_of

COUNTS = st.integers(0, 100_000)


@given(fresh=COUNTS, read=COUNTS, written=COUNTS, output=COUNTS)
def test_every_token_is_counted_once_where_the_prompt_holds_the_cached_ones(
    fresh: int, read: int, written: int, output: int
) -> None:
    usage = SimpleNamespace(
        prompt_tokens=fresh + read + written,
        completion_tokens=output,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
    )

    assert tokens_of(usage) == Tokens(fresh, read, written, output)


@given(read=COUNTS, written=COUNTS, output=COUNTS, data=st.data())
def test_every_token_is_counted_once_where_the_prompt_leaves_the_cached_ones_out(
    read: int, written: int, output: int, data: st.DataObject
) -> None:
    fresh = data.draw(st.integers(0, max(0, read + written - 1)))
    usage = SimpleNamespace(
        prompt_tokens=fresh,
        completion_tokens=output,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
    )

    assert tokens_of(usage) == Tokens(fresh, read, written, output)
    assert tokens_of(usage).prompt == fresh + read + written


def test_details_of_the_prompt_say_what_the_cache_had() -> None:
    details = SimpleNamespace(cached_tokens=7, cache_creation_tokens=2)

    found = tokens_of(SimpleNamespace(prompt_tokens=10, completion_tokens=1, prompt_tokens_details=details))

    assert found == Tokens(1, 7, 2, 1)


def test_what_is_missing_or_no_number_counts_as_nothing() -> None:
    assert tokens_of(None) == Tokens(0, 0, 0, 0)
    assert tokens_of(SimpleNamespace(prompt_tokens=None, completion_tokens="x")) == Tokens(0, 0, 0, 0)
