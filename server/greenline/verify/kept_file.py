"""Files of the state folder that are written whole or not at all, whoever reads them meanwhile."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

_UNFINISHED = ".new-"
_UNFINISHED_S = 3600.0


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place, with its folder, and drop what the dead left half done there; raises `OSError`."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    for left in path.parent.glob(f"{_UNFINISHED}*"):
        if time.time() - left.stat().st_mtime > _UNFINISHED_S:
            left.unlink(missing_ok=True)


def finished(folder: Path) -> list[Path]:
    """Return the files of a folder that were written whole."""
    return [path for path in folder.iterdir() if not path.name.startswith(_UNFINISHED)]
