"""Lines that a cover profile of Go's says were executed."""

import os
import re

from greenline_runner.cover import ranges

_ENTRY = re.compile(r"(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$")
_FUNCTION = re.compile(r"func\b")
_WORD = re.compile(r"\w")


class Profiles:
    """Reads profiles of one module's packages; `folders` is import path → folder relative to the root."""

    def __init__(self, root, folders):
        self._root = root
        self._folders = folders
        self._texts = {}

    def executed(self, profile):
        """Return relative path → ranges such as `1-4,7`; nothing where the profile was not written."""
        try:
            with open(profile, encoding="utf-8", errors="replace") as file:
                entries = [match for match in map(_ENTRY.match, file.read().splitlines()) if match]
        except OSError:
            return {}
        lines = {}
        for entry in entries:
            package, _, name = entry.group(1).rpartition("/")
            if package not in self._folders or entry.group(6) == "0":
                continue
            path = os.path.normpath(os.path.join(self._folders[package], name)).replace(os.sep, "/")
            numbers = [int(entry.group(i)) for i in (2, 3, 4, 5)]
            lines.setdefault(path, set()).update(self._lines_of(path, *numbers))
        return {path: ranges(sorted(found)) for path, found in sorted(lines.items()) if found}

    def _lines_of(self, path, line, column, end_line, end_column):
        """Yield the lines of a block that hold more than its braces, and those of its function's head."""
        text = self._text(path)
        if 0 < line <= len(text) and _FUNCTION.match(text[line - 1]):
            yield line
        for number in range(line, min(end_line, len(text)) + 1):
            start = column - 1 if number == line else 0
            end = end_column - 1 if number == end_line else None
            # Columns count bytes.
            if _WORD.search(text[number - 1].encode()[start:end].decode("utf-8", "replace")):
                yield number

    def _text(self, path):
        if path not in self._texts:
            try:
                with open(os.path.join(self._root, path), encoding="utf-8", errors="replace") as file:
                    self._texts[path] = file.read().split("\n")
            except OSError:
                self._texts[path] = []
        return self._texts[path]
