"""Where a workspace's own records live: under the user's state folder, never inside the repository."""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH117, PTH119

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from greenline.core.error import InvalidInput

STATE_REMEDY = "Set GREENLINE_STATE_DIR to a folder that can be written, with space"
"""Without a full stop, as the words of an `OSError` are."""
_PROBE_BYTES = 16 * 1024
"""More than a full disk takes, and less than the smallest journal."""


def state_home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of all state; `GREENLINE_STATE_DIR` overrides the platform's.

    Raises `InvalidInput` for a relative one, which would lie wherever a process happens to start.
    """
    chosen = (os.environ if environment is None else environment).get("GREENLINE_STATE_DIR")
    if not chosen:
        return Path(platformdirs.user_state_dir("greenline", appauthor=False))
    if not os.path.isabs(chosen):
        raise InvalidInput(
            f"GREENLINE_STATE_DIR is {chosen!r}, which is a relative path.",
            remedy="Set it to an absolute path outside the workspace, or unset it.",
        )
    return Path(chosen)


def state_path(root: str, environment: Mapping[str, str] | None = None) -> Path:
    """Return where the state folder of the workspace at `root` is, or would be; nothing is made."""
    real = os.path.realpath(root)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(real)) or "root"
    digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return state_home(environment) / f"{name[:40]}-{digest}"


def state_folder(root: str, environment: Mapping[str, str] | None = None) -> Path:
    """Return (and make, readable by the user only) the state folder of the workspace at `root`.

    Raises `OSError` with the remedy in its words.
    """
    folder = state_path(root, environment)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error, "The state folder cannot be made there") from error
    return folder


def check_writable(folder: Path) -> None:
    """Raise `OSError`, with the remedy in its words, where a state folder takes no file."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_PROBE_BYTES))
    except OSError as error:
        raise _unusable(folder, error, "The state folder cannot be written") from error


def _unusable(folder: Path, error: OSError, problem: str) -> OSError:
    return OSError(error.errno, f"{error.strerror or error}. {problem}. {STATE_REMEDY}", str(folder))
