"""Finds the lines or the text that an edit names, from exact to tolerant, and only where it is unique.

What matched tolerantly is replaced in the file's own form: line ends, indentation, untouched bytes.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.hunk import changed_spans
from greenline.edit.text import dominant_end, line_end, split_lines, without_end

_SHOWN = 5
_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\u3000": " ",
    }
)


def _same(line: str) -> str:
    return line


def _loosened(line: str) -> str:
    return unicodedata.normalize("NFC", line).translate(_TYPOGRAPHY).rstrip(" \t\r\n")


def _unindented(line: str) -> str:
    return _loosened(line).lstrip(" \t")


_LEVELS: tuple[Callable[[str], str], ...] = (_same, without_end, _loosened, _unindented)


@attrs.frozen
class Match:
    """Lines `start` … `end` (exclusive) of a text; `level` 0 is exact, 3 ignores indentation."""

    start: int
    end: int
    level: int


def find_lines(lines: Sequence[str], wanted: Sequence[str], near: int | None = None, floor: int = 0) -> Match:
    """Find `wanted` among `lines` from line `floor` on, at the strictest level that has it.

    `near` (0-based) chooses the nearest of several; without it several are `ambiguous`.
    Raises `EditRejected` with `no-match` or `ambiguous` and the candidates' lines.
    """
    for level, key in enumerate(_LEVELS):
        keys = [key(line) for line in lines]
        target = [key(line) for line in wanted]
        if level == len(_LEVELS) - 1 and not any(target):
            break
        last = len(keys) - len(target)
        starts = [i for i in range(floor, last + 1) if keys[i : i + len(target)] == target]
        if level == len(_LEVELS) - 1:
            starts = [i for i in starts if _same_shape(lines[i : i + len(target)], wanted)]
        if starts:
            return Match(start := _choose(starts, near), start + len(wanted), level)
    raise _no_match(lines, wanted)


def replace_once(text: str, search: str, replacement: str) -> str:
    """Replace the one place where `search` stands in `text`.

    Tolerates other line ends, then typography and trailing blanks, then another indentation, each only where
    it is unique; raises `EditRejected` with `no-match` or `ambiguous`.
    """
    if not search:
        raise EditRejected(
            "The text to search for is empty.", remedy="Name the lines to change.", code="no-match"
        )
    places = _places(text, search)
    if len(places) > 1:
        raise _ambiguous([text.count("\n", 0, place) for place in places])
    if places:
        start = places[0]
        found = replacement.replace("\r\n", "\n").replace("\n", _end_at(text, start))
        chosen = replacement if "\r" in search else found
        return text[:start] + chosen + text[start + len(search) :]
    lines = split_lines(text)
    return _replace_in_lf(lines, search, replacement) or _replace_lines(lines, search, replacement)


def merge(
    found: Sequence[str], source: Sequence[str], target: Sequence[str], level: int, file_end: str
) -> list[str]:
    """Return the lines that stand for `target` where `found` stands for `source`.

    Lines that source and target share keep the file's bytes; the others take its line ends and indentation.
    """
    if level == 0:
        return list(target)
    indents = _indents(source, found) if level == len(_LEVELS) - 1 else None
    result: list[str] = []
    position = 0
    for span in changed_spans(source, target):
        result.extend(found[position : span.start])
        for offset, line in enumerate(target[span.to_start : span.to_end]):
            pair = found[span.start + offset] if span.start + offset < span.end else ""
            before = found[span.start - 1] if span.start else ""
            end = line_end(pair) or line_end(before) or file_end
            body = without_end(line)
            result.append((body if indents is None else indents.translate(body)) + end)
        position = span.end
    result.extend(found[position:])
    return _with_last_end(result, found, source, target, file_end)


def _with_last_end(
    result: list[str], found: Sequence[str], source: Sequence[str], target: Sequence[str], file_end: str
) -> list[str]:
    """Give the last line the end that the file's own last line had, unless the edit changes just that."""
    if not result:
        return result
    result = [line if line_end(line) else line + file_end for line in result[:-1]] + result[-1:]
    unchanged = not source or bool(line_end(source[-1])) == bool(line_end(target[-1]))
    has_end = bool(line_end(found[-1])) if found and unchanged else bool(line_end(target[-1]))
    last = result[-1]
    if not has_end:
        result[-1] = without_end(last)
    elif not line_end(last):
        result[-1] = last + file_end
    return result


