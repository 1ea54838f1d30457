"""Where two texts do not tell which of several changes led from one to the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greenline.core.edit import Hunk
from greenline.edit.hunk import Span, moved
from greenline.edit.sliding import is_doubtful

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n"]), min_size=1, max_size=9)


def hunk_of(lines: list[str], start: int, end: int) -> Hunk:
    return Hunk("h", "f", "edit", start, end, "".join(lines[start:end]), "new\n", "hash", None, "", None)


@given(LINES, st.data())
def test_a_place_is_doubtful_where_another_removal_of_as_many_lines_gives_the_same_text(
    lines: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, len(lines)))
    start = data.draw(st.integers(0, len(lines) - 1))
    hunk = hunk_of(lines, start, data.draw(st.integers(start + 1, len(lines))))
    after = lines[:first] + lines[last:]
    n_gone = last - first

    places = {
        there and there.start_line
        for at in range(len(lines) - n_gone + 1)
        if lines[:at] + lines[at + n_gone :] == after
        for there in [moved(hunk, (Span(at, at + n_gone, at, at),), after)]
    }
    span = Span(first, last, first, first)
    there = moved(hunk, (span,), after)

    if there is not None:
        assert is_doubtful(hunk, (span,), lines, after) == (len(places) > 1)


@given(LINES, st.data())
def test_a_place_is_doubtful_where_the_same_lines_may_have_been_added_elsewhere(
    lines: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(lines)))
    added = data.draw(LINES)
    start = data.draw(st.integers(0, len(lines) - 1))
    hunk = hunk_of(lines, start, data.draw(st.integers(start + 1, len(lines))))
    after = lines[:first] + added + lines[first:]
    n_new = len(added)

    places = {
        there and there.start_line
        for at in range(len(lines) + 1)
        if lines[:at] + after[at : at + n_new] + lines[at:] == after
        for there in [moved(hunk, (Span(at, at, at, at + n_new),), after)]
    }
    span = Span(first, first, first, first + n_new)
    there = moved(hunk, (span,), after)

    if there is not None:
        assert is_doubtful(hunk, (span,), lines, after) == (len(places) > 1)
