"""Which lines the functions that V8 counted have executed, in the project's own files.

A script's outermost function is its import, which is no test's own work and never counts; so is what a runner
wraps around a file. Where a file was compiled, the map in its text says where each place came from.
"""

import bisect
import os
import re
from urllib.parse import unquote

from greenline_runner.cover import ranges
from greenline_runner.source_map import inline_map, segments

_WORD = re.compile(r"[\w$]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_WRAPPER = re.compile(r"""'use strict';async \([^)]*\)=>\{\{|\(\{"Object\.<anonymous>":function\([^)]*\)\{""")
"""What vitest and jest put in front of a file."""


class Calls:
    """Gathers what each test called; scripts are read when all has been said."""

    def __init__(self, root):
        self._root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self._texts = {}
        self._records = []
        self._lines = {}
        """Test → path → set of lines."""

    def add(self, record):
        """Take one record of functions that were called while some tests ran."""
        self._records.append((record["tests"], record["scripts"]))

    def add_source(self, record):
        """Take the text of a script as the engine has it."""
        self._texts[record["url"]] = record["text"]

    def finish(self):
        """Work out which lines each test executed."""
        scripts = {}
        for _, entries in self._records:
            for entry in entries:
                url = entry["url"]
                if url not in scripts:
                    scripts[url] = self._read(url)
                if scripts[url] is not None:
                    scripts[url].learn([_triples(row) for row in entry["functions"] if row])
        for tests, entries in self._records:
            for entry in entries if tests else ():
                script = scripts[entry["url"]]
                if script is None:
                    continue
                found = script.executed([_triples(row) for row in entry["functions"] if row])
                for test in tests:
                    files = self._lines.setdefault(test, {})
                    for path, lines in found.items():
                        files.setdefault(path, set()).update(lines)

    def of(self, test):
        """Return path → ranges such as `1-4,7` of one test."""
        files = self._lines.get(test, {})
        return {path: ranges(sorted(lines)) for path, lines in sorted(files.items()) if lines}

    def _read(self, url):
        path = os.path.realpath(plain_path(url.split("?")[0]))
        if not path.startswith(self._root):
            return None
        own = _content(path)
        text = self._texts.get(url, own)
        if own is None or text is None:
            return None
        wrapper = _WRAPPER.match(text)
        length = wrapper.end() if wrapper else 0
        found = inline_map(text)
        if found is None:
            # Without a map only a file that was not compiled can be told line by line.
            if text[length : length + len(own)].rstrip() != own.rstrip():
                return None
            return Script(text, length, _Plain(self._relative(path), text, length))
        return Script(text, length, _Mapped(self._sources(path, found), text, length, found))

    def _sources(self, path, found):
        base = os.path.join(os.path.dirname(path), found.get("sourceRoot") or "")
        relative = []
        for source in found.get("sources") or []:
            plain = plain_path(source or "")
            # Some compilers name the source without its folder.
            choices = [
                os.path.join(base, plain),
                os.path.join(os.path.dirname(path), os.path.basename(plain)),
            ]
            real = [os.path.realpath(choice) for choice in choices]
            existing = [choice for choice in real if os.path.isfile(choice)]
            relative.append(self._relative(existing[0]) if existing else None)
        return relative

    def _relative(self, path):
        return path[len(self._root) :].replace(os.sep, "/") if path.startswith(self._root) else None


def plain_path(address):
    """Return the path that an address of a file means; a path is its own."""
    return unquote(address[len("file://") :]) if address.startswith("file://") else address


def _content(path):
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return None


def _units(text):
    """Return a text of as many letters as the engine counts: each beyond its UTF-16 units is made two."""
    return _ASTRAL.sub("xx", text)


class _Plain:
    """A file as it is, after a wrapper on its first line."""

    def __init__(self, path, text, length):
        self._path = path
        self._text = _units(text)
        self._starts = _line_starts(self._text)
        self._from = length

    def lines(self, start, end):
        """Yield path and line of what is executed between two places."""
        start = max(start, self._from)
        first = bisect.bisect_right(self._starts, start) - 1
        last = bisect.bisect_left(self._starts, end) - 1
        for number in range(first, last + 1):
            after = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)
            if _WORD.search(self._text, max(start, self._starts[number]), min(end, after)):
                yield self._path, number + 1


class _Mapped:
    """A compiled file: each piece of it came from a line of a source."""

    def __init__(self, sources, text, length, found):
        text = _units(text)
        starts = _line_starts(text)
        places = []
        for number, column, source, line in segments(found["mappings"]):
            if number < len(starts) and source < len(sources) and sources[source] is not None:
                offset = starts[number] + column + (0 if number else length)
                places.append((offset, sources[source], line + 1))
        places.sort()
        self._offsets = [offset for offset, _, _ in places]
        self._places = places
        self._text = text

    def lines(self, start, end):
        """Yield path and line of what is executed between two places."""
        for index in range(bisect.bisect_left(self._offsets, start), bisect.bisect_left(self._offsets, end)):
            offset, path, line = self._places[index]
            after = self._offsets[index + 1] if index + 1 < len(self._offsets) else len(self._text)
            if _WORD.search(self._text, offset, min(end, after)):
                yield path, line


class Script:
    """One script's text, and the functions in it that are known."""

    def __init__(self, text, length, places):
        self._length = length
        self._end = len(_units(text.rstrip()))
        self._places = places
        self._known = set()
        self._sorted = ()

    def learn(self, functions):
        """Note where functions are: one that is not called is told of only once."""
        self._known.update((rows[0][0], rows[0][1]) for rows in functions)
        self._sorted = ()

    def executed(self, functions):
        """Return path → lines that the called ones among functions executed, import left out."""
        found = {}
        for rows in functions:
            start, end, count = rows[0]
            if not count or self._is_whole(start, end):
                continue
            inner = [(s, e, 0) for s, e in self._within(start, end) if e <= end and (s, e) != (start, end)]
            for piece in _pieces(rows, inner):
                for path, line in self._places.lines(*piece):
                    found.setdefault(path, set()).add(line)
        return found

    def _within(self, start, end):
        """Return the known functions that begin in a range; a bundle can hold thousands elsewhere."""
        if not self._sorted:
            self._sorted = sorted(self._known)
        first = bisect.bisect_left(self._sorted, (start, start))
        return self._sorted[first : bisect.bisect_left(self._sorted, (end, end))]

    def _is_whole(self, start, end):
        """Return whether a function is the file itself, or what a runner wraps around it."""
        return (start == 0 and end >= self._end) or start < self._length <= end


def _line_starts(text):
    return [0] + [match.end() for match in re.finditer("\n", text)]


def _triples(row):
    return [tuple(row[i : i + 3]) for i in range(0, len(row), 3)]


def _pieces(rows, inner):
    """Return the parts of a function that were executed: its blocks, without the functions inside."""
    start, end, _ = rows[0]
    pieces = [(start, end, 1)]
    for from_, to, count in [*rows[1:], *inner]:
        painted = []
        for a, b, value in pieces:
            if to <= a or b <= from_:
                painted.append((a, b, value))
                continue
            if a < from_:
                painted.append((a, from_, value))
            if to < b:
                painted.append((to, b, value))
        pieces = [*painted, (from_, to, count)]
    return [(a, b) for a, b, value in pieces if value]
