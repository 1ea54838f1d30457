"""What git's ignore files mean, for machines without git and for files of the same form that are ours.

A pattern is asked about one file or folder at a time, from the root inwards, exactly as git does: what lies
below an ignored folder is ignored, and no later pattern lets it in again.
"""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH111

from __future__ import annotations

import os
import re
from pathlib import Path

import attrs

from greenline.workspace.regular import read_regular

_CONFIG_SECTION = re.compile(r"^[ \t]*\[([^\]]+)\]([^\[]*)", re.M)
_EXCLUDES_FILE = re.compile(r"^[ \t]*excludesfile[ \t]*=[ \t]*(.+)$", re.M | re.I)
_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


@attrs.frozen
class _Rule:
    """One line of an ignore file."""

    pattern: re.Pattern[str]
    lets_in: bool
    folders_only: bool
    whole_path: bool
    """Whether the pattern is about the path from its file's folder, and not about the last name."""
    said: str
    """Where the rule stands, and how it is written."""


class IgnoreRules:
    """The ignore files of a root, read without git; `name` is that of the file in each folder.

    For `.gitignore`, the repository's `info/exclude` and the user's global file are asked last, as git does.
    """

    def __init__(self, root: str, name: str = ".gitignore") -> None:
        self._root = root
        self._name = name
        self._files: dict[str, tuple[_Rule, ...]] = {}
        shared = [Path(root, ".git", "info", "exclude"), _global_excludes()] if name == ".gitignore" else []
        self._shared = [_read_rules(path, str(path)) for path in shared]

    def ignored(self, relative: str) -> bool:
        """Return whether the rules ignore a file; a file below an ignored folder cannot be let in again."""
        return self.why(relative) is not None

    def why(self, relative: str) -> str | None:
        """Return the rule that ignores a file, such as `line 3 of .gitignore: *.log`, or None."""
        parts = relative.split("/")
        for count in range(1, len(parts) + 1):
            rule = self._last("/".join(parts[:count]), folder=count < len(parts))
            if rule is not None and not rule.lets_in:
                return rule.said
        return None

    def matches(self, relative: str, *, folder: bool) -> bool:
        """Return whether the rules ignore a file or folder, when what lies above it is not ignored."""
        rule = self._last(relative, folder=folder)
        return rule is not None and not rule.lets_in

    def _last(self, relative: str, *, folder: bool) -> _Rule | None:
        """Ask the files from the innermost outwards; the first that has a rule for the path decides."""
        parts = relative.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            rules = self._rules("/".join(parts[:depth]))
            rule = _matching(rules, "/".join(parts[depth:]), folder=folder) if rules else None
            if rule is not None:
                return rule
        found = (_matching(rules, relative, folder=folder) for rules in self._shared)
        return next((rule for rule in found if rule is not None), None)

    def _rules(self, folder: str) -> tuple[_Rule, ...]:
        """Return the rules that a folder's own file states."""
        if folder not in self._files:
            shown = f"{folder}/{self._name}" if folder else self._name
            self._files[folder] = _read_rules(Path(self._root, folder, self._name), shown)
        return self._files[folder]


def _matching(rules: tuple[_Rule, ...], relative: str, *, folder: bool) -> _Rule | None:
    """Return the last rule that matches."""
    name = relative.rpartition("/")[2]
    for rule in reversed(rules):
        if rule.folders_only and not folder:
            continue
        if rule.pattern.fullmatch(relative if rule.whole_path else name):
            return rule
    return None


def _read_rules(path: Path, shown: str) -> tuple[_Rule, ...]:
    """Return the rules of one file; git reads no `.gitignore` through a link."""
    try:
        if path.name == ".gitignore" and path.is_symlink():
            return ()
        text = read_regular(path).decode("utf-8", "surrogateescape")
    except OSError:
        return ()
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    rules = (_rule(line.removesuffix("\r"), f"line {number} of {shown}") for number, line in lines)
    return tuple(rule for rule in rules if rule is not None)


def _rule(line: str, place: str) -> _Rule | None:
    line = re.sub(r"(?<!\\)((?:\\\\)*) +$", r"\1", line)
    if not line or line.startswith("#"):
        return None
    lets_in = line.startswith("!")
    glob = line[1:] if lets_in else line
    folders_only = glob.endswith("/")
    glob = glob.removesuffix("/")
    whole_path = "/" in glob
    try:
        pattern = re.compile(_regex(glob.removeprefix("/"), whole_path=whole_path), re.S)
    except (re.error, ValueError):
        # A bracket that is never closed, or a range that is none, matches nothing in git too.
        return None
    return _Rule(pattern, lets_in, folders_only, whole_path, f"{place}: {line}") if glob else None


def _regex(glob: str, *, whole_path: bool) -> str:
    """Translate one pattern; raises `ValueError` for one that can match nothing."""
    some = "[^/]*" if whole_path else ".*"
    out = []
    at = 0
    while at < len(glob):
        character = glob[at]
        if whole_path and (match := re.compile(r"(?:^|(?<=/))\*\*(/|$)").match(glob, at)):
            out.append("(?:.*/)?" if match.group(1) else ".+")
            at = match.end()
        elif character == "*":
            out.append(some)
            at += len(glob[at:]) - len(glob[at:].lstrip("*"))
        elif character == "?":
            out.append("[^/]" if whole_path else ".")
            at += 1
        elif character == "[":
            text, at = _bracket(glob, at)
            out.append(text)
        else:
            if character == "\\":
                at += 1
                if at == len(glob):
                    raise ValueError("a backslash at the end")
            out.append(re.escape(glob[at]))
            at += 1
    return "".join(out)


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """Translate a bracket expression; return it and where it ends."""
    start = at + 1
    negated = glob[start : start + 1] in ("!", "^")
    start += negated
    end = start
    body = ""
    while end < len(glob) and (glob[end] != "]" or end == start):
        if match := _CLASS.match(glob, end):
            body += _CLASSES.get(match.group(1), "")
            end = match.end()
            continue
        if glob[end] == "\\":
            end += 1
        if end < len(glob):
            body += glob[end] if glob[end] == "-" and end > start else re.escape(glob[end])
            end += 1
    if end >= len(glob):
        raise ValueError("a bracket that is never closed")
    return f"(?!/)[{'^' if negated else ''}{body}]", end + 1


def _global_excludes() -> Path:
    """Return the user's own ignore file, as the user's git configuration names it or by default."""
    home = Path(os.path.expanduser("~"))
    config_home = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    chosen = config_home / "git" / "ignore"
    for config in (config_home / "git" / "config", home / ".gitconfig"):
        try:
            text = config.read_text("utf-8", "replace")
        except OSError:
            continue
        for section, body in _CONFIG_SECTION.findall(text):
            match = _EXCLUDES_FILE.search(body) if section.strip().lower() == "core" else None
            if match:
                chosen = Path(os.path.expanduser(match.group(1).strip().strip('"')))
    return chosen
