"""Finds the path that a model wrote near a block: above its fence, in the fence's line, or inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from greenline.core.error import EditRejected

Exists = Callable[[str], bool]
"""Path as the edit names it → whether there is such a file."""
FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})\s*([^`]*?)\s*$")
_LABEL = re.compile(r"^(?:file ?(?:name|path)?|path|update|create|edit|new file)\s*:\s*", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?:title|file|filename|path|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|(\S+))""")
_WRAPPED = re.compile(r"^(\*\*|__|`+|\"|')(.+?)\1(?:\s*:)?$")
_COMMENT = re.compile(r"^(?:#+|//|--|;|%|/\*|<!--)\s*(.+?)\s*(?:\*/|-->)?$")
_MADE = re.compile(r"(\S+)\s+\((?:new|new file|created?)\)", re.IGNORECASE)
_SESSION = re.compile(r"console|terminal|output|(?:sh|shell|console)-?session", re.IGNORECASE)
_SHELL = re.compile(r"(?:ba|z|fi)?sh|shell|powershell|bat|cmd|text|txt|plain\w*|log", re.IGNORECASE)
PROMPT = re.compile(r"\s*(?:[$%>]|>>>|PS [^>]*>|\S+@\S+[$#])\s")
_PROGRAM = re.compile(
    r"(?:pyi?|[cm]?[jt]sx?|go|rs|rb|java|kts?|c|h|cc|cpp|cxx|hh|hpp|cs|php|swift|lua|scala|vue|css|html?)",
    re.IGNORECASE,
)
_LINES = re.compile(r"\d+:\d+:\S")
_PATHLIKE = re.compile(r"(?:[\w.@+-]+/)*[\w.@+-]*\w\.[A-Za-z]\w{0,11}\b|(?:[\w.@+-]+/)+[\w.@+-]*\w")
_NUMBERED = re.compile(r"^(?:\d+[.)]|[-*+])\s+")


def path_in(line: str, exists: Exists) -> str | None:
    """Return the path that a line of text consists of, without its decoration; None where it is prose."""
    text = line.strip()
    wrapped = False
    for _ in range(4):
        before = text
        text = _NUMBERED.sub("", text)
        text = re.sub(r"^#{1,6}\s+", "", text)
        text = _LABEL.sub("", text)
        match = _WRAPPED.match(text)
        if match:
            text, wrapped = match.group(2).strip(), True
        if text.endswith(":") and not exists(text):
            text = text[:-1].rstrip()
        if text == before:
            break
    if not text or text.startswith(("<<<<<<<", "```", "~~~")):
        return None
    if exists(text):
        return text
    made = _MADE.fullmatch(text)
    if made is not None and not exists(made[1]):
        text = _WRAPPED.sub(r"\2", made[1])
    if re.search(r"\s", text) and not wrapped:
        return None
    return text if _looks_like_path(text) else None


def mentions(line: str, exists: Exists) -> bool:
    """Return whether a word of a line, without its decoration, is the path of a file."""
    words = (word.strip("`*_\"'()[],;:.!?") for word in line.split())
    return any(word and _looks_like_path(word) and exists(word) for word in words)


def named_in(line: str) -> list[str]:
    """Return what in a line of words has the form of a file's path."""
    return [word.removeprefix("./") for word in _PATHLIKE.findall(line)]


def path_of_fence(info: str, exists: Exists) -> str | None:
    """Return the path in a fence's information line; a bare word is a language and never a path."""
    match = _ATTRIBUTE.search(info)
    if match:
        return next(group for group in match.groups() if group)
    words = info.split()
    if not words:
        return None
    if any(_LINES.match(word) for word in words):
        # Some editors name a piece of a file so, which is not the whole of it.
        return None
    for word in (words[-1], words[0]):
        # Some write `language:path`.
        candidate = word if exists(word) else re.sub(r"^[\w+#-]+:(?=[^:])", "", word)
        if candidate.isalnum() and not (len(words) > 1 and exists(candidate)):
            continue
        if exists(candidate) or _looks_like_path(candidate):
            return candidate
    return None


def is_session(info: str, path: str, content: Sequence[str]) -> bool:
    """Return whether a fence beside the path of a program or of markup shows commands and their output.

    Raises `EditRejected` (`malformed`) where its language is not the program's and it shows no prompt.
    """
    language = (info.split() or [""])[0]
    suffix = path.rpartition(".")[2]
    is_program = bool(_PROGRAM.fullmatch(suffix))
    if not is_program and suffix not in ("md", "rst"):
        return False
    if _SESSION.fullmatch(language):
        return True
    if not is_program or not _SHELL.fullmatch(language):
        return False
    if PROMPT.match(next((line for line in content if line.strip()), "")):
        return True
    raise EditRejected(
        f"The fence for {path} says that it holds {language}.",
        remedy="Name the language of the file, or leave the path out above an example.",
        code="malformed",
    )


def path_in_comment(line: str, exists: Exists) -> str | None:
    """Return the path that a comment consists of."""
    match = _COMMENT.match(line.strip())
    return None if match is None else path_in(match.group(1), exists)


def path_above(lines: Sequence[str], position: int, exists: Exists) -> str | None:
    """Return the path on the nearest line with text above `position`, if that is one."""
    for line in reversed(lines[:position]):
        if line.strip():
            return path_in(line, exists)
    return None


def _looks_like_path(text: str) -> bool:
    if any(character in text for character in '<>|*?"\0') or text.endswith("/") or "://" in text:
        return False
    name = text.rsplit("/", 1)[-1]
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix and re.fullmatch(r"[\w+-]{1,12}", suffix) and not re.search(r"[,;:!?]$", stem):
        return True
    return "/" in text or name in ("Makefile", "Dockerfile", "LICENSE", "Justfile", "Procfile", "Gemfile")
