"""Of fixes that all pass, the one with which the code looks as people write it weighs most."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from greenline.core.error import InvalidInput
from greenline.mutation.natural.feature import SIZE, Looks
from greenline.mutation.natural.model import Naturalness
from greenline.mutation.natural.token import runs
from greenline.mutation.source import Candidate
from greenline.repair.alike import Family
from greenline.repair.fix import Fix
from greenline.repair.weigh import weighed

CASES = {
    "an attribute is set to its own name": (
        "class A:\n    def set(self, rows, cols):\n        self.rows = PLACE\n        self.cols = cols\n",
        "rows",
        "cols",
    ),
    "an argument is named like its parameter": (
        "def find(low, high):\n    return low + high\n\n\ndef run(low, high):\n    return find(low, PLACE)\n",
        "high",
        "low",
    ),
    "every parameter is read": (
        "def area(width, height):\n    total = width * PLACE\n    return total\n",
        "height",
        "width",
    ),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("prefix", ["", "# é 🙂\n", "\r\n"])
def test_what_people_write_weighs_more(kind: str, prefix: str) -> None:
    text, usual, unusual = CASES[kind]
    data = (prefix + text).replace("PLACE", "x").encode()
    start = (prefix + text)[: (prefix + text).index("PLACE")].encode()

    found = weighed([_family(len(start), unusual), _family(len(start), usual)], lambda _: data)

    assert [family.best.edits[0].replacement.decode() for family in found] == [usual, unusual]


def test_the_score_still_counts_and_so_does_the_number_of_edits() -> None:
    text, usual, unusual = CASES["every parameter is read"]
    data, start = text.replace("PLACE", "x").encode(), text.index("PLACE")

    found = weighed([_family(start, usual, 0.001), _family(start, unusual, 0.9)], lambda _: data)
    assert found[0].best.edits[0].replacement == unusual.encode()
    one, two = _family(start, unusual, 0.01), _family(start, usual, 0.9)
    two = Family((Fix((*two.best.edits, *_family(0, "d").best.edits), 0.9),))
    assert weighed([two, one], lambda _: data)[0].best == one.best


@pytest.mark.parametrize("data", [b"x = (\n", b"# coding: latin-1\ny = '\xe9'\nx = 1\n", b""])
def test_what_cannot_be_read_weighs_nothing(data: bytes) -> None:
    families = [_family(0, "a", 0.5), _family(0, "b", 0.4)]

    assert [family.best for family in weighed(families, lambda _: data)] == [f.best for f in families]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_an_edit_that_changes_nothing_changes_no_number(ending: str) -> None:
    text = f"def f(a):{ending}    b = a{ending}    return b{ending}"
    at = text.index("= a") + 2

    assert not any(Looks(text).change((at, at + 1, "a")).values())
    assert all(0 <= number < SIZE for number in Looks(text).change((at, at + 1, "b")))


def test_weights_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "natural.npz"
    with pytest.raises(InvalidInput, match="Reinstall"):
        Naturalness(path)
    np.savez(path, weights=np.zeros(3, np.int8), scale=1.0, operators=np.array(["a"]), usual=np.zeros(1))
    with pytest.raises(InvalidInput, match="another size"):
        Naturalness(path)


def _family(start: int, text: str, score: float = 0.4) -> Family:
    edit = Candidate("m.py", start, start + 1, text.encode(), "variable", 1, 0.5)
    return Family((Fix((edit,), score),))


def test_a_line_of_data_is_not_read_and_deep_code_weighs_nothing() -> None:
    data = 'x = "' + '\\"' * 50_000 + '"\ny = 1\n'
    at = data.index("1\n")

    assert not runs(data, at, at + 1, "2")
    assert runs("x = 0\ny = 1\n", 10, 11, "2")
    assert weighed([_family(0, "z")], lambda _: b"x=" + b"-" * 20_000 + b"1\n")[0].weight == 1.0
