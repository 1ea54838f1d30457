"""A file with three changes that wait, of which one needs another."""

from __future__ import annotations

from typing import Any

from lsp_desk import Desk

BEFORE = """import os


def area(r):
    return 3 * r * r


def name():
    return os.name


def last():
    return 0
"""
AFTER = """import math
import os


def area(r):
    return math.pi * r * r


def name():
    return os.name


def last():
    return 1
"""


async def proposed(here: Desk) -> tuple[str, Any]:
    """Open the file and have three hunks proposed: an import, its use, and one that stands alone."""
    uri = here.editor.open(here.root / "a.py", BEFORE)
    proposal = await here.propose()
    assert len([h for h in proposal["hunks"] if h["uri"] == uri]) == 3
    return uri, proposal
