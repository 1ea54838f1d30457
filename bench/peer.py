"""The language servers that stand beside ours."""

from __future__ import annotations

import sys
from pathlib import Path

OURS = "greenline"
BASE = "jedi-language-server"
"""The peer that the targets name: it stands on the same library."""


def commands() -> dict[str, list[str]]:
    """Return the command of each server that is installed beside this interpreter, ours first."""
    folder = Path(sys.executable).parent
    found = {
        OURS: [str(folder / "greenline"), "serve"],
        BASE: [str(folder / "jedi-language-server")],
        "pylsp": [str(folder / "pylsp")],
        "ty": [str(folder / "ty"), "server"],
    }
    return {name: command for name, command in found.items() if Path(command[0]).exists()}
