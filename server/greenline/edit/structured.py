"""Reads the structured form of an edit, the JSON that a tool call carries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from greenline.core.error import EditRejected
from greenline.edit.operation import Create, Delete, Move, Operation, Replace, Write
from greenline.edit.unified import parse

KEYS = ("edits", "writes", "ops")


def read(text: str) -> tuple[Operation, ...]:
    """Read `edits`, `writes` and `ops`, in this order; raises `EditRejected` (`malformed`)."""
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        raise _malformed(f"The edit is no JSON: {error}.") from None
    except RecursionError:
        raise _malformed("The edit's JSON is nested too deep.") from None
    if isinstance(value, list):
        value = {"edits": value}
    if not isinstance(value, dict) or not any(key in value for key in KEYS):
        raise _malformed("The JSON is no edit: it has none of the keys edits, writes and ops.")
    for key, beside in value.items():
        if key not in KEYS and isinstance(beside, dict | list):
            # Words about the edit may stand beside it; an object or a list would be more of it.
            raise _malformed(f"The JSON has a part that is none of edits, writes and ops: {key!r}.")
    operations: list[Operation] = []
    for number, edit in enumerate(_objects(value, "edits"), 1):
        operations.append(attrs.evolve(_replace(edit), place=f"edits {number}"))
    for number, write in enumerate(_objects(value, "writes"), 1):
        operations.append(Write(_text(write, "path"), _text(write, "content"), place=f"writes {number}"))
    for number, op in enumerate(_objects(value, "ops"), 1):
        operations += (attrs.evolve(made, place=f"ops {number}") for made in _operation(op, number))
    return tuple(operations)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _malformed(f"The JSON has the key {key!r} twice in one object.")
        found[key] = value
    return found


def _objects(value: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    items = value.get(key, [])
    if not isinstance(items, list):
        raise _malformed(f"{key} is no list.")
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise _malformed(f"{key} {number} is no object.")
        yield item


def _text(item: Mapping[str, Any], *names: str) -> str:
    """Return the string that an object holds under the first of `names` that it has."""
    for name in names:
        if name in item:
            value = item[name]
            if isinstance(value, str):
                return value
            raise _malformed(f"{name} is no string: {json.dumps(value)[:60]}.")
    raise _malformed(f"{json.dumps(item)[:60]} has no {names[0]}.")


def _replace(item: Mapping[str, Any], path: str | None = None) -> Replace:
    line = item.get("start_line")
    if line is not None and (not isinstance(line, int) or isinstance(line, bool) or line < 0):
        raise _malformed(f"start_line is no line number: {json.dumps(line)[:60]}.")
    return Replace(
        _text(item, "path") if path is None else path,
        _text(item, "search"),
        _text(item, "replace"),
        None if line is None else max(line - 1, 0),
    )


def _operation(item: Mapping[str, Any], number: int) -> Iterator[Operation]:
    """Read one of `ops`; an update may carry an edit, several, a diff or the whole content, and move too."""
    kind = _text(item, "op")
    path = _text(item, "path")
    if kind == "create":
        if item.get("move_to") is not None:
            raise _malformed(f"ops {number} creates {path} and moves it; create it where it belongs.")
        yield Create(path, _text(item, "content"))
    elif kind == "delete":
        yield Delete(path)
    elif kind == "move":
        yield from _changes(item, path)
        yield Move(path, _text(item, "move_to"))
    elif kind == "update":
        changes = tuple(_changes(item, path))
        if not changes and "move_to" not in item:
            raise _malformed(f"ops {number} updates {path} with nothing.")
        yield from changes
        if item.get("move_to") is not None:
            yield Move(path, _text(item, "move_to"))
    else:
        raise _malformed(f"ops {number} has an unknown op: {kind!r}.")


def _changes(item: Mapping[str, Any], path: str) -> Iterator[Operation]:
    if "search" in item:
        yield _replace(item, path)
    for edit in _objects(item, "edits"):
        yield _replace(edit, path)
    if "content" in item:
        yield Write(path, _text(item, "content"))
    if "diff" in item:
        yield from parse(_text(item, "diff"), path)


def _malformed(message: str) -> EditRejected:
    return EditRejected(
        message,
        remedy="Give an object with edits (path, search, replace), writes (path, content) or ops (op, path).",
        code="malformed",
    )
