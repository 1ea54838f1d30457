"""The recipe of the weights of looks runs from code to weights that the model reads."""

from __future__ import annotations

import json
import random
from pathlib import Path

from bench.naturalness import cases, train

from greenline.mutation.natural.feature import Looks
from greenline.mutation.natural.model import Naturalness

CODE = """
def area(width, height):
    if width <= 0 or height <= 0:
        raise ValueError("a side is missing")
    total = width * height
    return total


def search(rows, wanted, low, high):
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def gathered(pairs):
    found = {}
    for name, count in pairs:
        found[name] = found.get(name, 0) + count
    return sorted(found.items())
"""


def test_cases_take_back_one_fault_each(tmp_path: Path) -> None:
    sound = set(cases.chunks(CODE))

    found = [case for chunk in sound for case in cases.cases("a", chunk, random.Random(1))]

    assert found
    for case in found:
        text, edits = case["text"], case["edits"]
        assert isinstance(text, str) and isinstance(edits, list)
        made = [text[:start] + new + text[end:] for start, end, new, _ in edits]
        assert made[0] in sound
        assert edits[0][3] == "" and all(operator for *_, operator in edits[1:])
        assert not sound & {*made[1:], text}


def test_weights_are_made_that_know_the_right_edit(tmp_path: Path) -> None:
    for number in range(6):
        folder = tmp_path / "code" / f"package{number}"
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(CODE * 3)
    out, weights = tmp_path / "cases.jsonl", tmp_path / "natural.npz"

    assert cases.main(["--code", str(tmp_path / "code"), "--out", str(out), "--number", "12"]) == 0
    assert train.main([str(out), "--out", str(weights), "--epochs", "4"]) == 0

    model = Naturalness(weights)
    case = json.loads(out.read_text().splitlines()[0])
    looks = Looks(case["text"])
    gains = [model.gain(looks, (start, end, new), "") for start, end, new, _ in case["edits"]]
    assert gains[0] == max(gains)
