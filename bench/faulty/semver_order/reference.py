"""Parsing and ordering of semantic versions."""

import re
from functools import total_ordering

PATTERN = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


@total_ordering
class Version:
    def __init__(self, text: str):
        match = PATTERN.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"not a semantic version: {text!r}")
        self.release = tuple(int(part) for part in match.group(1, 2, 3))
        self.labels = match[4].split(".") if match[4] else []

    def _key(self):
        labels = [(0, int(label), "") if label.isdigit() else (1, 0, label) for label in self.labels]
        return (self.release, not self.labels, labels)

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __str__(self):
        text = ".".join(str(part) for part in self.release)
        return text + ("-" + ".".join(self.labels) if self.labels else "")


def newest(texts, prereleases=False):
    versions = [Version(text) for text in texts]
    stable = [version for version in versions if prereleases or not version.labels]
    return str(max(stable)) if stable else None
