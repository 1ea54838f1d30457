"""Where git says that the lines of a file come from; only what is committed is asked about.

The files themselves are never handed to git, which would run the filters that the workspace configures.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import attrs

from greenline.core.error import InvalidInput
from greenline.core.line import split_lines
from greenline.workspace.encoding import decode
from greenline.workspace.git import git

_TIMEOUT_S = 5.0
_BLAME = ("blame", "--porcelain", "--no-textconv", "HEAD", "--")
_RENAMES = (
    "diff-index",
    "--cached",
    "-M",
    "-z",
    "--no-ext-diff",
    "--no-textconv",
    "--name-status",
    "HEAD",
    "--",
)


@attrs.frozen
class Origin:
    """The commit that brought a line in."""

    commit: str
    time: int
    """When it was committed, in seconds since the epoch."""
    path: str
    """Path of the file in that commit, relative to the top of the repository."""
    line: int
    """0-based."""
    previous: str
    """Path of the file before that commit, or empty where it was new."""


class Committed:
    """What git knows of one file of a repository; may block for seconds, and may run in any thread."""

    def __init__(self, path: str, roots: Sequence[str] = ()) -> None:
        """Look at the file at an absolute path; no program in `roots` is taken for git."""
        self._roots = tuple(roots)
        self._top, self._relative = self._find(path)
        self._renames: dict[str, str] | None = None
        self._lines: list[str] | None = None
        self._origins: list[Origin] | None = None

    def path_of(self, path: str) -> str | None:
        """Return a path relative to the top of the repository, or None where it is outside."""
        relative = os.path.relpath(path, self._top) if self._top else ".."
        return None if relative.split(os.sep, 1)[0] == ".." else relative.replace(os.sep, "/")

    def lines(self) -> list[str]:
        """Return the file's lines as the newest commit has them; none where it has no such file."""
        if self._lines is None:
            self._lines = self.lines_at("HEAD", self._relative)
        return self._lines

    def lines_at(self, commit: str, relative: str) -> list[str]:
        """Return the lines of a file as a commit has them; none where it has no such text."""
        data = self._git("cat-file", "blob", f"{commit}:{relative}")
        try:
            return [] if data is None else split_lines(decode(data).text)
        except InvalidInput:
            return []

    def origins(self) -> list[Origin]:
        """Return where each of `lines` comes from; none where git cannot tell."""
        if self._origins is None:
            self._origins = _parse(self._git(*_BLAME, self._relative) or b"")
        return self._origins

    def moved_from(self) -> str | None:
        """Return the path that the file has in the newest commit, where a move of it is staged."""
        if self._renames is None:
            self._renames = _renames(self._git(*_RENAMES) or b"")
        return self._renames.get(self._relative)

    def _find(self, path: str) -> tuple[str, str]:
        folder, name = os.path.split(path)
        data = git(
            folder,
            ["rev-parse", "--show-toplevel", "--show-prefix", "--verify", "HEAD^{commit}"],
            roots=self._roots,
            timeout_s=_TIMEOUT_S,
        )
        top, _, rest = (data or b"").partition(b"\n")
        prefix, _, _ = rest.partition(b"\n")
        return os.fsdecode(top), os.fsdecode(prefix) + name

    def _git(self, *arguments: str) -> bytes | None:
        return git(self._top, arguments, roots=self._roots, timeout_s=_TIMEOUT_S) if self._top else None


def _parse(data: bytes) -> list[Origin]:
    """Return the origins of `git blame --porcelain`, in the order of the file."""
    found: list[Origin] = []
    header: list[str] = []
    facts: dict[str, str] = {}
    known: dict[str, dict[str, str]] = {}
    """Commit → what was said when it first came up; later lines only say what differs."""
    for raw in data.split(b"\n"):
        if raw.startswith(b"\t"):
            commit, line = header[0], int(header[1]) - 1
            facts = known[commit] = known.get(commit, {}) | facts
            previous = facts.get("previous", "").partition(" ")[2]
            time = int(facts.get("committer-time", "0"))
            found.append(Origin(commit, time, facts.get("filename", ""), line, previous))
            header, facts = [], {}
        elif not header:
            header = os.fsdecode(raw).split(" ")
        else:
            key, _, value = os.fsdecode(raw).partition(" ")
            facts[key] = value
    return found


def _renames(data: bytes) -> dict[str, str]:
    """Return new path → old path of what `git diff-index -z --name-status` prints."""
    pieces = [os.fsdecode(piece) for piece in data.split(b"\0")]
    found: dict[str, str] = {}
    at = 0
    while at + 1 < len(pieces):
        if pieces[at].startswith(("R", "C")) and at + 2 < len(pieces):
            if pieces[at].startswith("R"):
                found[pieces[at + 2]] = pieces[at + 1]
            at += 3
        else:
            at += 2
    return found
