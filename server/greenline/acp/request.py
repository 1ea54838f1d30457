"""What a prompt says: its words, the files that it names, and the command where it is one. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import attrs
from acp.schema import (
    EmbeddedResourceContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from greenline.core.error import InvalidInput
from greenline.core.task import ContextRange

_LINES = re.compile(r"L(?P<first>\d+)(?:[-:]L?(?P<last>\d+))?")


@attrs.frozen
class Asked:
    """One prompt."""

    text: str
    files: tuple[str, ...] = ()
    """Absolute paths of the files that came with it."""
    range: ContextRange | None = None
    """The first piece of a file that came with it."""
    command: str = ""
    """`undo` where the text began with `/undo`; the text is then what stood behind it."""


def read_prompt(blocks: Sequence[Any]) -> Asked:
    """Return a prompt's content; raises `InvalidInput` for a kind that the agent did not offer to take."""
    words: list[str] = []
    files: list[str] = []
    piece: ContextRange | None = None
    for block in blocks:
        if isinstance(block, TextContentBlock):
            words.append(block.text)
            continue
        if isinstance(block, ResourceContentBlock):
            uri, text = block.uri, ""
        elif isinstance(block, EmbeddedResourceContentBlock):
            uri = block.resource.uri
            text = block.resource.text if isinstance(block.resource, TextResourceContents) else ""
        else:
            raise InvalidInput(
                f"A prompt with a block of the type {block.type} cannot be read.",
                remedy="Send text, links to files, or embedded text.",
            )
        if (path := file_of(uri)) is None:
            words.append(f"{uri}\n{text}" if text else uri)
        else:
            files.append(path)
            piece = piece or lines_of(uri, path)
    return _asked(" ".join(words).strip(), tuple(dict.fromkeys(files)), piece)


def _asked(text: str, files: tuple[str, ...], piece: ContextRange | None) -> Asked:
    if text.startswith("/") and (match := re.match(r"/([a-z]+)(?:\s+|$)", text)) is not None:
        return Asked(text[match.end() :].strip(), files, piece, match[1])
    return Asked(text, files, piece)


def file_of(uri: str) -> str | None:
    """Return the path of a `file:` URI, or of a bare absolute path; None for anything else."""
    if uri.startswith("/"):
        return uri
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" and not parts.netloc else None


def lines_of(uri: str, path: str) -> ContextRange | None:
    """Return the lines that a URI's fragment names, `#L10-20`."""
    match = _LINES.fullmatch(urlsplit(uri).fragment)
    if match is None:
        return None
    first = max(int(match["first"]), 1)
    return ContextRange(path, first - 1, max(int(match["last"] or first), first) - 1)
