"""Where the files that go into containers lie: in the wheel's package data, or in a checkout."""

from __future__ import annotations

from pathlib import Path

import greenline


def sandbox_folder() -> Path:
    """Return the folder that holds `runner`, `toolbox`, `sample` and `engine.sh`."""
    package = Path(greenline.__file__).resolve().parent
    shipped = package / "_sandbox"
    return shipped if shipped.is_dir() else package.parents[1] / "sandbox"
