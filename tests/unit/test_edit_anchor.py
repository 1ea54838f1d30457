"""An accepted hunk is found again where it is, or nowhere: whatever was done to the text meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.anchor import Anchor, Owner, anchor_at
from greenline.edit.anchor import Rows, follow, is_same_line, locate
from greenline.edit.hunk import changed_spans

OWNER = Owner("h-1", "p-1", "/w/a.py", 1.0)
CODE = """\
import math

RATE = 0.2


def price(amount):
    return amount * (1 + RATE)


def total(amounts):
    result = 0
    for amount in amounts:
        result += price(amount)
    return math.floor(result)


def mean(amounts):
    if not amounts:
        return None
    return total(amounts) / len(amounts)
"""


def anchor_of(text: str, lines: str) -> Anchor:
    """Return the anchor of the first place of some lines."""
    all_lines, wanted = text.splitlines(), lines.splitlines()
    start = next(n for n in range(len(all_lines)) if all_lines[n : n + len(wanted)] == wanted)
    anchor = anchor_at(OWNER, all_lines, start, start + len(wanted))
    assert anchor is not None
    return anchor


HUNK = "    for amount in amounts:\n        result += price(amount)\n"
FLOOR = "    return math.floor(result)\n"
FOUND = {
    "nothing changed": (CODE, HUNK, [11, 12]),
    "lines above": ("# A licence.\n# More of it.\n" + CODE, HUNK, [13, 14]),
    "blanks at line ends": (CODE.replace("\n", "  \r\n"), HUNK, [11, 12]),
    "everything around was renamed": (
        CODE.replace("total", "summed").replace("result = 0", "result = 0.0"),
        HUNK,
        [11, 12],
    ),
    "the user wrote into it": (
        CODE.replace("        result +=", "        check(amount)\n        result +="),
        HUNK,
        [11, 13],
    ),
    "a comment was put behind it": (CODE.replace("floor(result)", "floor(result)  # down"), FLOOR, [13]),
    "indented once more": (CODE.replace("    return math", "        return math"), FLOOR, [13]),
    "one line of it was rewritten": (
        CODE.replace("result += price(amount)", "result = add(result, amount)"),
        HUNK,
        [11, None],
    ),
    "a copy with other neighbours": (CODE + "\n\ndef other(amounts):\n" + HUNK, HUNK, [11, 12]),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_hunk_is_found_again(name: str) -> None:
    text, hunk, rows = FOUND[name]

    assert locate(anchor_of(CODE, hunk), tuple(line.rstrip() for line in text.split("\n"))) == tuple(rows)


TWICE = CODE + "\n\n" + CODE.replace("import math\n\nRATE = 0.2\n\n\n", "")
NOWHERE = {
    "it was rewritten": (CODE, CODE.replace("math.floor(result)", "round(result, 2)"), FLOOR),
    "it was turned round": (
        CODE,
        CODE.replace("amount * (1 + RATE)", "amount / (1 - RATE)"),
        "    return amount * (1 + RATE)\n",
    ),
    "it was deleted": (CODE, CODE.replace(FLOOR, ""), FLOOR),
    "one of two that were alike is gone": (TWICE, CODE, HUNK),
    "the only one left has other neighbours": (
        CODE,
        "def f(g):\n    while g:\n        g = g.next\n" + FLOOR,
        FLOOR,
    ),
    "a common line with a common neighbour": (
        CODE,
        "def a(b):\n    if not b:\n        return None\n",
        "        return None\n",
    ),
    "a copy that has one neighbour, and the place itself another": (
        CODE,
        CODE.replace("RATE = 0.2", "RATE = 0.25")
        + "\n\nRATE = 0.2\n\n\ndef price(amount):\n    return amount * (1 + RATE)\n",
        "    return amount * (1 + RATE)\n",
    ),
    "a copy right above it": (CODE, CODE.replace(FLOOR, FLOOR + FLOOR), FLOOR),
    "another file": (CODE, "x = 1\n", HUNK),
    "an empty file": (CODE, "", HUNK),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_where_it_cannot_be_told_nothing_is_said(name: str) -> None:
    before, text, hunk = NOWHERE[name]

    assert locate(anchor_of(before, hunk), tuple(text.splitlines())) is None


def test_lines_that_say_nothing_have_no_anchor() -> None:
    assert anchor_at(OWNER, ["a", "", "", "b"], 1, 3) is None
    assert anchor_at(OWNER, ["a", "b"], 1, 1) is None


@pytest.mark.parametrize(
    ("line", "other", "same"),
    [
        ("return price(amount, rate)", "    return price(amount, rate)  # net", True),
        ("return a + b", "return a - b", False),
        ("assert x == 1", "assert x == 2", False),
        ("total = compute(price, quantity) + tax", "total = compute(price, quantity) + vat", True),
        ("", "x", False),
        ("", "", True),
    ],
)
def test_a_line_is_the_same_where_most_of_it_is(line: str, other: str, same: bool) -> None:
    assert is_same_line(line, other) is same


# --- whatever a user does -------------------------------------------------------------------------------


@attrs.frozen
class Line:
    """A line, and its number in the text that was accepted, or None where it was typed."""

    text: str
    origin: int | None
    is_copy: bool = False


@attrs.frozen
class Edit:
    """Lines are taken away at a place, and others put there."""

    at: int
    n_removed: int
    n_typed: int
    pastes_hunk: bool

    def apply(self, lines: Sequence[Line], hunk: Sequence[Line]) -> list[Line]:
        at = self.at % (len(lines) + 1)
        if self.pastes_hunk and self.at % 3 == 0:
            # A copy is most often put next to the original.
            at = next((n for n, line in enumerate(lines) if line == hunk[0]), at)
        typed = [Line(f"«{at}.{n}.{len(lines)}»", None) for n in range(self.n_typed)]
        pasted = [attrs.evolve(line, is_copy=True) for line in hunk] if self.pastes_hunk else []
        return [*lines[:at], *typed, *pasted, *lines[at + self.n_removed :]]


def edits(*, pastes: bool) -> st.SearchStrategy[list[Edit]]:
    paste = st.booleans() if pastes else st.just(value=False)
    return st.lists(
        st.builds(Edit, st.integers(0, 60), st.integers(0, 6), st.integers(0, 3), paste), max_size=6
    )


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


@st.composite
def accepted(draw: st.DrawFn, *, twins: bool) -> tuple[list[Line], int, int]:
    """Draw a text and which lines of it were accepted; perhaps with another such block far from it."""
    n_lines = draw(st.integers(1, 40))
    texts = [
        draw(st.sampled_from(["", "}"])) if draw(st.integers(0, 5)) == 0 else f"{WORDS[n % 10]}_{n} = {n}"
        for n in range(n_lines)
    ]
    start = draw(st.integers(0, n_lines - 1))
    end = draw(st.integers(start + 1, min(n_lines, start + 5)))
    texts[start] = f"{WORDS[start % 10]} = {WORDS[-start % 10]}({start})"
    if twins and draw(st.booleans()):
        away = draw(st.integers(20, 30))
        fill = [f"far_{n} = {WORDS[n % 10]}" for n in range(away)]
        texts = [*texts, *fill, *texts[start:end], *(f"end_{n} = {n}" for n in range(3))]
    return [Line(text, n) for n, text in enumerate(texts)], start, end


def check(rows: Rows | None, lines: Sequence[Line], start: int, end: int) -> None:
    """Fail where a line is given to the hunk that is not of it, or a copy while the hunk itself is there."""
    own = [line for line in lines if line.origin in range(start, end) and not line.is_copy]
    for number, row in enumerate(rows or ()):
        if row is None or lines[row].text in ("", "}"):
            # Of two that look alike, side by side, no diff can tell which one went.
            continue
        assert lines[row].origin == start + number
        assert not lines[row].is_copy or len(own) < end - start


@given(accepted(twins=True), edits(pastes=True))
def test_no_line_is_given_to_a_hunk_that_is_not_of_it(
    text: tuple[list[Line], int, int], changes: list[Edit]
) -> None:
    lines, start, end = text
    hunk = lines[start:end]
    anchor = anchor_at(OWNER, [line.text for line in lines], start, end)
    assert anchor is not None
    for change in changes:
        lines = change.apply(lines, hunk)

    check(locate(anchor, tuple(line.text for line in lines)), lines, start, end)


@given(accepted(twins=False), edits(pastes=False))
def test_edits_are_followed_line_by_line(text: tuple[list[Line], int, int], changes: list[Edit]) -> None:
    lines, start, end = text
    anchor = anchor_at(OWNER, [line.text for line in lines], start, end)
    assert anchor is not None
    rows: Rows | None = tuple(range(start, end))
    for change in changes:
        before, lines = lines, change.apply(lines, ())
        spans = changed_spans([line.text for line in before], [line.text for line in lines])
        rows = None if rows is None else follow(anchor, rows, spans, [line.text for line in lines])

    check(rows, lines, start, end)
    left = {line.origin: row for row, line in enumerate(lines) if line.text and line.origin is not None}
    for number, line in enumerate(anchor.lines):
        if start + number in left and line != "}":
            assert rows is not None
            assert rows[number] == left[start + number]


@given(accepted(twins=False), st.integers(0, 9), st.integers(0, 9))
def test_what_was_left_alone_is_found(text: tuple[list[Line], int, int], n_above: int, n_below: int) -> None:
    lines, start, end = text
    texts = [line.text for line in lines]
    anchor = anchor_at(OWNER, texts, start, end)
    assert anchor is not None
    around = sum(character.isalnum() for line in anchor.block for character in line)

    now = [f"«{n}»" for n in range(n_above)] + texts + [f"«{n}»" for n in range(n_below)]
    rows = locate(anchor, now)

    if around >= 80:
        assert rows == tuple(range(start + n_above, end + n_above))


def test_a_line_that_comes_back_is_the_hunks_again() -> None:
    lines = CODE.splitlines()
    anchor = anchor_of(CODE, "    result = 0\n" + HUNK)
    typed = [line.replace("for amount in amounts", "for one in them") for line in lines]

    away = follow(anchor, (10, 11, 12), changed_spans(lines, typed), typed)
    assert away == (10, None, 12)
    assert follow(anchor, away, changed_spans(typed, lines), lines) == (10, 11, 12)


WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
NUMBERED = [f"{WORDS[number % 10]}_{number} = {number}" for number in range(19)]


@pytest.mark.parametrize(
    ("before", "start", "after"),
    [
        # Copies in the place of what stood above, and at the end of the text.
        (
            ["", *NUMBERED[3:14], "", *NUMBERED[15:]],
            13,
            ["", *NUMBERED[3:10], *NUMBERED[15:], "", *NUMBERED[15:], *NUMBERED[15:]],
        ),
        # A copy at the beginning, and the block itself is cut in two.
        (
            [*NUMBERED[:3], "", *NUMBERED[4:13]],
            0,
            [*NUMBERED[:3], NUMBERED[0], "new = 1", *NUMBERED[1:3], "", *NUMBERED[4:13]],
        ),
    ],
)
def test_an_end_of_the_text_alone_tells_no_copy_from_the_other(
    before: list[str], start: int, after: list[str]
) -> None:
    anchor = anchor_at(OWNER, before, start, start + (3 if start == 0 else 4))

    assert anchor is not None
    assert locate(anchor, tuple(after)) is None
