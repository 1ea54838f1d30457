"""Recognises the format of an edit and reads it into operations; pure."""

from __future__ import annotations

import json
import re
from enum import StrEnum

from greenline.edit import block, envelope, structured, unified, whole
from greenline.edit.naming import Exists
from greenline.edit.operation import Operation

_FENCED_JSON = re.compile(r"```(?:json)?\s*\n(\s*[{\[].*?)\n\s*```", re.DOTALL)
_DIFF = re.compile(r"^(?:diff --git |@@ .*@@|@@\s*$|--- \S.*\n\+\+\+ \S)", re.MULTILINE)


class EditFormat(StrEnum):
    """The forms that an edit can have."""

    DIFF = "diff"
    BLOCK = "search-replace"
    PATCH = "patch"
    WHOLE = "whole"
    JSON = "json"


def recognise(text: str, path: str | None, exists: Exists) -> EditFormat:
    """Return the format of an edit, by what only that format has; a text like none counts as whole."""
    if structured_text(text) is not None:
        return EditFormat.JSON
    lines = text.split("\n")
    if any(line.strip() == envelope.BEGIN for line in lines):
        return EditFormat.PATCH
    if block.has_blocks(lines):
        return EditFormat.BLOCK
    if _DIFF.search(text):
        return EditFormat.DIFF
    return EditFormat.WHOLE


def read(
    text: str, path: str | None, exists: Exists, given: EditFormat | None = None
) -> tuple[Operation, ...]:
    """Read an edit in its own format, or in the `given` one.

    `path` names the file where the text does not.
    Raises `EditRejected` (`malformed`, `ambiguous-block`, `binary`, `link`).
    """
    text = text.removeprefix("\ufeff")
    whole_text = text
    if _is_crlf(text):
        text = text.replace("\r\n", "\n")
    match given or recognise(text, path, exists):
        case EditFormat.JSON:
            return structured.read(structured_text(text) or text)
        case EditFormat.PATCH:
            return envelope.read(text)
        case EditFormat.BLOCK:
            return block.read(text, path, exists)
        case EditFormat.DIFF:
            return unified.parse(text, path)
        case EditFormat.WHOLE:
            return whole.read(whole_text, path, exists)


def structured_text(text: str) -> str | None:
    """Return the JSON of a structured edit, without a fence around it; None where there is none."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        fenced = _FENCED_JSON.search(text)
        if fenced is None:
            return None
        stripped = fenced[1].strip()
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        begins = re.match(r'\{\s*"(?:edits|writes|ops)"', stripped)
        return stripped if begins else None
    if isinstance(value, dict) and any(key in value for key in structured.KEYS):
        return stripped
    edits = isinstance(value, list) and value and all(isinstance(v, dict) and "search" in v for v in value)
    return stripped if edits else None


def _is_crlf(text: str) -> bool:
    r"""Return whether every line ends in ``\r\n``, so that the ends say nothing about the files."""
    return "\r\n" in text and text.count("\n") == text.count("\r\n")
