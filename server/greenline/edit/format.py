"""Recognises the format of an edit and reads it into operations; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from greenline.core.error import EditRejected
from greenline.edit import block, envelope, mixed, structured, unified, whole
from greenline.edit.name import unstamped
from greenline.edit.naming import FENCE, Exists, path_above
from greenline.edit.operation import FilePatch, Operation

_FENCED_JSON = re.compile(r"```(?:json)?\s*\n(\s*[{\[].*?)\n\s*```", re.DOTALL)
_DIFF = re.compile(r"^(?:diff --(?:git|cc|combined) |@@ .*@@|@@\s*$|--- \S.*\n\+\+\+ \S)", re.MULTILINE)


class EditFormat(StrEnum):
    """The forms that an edit can have."""

    DIFF = "diff"
    BLOCK = "search-replace"
    PATCH = "patch"
    WHOLE = "whole"
    JSON = "json"


def recognise(text: str, path: str | None, exists: Exists) -> EditFormat:
    """Return the format of an edit, by what only that format has; a text like none counts as whole."""
    if structured_parts(text):
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
    form = given or recognise(text, path, exists)
    if given is None:
        _refuse_parts(text, form, path, exists)
    match form:
        case EditFormat.JSON:
            parts = [text[start:end] for start, end in structured_parts(text)]
            return tuple(operation for part in parts or [text] for operation in structured.read(part))
        case EditFormat.PATCH:
            return envelope.read(text)
        case EditFormat.BLOCK:
            return block.read(text, path, exists)
        case EditFormat.DIFF:
            patches = unified.parse(text, path or _path_above(text, exists))
            _refuse_others(patches, path)
            return patches
        case EditFormat.WHOLE:
            return whole.read(whole_text, path, exists, is_named=given is not None)


def _refuse_others(patches: Iterable[FilePatch], path: str | None) -> None:
    """Refuse a diff whose header names another file than the one that was asked for beside it."""
    for patch in patches:
        names = [name for name in (patch.old, patch.new) if name is not None]
        alike = {Path(form).name for name in names for form in (name, unstamped(name))}
        if names and path is not None and Path(path).name not in alike:
            raise EditRejected(
                f"The diff changes {names[0]}, and {path} was named beside it.",
                remedy="Leave the path out, or give a diff of that file.",
            )


def _path_above(text: str, exists: Exists) -> str | None:
    """Return the path that stands alone above the fence of a diff without a header; None where one has it."""
    lines = text.split("\n")
    first = next((row for row, line in enumerate(lines) if line.startswith(("@@", "--- ", "diff --"))), 0)
    if not lines[first].startswith("@@") or not first or FENCE.match(lines[first - 1]) is None:
        return None
    return path_above(lines, first - 1, exists)


def structured_parts(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the JSON of structured edits stands, without fences around it; nothing where none is."""
    start = len(text) - len(text.lstrip())
    if text.startswith(("{", "["), start):
        return ((start, len(text)),) if _is_structured(text.strip()) else ()
    return tuple(found.span(1) for found in _FENCED_JSON.finditer(text) if _is_structured(found[1].strip()))


def _is_structured(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return re.match(r'\{\s*"(?:edits|writes|ops)"', text) is not None
    if isinstance(value, dict) and any(key in value for key in structured.KEYS):
        return True
    return bool(
        isinstance(value, list) and value and all(isinstance(v, dict) and "search" in v for v in value)
    )


def _refuse_parts(text: str, form: EditFormat, path: str | None, exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where an edit in this form is not all that a text asks for."""
    match form:
        case EditFormat.JSON:
            mixed.refuse_beside_json(text, structured_parts(text), exists)
        case EditFormat.PATCH:
            mixed.refuse_beside_patches(text, exists)
        case EditFormat.BLOCK:
            mixed.refuse_beside_blocks(text, exists)
        case EditFormat.DIFF:
            mixed.refuse_beside_diff(text, exists)
        case EditFormat.WHOLE:
            mixed.refuse_beside_files(text, path, exists)


def _is_crlf(text: str) -> bool:
    r"""Return whether every line ends in ``\r\n``, so that the ends say nothing about the files."""
    return "\r\n" in text and text.count("\n") == text.count("\r\n")
