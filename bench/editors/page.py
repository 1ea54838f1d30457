"""What a page of the documentation tells one to run and to type, read from the page itself.

A measurement that follows the page can then not go on working where the page is wrong.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import attrs

from bench.editors.feel import ROOT, NotMeasured


@attrs.frozen
class Page:
    """One page."""

    path: Path
    text: str

    @classmethod
    def read(cls, name: str) -> Page:
        """Read a page by its name in the checkout, such as `docs/neovim.md`."""
        path = ROOT / name
        return cls(path, path.read_text("utf-8"))

    def block(self, language: str, word: str) -> str:
        """Return the first block of a language that holds a word; raises `NotMeasured` without one."""
        found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", self.text, re.MULTILINE | re.DOTALL)
        for _, body in found:
            if word in body:
                return textwrap.dedent(body)
        raise NotMeasured(f"{self.path.name} has no block of {language} with {word!r} any more.")

    def span(self, pattern: str) -> str:
        """Return the first words set as code that match a pattern wholly; raises `NotMeasured`."""
        for words in re.findall(r"`([^`\n]+)`", self.text):
            if re.fullmatch(pattern, words):
                return str(words)
        raise NotMeasured(f"{self.path.name} names nothing like {pattern!r} any more.")
