"""How much likelier an edit makes a file look, by weights learned from published code; numpy alone.

The weights are `natural.npz` beside this module; `docs/repair.md` says how they were made and measured.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from greenline.core.error import InvalidInput
from greenline.mutation.natural.feature import SIZE, Edit, Looks

WEIGHTS = Path(__file__).with_name("natural.npz")
MOST = 3
"""How often a thing may count: ten names in another place are not ten times as unusual."""


class Naturalness:
    """Read-only after its making, so that threads may share it."""

    def __init__(self, path: Path = WEIGHTS) -> None:
        """Load weights; raises `InvalidInput` where the file holds none."""
        try:
            with np.load(io.BytesIO(path.read_bytes())) as stored:
                self._weights = stored["weights"].astype(np.float32) * np.float32(stored["scale"])
                usual = zip(stored["operators"].tolist(), stored["usual"].tolist(), strict=True)
                self._usual: dict[str, float] = dict(usual)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise InvalidInput(
                f"{path} holds no weights of looks: {error}.", remedy="Reinstall greenline."
            ) from error
        if self._weights.shape != (SIZE,):
            raise InvalidInput(f"{path} holds weights of another size.", remedy="Reinstall greenline.")
        self._unknown = float(np.mean(list(self._usual.values()) or [0.0]))

    def gain(self, looks: Looks, edit: Edit, operator: str) -> float:
        """Return how much likelier an edit makes the file, less what edits by its operator usually do.

        A natural logarithm. What puts something in makes nearly any text less usual, so that only edits of
        one kind can be compared as they are.
        """
        found = looks.change(edit)
        numbers = np.fromiter(found.keys(), np.int64, len(found))
        counts = np.fromiter(found.values(), np.float32, len(found))
        gain = float(self._weights[numbers] @ np.clip(counts, -MOST, MOST))
        return gain - self._usual.get(operator, self._unknown)
