"""Learn the weights: of the edits of a case, the one that takes the fault back is to weigh most.

`python -m bench.naturalness.train cases.jsonl… --out natural.npz` minimises the softmax loss over each case's
edits with AdaGrad, one weight a number of `greenline.mutation.natural.feature`, on all packages but one in
twelve, on which it says how often the right edit is the first. Weights are kept as one byte each.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from greenline.mutation.natural.feature import SIZE, Looks
from greenline.mutation.natural.model import MOST

Floats = NDArray[np.float32]

_RATE = 0.05
_DECAY = 1e-3
_SHARE = 4.0
"""Counts are divided by this: an edit changes some fifty numbers, and all of them move at each step."""
_NO_MATTER = 0.003
_LARGEST = 0.9995
"""The quantile of the weights from which on they are stored as equal."""


@attrs.frozen(eq=False)
class Row:
    """One edit: which numbers it changes and by how much, shapes (n,)."""

    numbers: NDArray[np.int64]
    counts: Floats
    operator: str
    """Empty where it takes the fault back."""


Case = list[Row]
"""The edits of a case, the right one first."""


def read(path: Path) -> tuple[list[Case], list[Case]]:
    """Return the cases to learn from and those kept to judge by."""
    kept: tuple[list[Case], list[Case]] = ([], [])
    with path.open(encoding="ascii") as lines:
        for line in lines:
            case = json.loads(line)
            try:
                looks = Looks(case["text"])
            except SyntaxError:
                continue
            rows = [_row(looks, *edit) for edit in case["edits"]]
            kept[zlib.crc32(case["package"].encode()) % 12 == 0].append(rows)
    return kept


def _row(looks: Looks, start: int, end: int, text: str, operator: str) -> Row:
    change = looks.change((start, end, text))
    counts = np.clip(np.fromiter(change.values(), np.float32, len(change)), -MOST, MOST)
    return Row(np.fromiter(change.keys(), np.int64, len(change)), counts / _SHARE, operator)


def shares(weights: Floats, case: Case) -> Floats:
    """Return how likely each edit is, which comes to one."""
    scores = np.array([float(weights[row.numbers] @ row.counts) for row in case], np.float32)
    raised = np.exp(scores - scores.max())
    likely: Floats = raised / raised.sum()
    return likely


def train(cases: list[Case], epochs: int, judge: list[Case]) -> Floats:
    """Return the weights; says after each epoch how the judged cases do."""
    weights = np.zeros(SIZE, np.float32)
    squares = np.full(SIZE, 0.1, np.float32)
    for epoch in range(epochs):
        random.Random(epoch).shuffle(cases)
        for case in cases:
            for share, row in zip(shares(weights, case), case, strict=True):
                wrong = float(share) - (not row.operator)
                if abs(wrong) > _NO_MATTER:
                    slope = wrong * row.counts + _DECAY * weights[row.numbers]
                    squares[row.numbers] += slope * slope
                    weights[row.numbers] -= _RATE * slope / np.sqrt(squares[row.numbers])
        print(f"epoch {epoch}: {judged(weights, judge)}", flush=True)
    return weights


def judged(weights: Floats, cases: list[Case]) -> str:
    """Return how often the right edit is first, and the mean loss."""
    if not cases:
        return "no package was kept to judge by"
    likely = [shares(weights, case) for case in cases]
    first = np.mean([share[0] >= share.max() for share in likely])
    loss = -np.mean([np.log(max(float(share[0]), 1e-9)) for share in likely])
    return f"right edit first in {first:.3f} of {len(cases)}, loss {loss:.3f}"


def usual(weights: Floats, cases: list[Case]) -> dict[str, float]:
    """Return operator → what its edits that are not the right one weigh in the mean."""
    found: dict[str, list[float]] = {}
    for case in cases:
        for row in case[1:]:
            found.setdefault(row.operator, []).append(float(weights[row.numbers] @ row.counts))
    return {operator: float(np.mean(values)) for operator, values in sorted(found.items())}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the weights; return 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.naturalness.train", description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args(arguments)
    learned: list[Case] = []
    judge: list[Case] = []
    for path in options.cases:
        one, other = read(path)
        learned += one
        judge += other
    weights = train(learned, options.epochs, judge) / _SHARE
    scale = np.float32(np.quantile(np.abs(weights[weights != 0]), _LARGEST) / 127)
    stored = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    found = usual(weights * _SHARE, learned)
    np.savez_compressed(
        options.out,
        weights=stored,
        scale=scale,
        operators=np.array(list(found)),
        usual=np.array(list(found.values()), np.float32),
    )
    print(f"as stored: {judged(stored * scale * np.float32(_SHARE), judge)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
