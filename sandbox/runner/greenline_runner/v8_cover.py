"""Which lines the functions that V8 counted have executed.

A script's outermost function is its import, which is no test's own work and never counts.
"""

import bisect
import os
import re
from urllib.parse import unquote

from greenline_runner.cover import ranges

_WORD = re.compile(r"[\w$]")


class Calls:
    """Gathers what each test called; scripts are read when they are first asked for."""

    def __init__(self, root):
        self._root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self._scripts = {}
        self._lines = {}
        """Test → path → set of lines."""

    def add(self, record):
        """Take one record of functions that were called while some tests ran."""
        for entry in record["scripts"]:
            script = self._script(entry["url"])
            if script is None:
                continue
            functions = [_triples(row) for row in entry["functions"] if row]
            script.learn(functions)
            if not record["tests"]:
                continue
            lines = script.executed(functions)
            for test in record["tests"] if lines else ():
                self._lines.setdefault(test, {}).setdefault(script.path, set()).update(lines)

    def of(self, test):
        """Return path → ranges such as `1-4,7` of one test."""
        return {path: ranges(sorted(lines)) for path, lines in sorted(self._lines.get(test, {}).items())}

    def _script(self, url):
        if url not in self._scripts:
            self._scripts[url] = self._read(url)
        return self._scripts[url]

    def _read(self, url):
        if not url.startswith("file://"):
            return None
        path = os.path.realpath(unquote(url[len("file://") :].split("?")[0]))
        if not path.startswith(self._root):
            return None
        try:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                return Script(path[len(self._root) :].replace(os.sep, "/"), file.read())
        except OSError:
            return None


class Script:
    """One file's text, and the functions in it that are known."""

    def __init__(self, path, text):
        self.path = path
        # The engine counts in UTF-16 units; each letter beyond them is made two.
        self._text = re.sub("[\U00010000-\U0010ffff]", "xx", text)
        self._starts = [0] + [match.end() for match in re.finditer("\n", self._text)]
        self._known = set()

    def learn(self, functions):
        """Note where functions are: one that is not called is told of only once."""
        self._known.update((rows[0][0], rows[0][1]) for rows in functions)

    def executed(self, functions):
        """Return the lines that the called ones among functions executed, import left out."""
        lines = set()
        for rows in functions:
            start, end, count = rows[0]
            if not count or (start == 0 and end >= len(self._text.rstrip())):
                continue
            inner = [(s, e, 0) for s, e in self._known if start <= s and e <= end and (s, e) != (start, end)]
            for piece in _pieces(rows, inner):
                lines.update(self._lines_of(*piece))
        return lines

    def _lines_of(self, start, end):
        first = bisect.bisect_right(self._starts, start) - 1
        last = bisect.bisect_left(self._starts, end) - 1
        for number in range(first, last + 1):
            after = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)
            if _WORD.search(self._text, max(start, self._starts[number]), min(end, after)):
                yield number + 1


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