@attrs.frozen
class _Indents:
    """How the search's indentation maps to the file's."""

    known: dict[str, str]

    def translate(self, body: str) -> str:
        """Return a line with the file's indentation; an unknown one is put together from the known."""
        stripped = body.lstrip(" \t")
        indent = body[: len(body) - len(stripped)]
        if not stripped:
            return body
        if indent in self.known:
            return self.known[indent] + stripped
        for shorter in sorted(self.known, key=len, reverse=True):
            if indent.startswith(shorter):
                return self.known[shorter] + self._rest(indent[len(shorter) :]) + stripped
        return indent + stripped

    def _rest(self, extra: str) -> str:
        """Translate what is deeper than any known indentation by the step between two known ones."""
        pairs = sorted(self.known.items(), key=lambda pair: len(pair[0]))
        for (short, file_short), (long, file_long) in itertools.pairwise(pairs):
            step, file_step = long[len(short) :], file_long[len(file_short) :]
            if step and file_long.startswith(file_short) and extra == step * (len(extra) // len(step)):
                return file_step * (len(extra) // len(step))
        return extra


def _indents(source: Sequence[str], found: Sequence[str]) -> _Indents:
    known: dict[str, str] = {}
    for wanted, line in zip(source, found, strict=True):
        if wanted.strip():
            known.setdefault(_indent(wanted), _indent(line))
    return _Indents(known)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _same_shape(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether equal indentations of the search are equal in the file, and deeper ones deeper."""
    known: dict[str, str] = {}
    for line, other in zip(wanted, found, strict=True):
        if line.strip() and known.setdefault(_indent(line), _indent(other)) != _indent(other):
            return False
    ordered = [known[key] for key in sorted(known, key=len)]
    return all(a != b and b.startswith(a) for a, b in itertools.pairwise(ordered))


def _choose(starts: list[int], near: int | None) -> int:
    if len(starts) == 1:
        return starts[0]
    if near is None:
        raise _ambiguous(starts)
    ranked = sorted(starts, key=lambda start: abs(start - near))
    if abs(ranked[0] - near) == abs(ranked[1] - near):
        raise _ambiguous(starts)
    return ranked[0]


def _places(text: str, search: str) -> list[int]:
    places = []
    place = text.find(search)
    while place >= 0:
        places.append(place)
        place = text.find(search, place + 1)
    return places


def _end_at(text: str, place: int) -> str:
    r"""Return the end of the line at `place`, the line before it at the end of the text, or ``\n``."""
    lines = split_lines(text[place:])
    here = line_end(lines[0]) if lines else ""
    return here or next((line_end(x) for x in reversed(split_lines(text[:place])) if line_end(x)), "\n")


def _replace_in_lf(lines: list[str], search: str, replacement: str) -> str | None:
    """Replace on a view with one kind of line end; None where `search` is not in it."""
    plain = [without_end(line) + ("\n" if line_end(line) else "") for line in lines]
    view = "".join(plain)
    wanted = search.replace("\r\n", "\n").replace("\r", "\n")
    new = replacement.replace("\r\n", "\n").replace("\r", "\n")
    places = _places(view, wanted)
    if not places:
        return None
    if len(places) > 1:
        raise _ambiguous([view.count("\n", 0, place) for place in places])
    first = view.count("\n", 0, places[0])
    past = places[0] + len(wanted)
    last = view.count("\n", 0, past - 1) + 1
    head = "".join(plain[:first])
    stop = len("".join(plain[:last]))
    source = plain[first:last]
    target = split_lines(view[len(head) : places[0]] + new + view[past:stop])
    merged = merge(lines[first:last], source, target, 1, dominant_end(lines)) if target else []
    return "".join(lines[:first] + merged + lines[last:])


def _replace_lines(lines: list[str], search: str, replacement: str) -> str:
    """Replace whole lines, tolerating typography and indentation."""
    source, target = split_lines(search), split_lines(replacement)
    match = find_lines(lines, source)
    found = lines[match.start : match.end]
    merged = merge(found, source, target, max(match.level, 1), dominant_end(lines)) if target else []
    return "".join(lines[: match.start] + merged + lines[match.end :])


def _ambiguous(starts: Sequence[int]) -> EditRejected:
    shown = ", ".join(str(start + 1) for start in starts[:_SHOWN])
    more = " …" if len(starts) > _SHOWN else ""
    return EditRejected(
        f"The text stands in {len(starts)} places: lines {shown}{more}.",
        remedy="Add lines before or after it until it is unique.",
        code="ambiguous",
    )


def _no_match(lines: Sequence[str], wanted: Sequence[str]) -> EditRejected:
    """Return an error that names the lines of the file that look most like the first that was wanted."""
    first = next((_unindented(line) for line in wanted if line.strip()), "")
    near = [str(i + 1) for i, line in enumerate(lines) if first and _unindented(line) == first][:_SHOWN]
    hint = f" Its first line also stands at {', '.join(near)}, with other text after it." if near else ""
    return EditRejected(
        f"The text to replace is not in the file.{hint}",
        remedy="Read the file again and copy the lines exactly.",
        code="no-match",
    )
