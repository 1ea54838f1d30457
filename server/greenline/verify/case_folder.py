"""Tests that take their cases from the files of a folder, whatever these are called; pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable

_WALKS = re.compile(
    r"\b(glob|rglob|iglob|iterdir|listdir|scandir|walk|iter_files|readdirSync|readdir|globSync|fg|ReadDir|Glob|WalkDir"
    r"|Walk)\s*\("
)
"""Calls that list the files of a folder, in all languages."""
_TEXT = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")


def walkers(path: str, text: str, data: Iterable[str]) -> frozenset[str]:
    """Return the calls in a file of tests that may list one of the files `data`."""
    calls = frozenset(match[1] for match in _WALKS.finditer(text))
    if not calls:
        return frozenset()
    parts = [part for match in _TEXT.finditer(text) for part in match[1].split("/")]
    return calls if any(_may_list(path, parts, file) for file in data) else frozenset()


def _may_list(path: str, parts: list[str], file: str) -> bool:
    """Return whether the texts of a file name a folder that holds another, and no other kind of file."""
    folders = file.split("/")[:-1]
    own = path.split("/")[:-1]
    beside = folders[len(own) :] if folders[: len(own)] == own else folders
    if beside and not any(folder in parts for folder in beside):
        return False
    patterns = [part for part in parts if "*" in part and part != "**" and "." in part]
    name = file.rpartition("/")[2]
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
