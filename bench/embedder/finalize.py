"""Turn the axes: `python -m bench.embedder.finalize IN.npz OUT.npz PAIRS`.

Rows are turned onto the principal axes of vectors of code, so that the first 64 or 128 dimensions alone are a
smaller model; products at full width stay the same. Then they are quantised again.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np

from greenline.index.embed.static_embedder import StaticEmbedder

_N_PAIRS, _STEP = 240_000, 16


def main() -> None:
    """Read, turn and write."""
    source, target, pairs = map(Path, sys.argv[1:4])
    with pairs.open() as lines:
        read = [json.loads(line) for line in itertools.islice(lines, 0, _N_PAIRS, _STEP)]
    vectors = StaticEmbedder(source).embed([f"{pair['header']}\n{pair['code']}" for pair in read])
    spectrum, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, ::-1]
    axes *= np.sign(axes.sum(0))
    with np.load(source) as loaded:
        stored = dict(loaded)
    rows = stored["emb"].astype(np.float32) @ axes
    scale = np.abs(rows).max(1).clip(1e-9) / 127
    stored["emb"] = np.round(rows / scale[:, None]).astype(np.int8)
    for name in ("wd", "wq"):
        stored[name] = (stored[name].astype(np.float32) * scale).astype(np.float16)
    np.savez_compressed(target, **stored)
    kept = spectrum[::-1].cumsum() / spectrum.sum()
    shown = [n for n in (32, 64, 128, 192) if n <= len(kept)]
    print("variance kept:", ", ".join(f"{n} dimensions {kept[n - 1]:.3f}" for n in shown))


if __name__ == "__main__":
    main()
