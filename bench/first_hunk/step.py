"""The steps of a way to a first hunk: what the README tells, what holds after each, and what each took."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from bench.editors.feel import NotMeasured

if TYPE_CHECKING:
    from bench.first_hunk.home import Home

Download = tuple[str, list[str]]
"""Its name, and the command that brings it."""


@attrs.frozen
class Steps:
    """What a part of the README tells its reader to do."""

    commands: tuple[str, ...]
    """In a shell, in the checkout; the last one opens the editor in the project."""
    keys: tuple[str, ...]
    """In the editor: what is typed, pressed or clicked."""


@attrs.frozen
class Timed:
    """A step that was taken."""

    name: str
    seconds: float
    processor_s: float | None = None
    """None where the editor and its server, which go on, did the work."""
    is_download: bool = False


@attrs.frozen
class Way:
    """A way to a first hunk, in one editor."""

    editor: str
    heading: str
    """Of the README's part that tells it."""
    effects: Mapping[str, str]
    """What is typed, pressed or clicked → what holds in the editor once it is done."""
    need: Callable[[], None]
    """Raises where the editor is not there."""
    downloads: Callable[[Home], Sequence[Download]]
    """What the steps need beside what every way needs."""
    programs: Callable[[Home], Mapping[str, str]]
    """Programs that the user has: name → script."""
    take: Callable[[Steps, Path, Mapping[str, str]], Iterator[Timed]]
    """Open the editor by the last command and do the rest, in a folder and an environment."""


def read_steps(text: str, heading: str) -> Steps:
    """Return the steps below a heading: its `sh` block, and what the entries of its list begin with."""
    _, found, rest = text.partition(f"{heading}\n")
    part = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    block = re.search(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    keys = tuple(re.findall(r"^\d+\. `([^`]+)`", part, re.MULTILINE))
    if not found or block is None or not keys:
        raise NotMeasured(f"The text has no commands and keys below {heading!r}.")
    lines = block[1].replace("\\\n", " ").splitlines()
    return Steps(tuple(line for line in lines if line.strip()), keys)
