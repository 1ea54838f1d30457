"""How good a ranking is, and how sure a difference."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

N_RESAMPLES = 2000


def ndcg(ranked: Sequence[str], truth: Sequence[str], k: int = 10) -> float:
    """Return NDCG@k with a gain of one for each file of the truth."""
    wanted = set(truth)
    gain = sum(1 / math.log2(i + 2) for i, path in enumerate(ranked[:k]) if path in wanted)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(k, len(wanted))))


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 for nothing."""
    return sum(values) / len(values) if values else 0.0


def paired_interval(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference, by a paired bootstrap with a fixed seed."""
    generator = random.Random(1)
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    means = sorted(mean(generator.choices(differences, k=len(differences))) for _ in range(N_RESAMPLES))
    return means[int(0.025 * N_RESAMPLES)], means[int(0.975 * N_RESAMPLES)]
