"""Fixes that nothing tells apart are one family; what is written or behaves otherwise is another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.mutation.source import Candidate
from greenline.repair.alike import Family, families, homes
from greenline.repair.fix import Fix
from greenline.verify.batch import Look

BASE = b"x = PLACE\n"


def _fix(text: str, score: float = 0.5) -> Fix:
    start = BASE.index(b"PLACE")
    return Fix((Candidate("m.py", start, start + 5, text.encode(), "kind", 1, 0.5),), score)


def _n_families(*texts: str, looks: tuple[str | None, ...] | None = None) -> int:
    fixes = [_fix(text) for text in texts]
    return len(families(fixes, lambda _: BASE, [_look(look) for look in looks or (None,) * len(fixes)]))


def _look(text: str | None, n_variants: int = 20) -> Look | None:
    return None if text is None else tuple((str(number), text) for number in range(n_variants))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a >= n", "a > n - 1"),
        ("a >= n", "n <= a"),
        ("a + 1 > n", "a >= n"),
        ("a - 1 < n", "a < n + 1"),
        ("not a == b", "a != b"),
        ("not a in b", "a not in b"),
        ("not a < b", "a >= b"),
        ("a == b", "b == a"),
        ("a + 1 + 1", "a + 2"),
        ("a - 1", "a + -1"),
        ("range(0, n)", "range(n)"),
        ("(a)", "a"),
        ("y\nb += -a", "y\nb -= a"),
        ("y\nb -= -a", "y\nb += a"),
    ],
)
def test_what_is_only_written_otherwise_is_one(one: str, other: str) -> None:
    assert _n_families(one, other) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a >= n", "a > n"),
        ("a > n", "n > a"),
        ("a - b", "b - a"),
        ("a + 1", "a + 2"),
        ("a and b", "a or b"),
        ("a < b < c", "b > a < c"),
        ("range(1, n)", "range(n)"),
        ("a + 0.5", "a + 1"),
    ],
)
def test_what_is_another_thing_is_another(one: str, other: str) -> None:
    assert _n_families(one, other) == 2


def test_what_behaves_alike_is_one_whatever_is_written() -> None:
    assert _n_families("a", "b", looks=("same", "same")) == 1
    assert _n_families("a", "b", looks=("one", "other")) == 2
    assert _n_families("a", "b", looks=("one", None)) == 2


def test_only_variants_that_both_have_are_compared_and_a_few_say_nothing() -> None:
    fixes = [_fix("a"), _fix("b")]

    assert len(families(fixes, lambda _: BASE, [_look("same", 30), _look("same", 20)])) == 1
    assert len(families(fixes, lambda _: BASE, [_look("same", 30), _look("same", 3)])) == 2


def test_the_smallest_of_one_form_is_shown_and_the_likeliest_family_comes_first() -> None:
    long, short, other = _fix("not (a == b)", 0.6), _fix("a != b", 0.5), _fix("c", 0.9)

    found = families([long, short, other], lambda _: BASE, [_look("one"), _look("one"), _look("two")])

    assert [family.best for family in found] == [other, short]


_NUMBERS = st.integers(-3, 3)


@given(_NUMBERS, _NUMBERS, st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["<", "<=", ">", ">="]))
def test_one_form_means_one_meaning_for_whole_numbers(left: int, right: int, one: str, other: str) -> None:
    texts = f"a + {left} {one} b", f"a {other} b + {right}"
    values = [(a, b) for a in range(-8, 8) for b in range(-8, 8)]
    meanings = [[eval(text, {"a": a, "b": b}) for a, b in values] for text in texts]

    assert (_n_families(*texts) == 1) == (meanings[0] == meanings[1])


TWO = b"class C:\n    def f(self):\n        self.a = 1\n\n    def g(self):\n        self.b = 1\n"


def _put_in(line: int, score: float) -> Fix:
    start = sum(len(text) + 1 for text in TWO.split(b"\n")[:line])
    return Fix(
        (Candidate("m.py", start, start, b"        self.c = 0\n", "missing statement", line, 0.2),), score
    )


@pytest.mark.parametrize(
    ("fixes", "n_homes"),
    [
        ((_put_in(3, 0.5), _put_in(6, 0.5)), 2),
        ((_put_in(3, 0.5), _put_in(6, 0.1)), 1),
        ((_put_in(3, 0.5), _put_in(2, 0.5)), 1),
        ((_fix("a"), _fix("b")), 1),
    ],
)
def test_what_is_missing_may_have_several_homes(fixes: tuple[Fix, ...], n_homes: int) -> None:
    assert homes(Family(fixes), lambda _: TWO) == n_homes
