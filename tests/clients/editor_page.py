"""The configuration that docs/editors.md gives, for the tests that run an editor with it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "editors.md"


def documented(language: str, word: str = "") -> str:
    """Return the page's first block of a language that holds a word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", _PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if word in block)


def with_greenline(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which the command `greenline` is that of these tests."""
    return {**environment, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"}
