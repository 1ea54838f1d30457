"""Tests that take their cases from the files of a folder, whatever these are called; pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable

_WALKS = re.compile(
    r"(?<!\bast\.)(?<!\btmp_path\.)(?<!\btmpdir\.)\b(glob|rglob|iglob|iterdir|listdir|scandir|walk|iter_files|readdirSync|readdir|globSync|fg|ReadDir|Glob|WalkDir"
    r"|Walk)\s*\("
)
"""Calls that list the files of a folder, in all languages."""
_OWN_FOLDER = re.compile(r"\b__file__\b|\b__dirname\b|\bimport\.meta\b")
_TEXT = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")


def walkers(path: str, text: str, data: Iterable[str]) -> frozenset[str]:
    """Return the calls in a file of tests that may list one of the files `data`."""
    calls = frozenset(match[1] for match in _WALKS.finditer(text))
    if not calls:
        return frozenset()
    parts = [part for match in _TEXT.finditer(text) for part in match[1].split("/")]
    is_own = _OWN_FOLDER.search(text) is not None
    return calls if any(_may_list(path, parts, file, is_own) for file in data) else frozenset()


def _may_list(path: str, parts: list[str], file: str, is_own: bool) -> bool:
    """Return whether the texts of a file name a folder that holds another, and no other kind of file.

    A file beside the tests themselves is listed only by its kind, from the folder in which they lie.
    """
    folders = file.split("/")[:-1]
    own = path.split("/")[:-1]
    beside = folders[len(own) :] if folders[: len(own)] == own else folders
    if beside and not any(folder in parts for folder in beside):
        return False
    patterns = [part for part in parts if "*" in part and part != "**" and "." in part]
    name = file.rpartition("/")[2]
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
        return bool(beside) or (is_own and folders == own)
    return bool(beside) and not patterns
