"""Source maps: where a place of a compiled text came from."""

import base64
import json
import re
from urllib.parse import unquote

_MAPPING = re.compile(r"//[#@] ?sourceMappingURL=data:application/json[^,\n]*?(;base64)?,([^\s'\"]+)")
_ALPHABET = {
    letter: value
    for value, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}


def inline_map(text):
    """Return the last map that a text holds, as a dict, or None."""
    found = _MAPPING.findall(text)
    if not found:
        return None
    is_base64, data = found[-1]
    try:
        raw = base64.b64decode(data) if is_base64 else unquote(data).encode()
        value = json.loads(raw.decode("utf-8", "replace"))
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("mappings"), str) else None


def segments(mappings):
    """Yield line and column of the compiled text, number of the source, and its line; all from 0."""
    source = line = 0
    for number, group in enumerate(mappings.split(";")):
        column = 0
        for piece in group.split(","):
            values = _decoded(piece)
            if not values:
                continue
            column += values[0]
            if len(values) >= 4:
                source += values[1]
                line += values[2]
                yield number, column, source, line


def _decoded(piece):
    values, value, shift = [], 0, 0
    for letter in piece:
        digit = _ALPHABET.get(letter)
        if digit is None:
            return []
        value |= (digit & 31) << shift
        if digit & 32:
            shift += 5
            continue
        values.append(-(value >> 1) if value & 1 else value >> 1)
        value = shift = 0
    return values
