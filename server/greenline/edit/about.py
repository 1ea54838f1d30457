"""Tells which files words are about: the sentences and headings between the parts of an answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from greenline.edit.naming import Exists

_PATHLIKE = re.compile(
    r"(?<![\w.@+-])(?:(?:[\w.@+-]+[/\\])*[\w.@+-]*\w\.[A-Za-z]\w{0,11}\b(?!\()|(?:[\w.@+-]+[/\\])+[\w.@+-]*\w)"
)
"""Tried where a word begins and nowhere in it: a picture in letters is one word of a hundred thousand."""
_FILE = re.compile(
    r"\.(?:pyi?|[cm]?[jt]sx?|go|rs|rb|java|kts?|c|h|cc|cpp|hpp|cs|php|swift|lua|md|rst|txt|json|ya?ml|toml|ini"
    r"|cfg|html?|s?css|sh|sql|vue|svelte|xml|csv|proto|tf|env|mod|gradle|scala|mk)$"
)
_PRODUCT = re.compile(r"(?:node|next|nuxt|vue|react|express|three|d3|chart|socket)\.js", re.IGNORECASE)
"""What has a suffix and is no file."""
_BARE = re.compile(r"\b(?:GNUm|M|m)akefile\b|\b(?:Docker|Just|Proc|Gem|Pip)file\b|\bLICENSE\b")
_TEXTS = re.compile(r"\b(?:README|CHANGELOG|CONTRIBUTING)\b(?!\.\w)")
_NAMED = re.compile(
    r"\b(?:in|to|for|of|into|file|module) `([\w./-]+)`|`([\w./-]+)` (?:file|module)\b"
    r"|\b(?:the|file|module) ([\w-]+) (?:file|module)\b"
    r"|\b(?:file|module) ([\w-]+)\b",
    re.IGNORECASE,
)
"""A name without its suffix, which is a file's where there is one of that name."""
_MAKES = re.compile(
    r"\b(?:creat(?:e|es|ing)|add(?:s|ing)?|writ(?:e|es|ing)|mak(?:e|es|ing)|sav(?:e|es|ing)|put)\b"
    r"|\bnew (?:\w+ )?(?:file|module|test|script|class|component|package)\b|\(new\b|\bnew\)|[-–—:] new\b"
    r"|\bhere(?:'s| is)\b|\blooks? like\b|\b(?:holds|contains|becomes)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"\b(?:runs?|running|execut\w+|usage|example\w*|invok\w+|call(?:s|ed|ing)?|output\w*|prints?|results?"
    r"|returns?|try|e\.g|used?|using|test(?:s|ed)? it|check\w*|verif\w+|shell|terminal|command\w*|console"
    r"|response|request|import(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s|\*\*.*\*\*:?$|__.*__:?$")


def names_in(line: str, exists: Exists) -> Iterator[str]:
    """Yield the files that a line of words names, whether they are there or not."""
    for found in _PATHLIKE.finditer(line):
        name = found[0].replace("\\", "/").removeprefix("./")
        if exists(name) or (_FILE.search(name) and not _PRODUCT.fullmatch(name)):
            yield name
    yield from _BARE.findall(line)


def makes_file(lines: Sequence[str], exists: Exists) -> str | None:
    """Return a file that words say they give, with its text below them; None where they do not."""
    shown = [line.strip() for line in lines if line.strip()]
    for line in shown:
        is_last = line == shown[-1]
        if not (is_last or _HEADING.match(line) or _MAKES.search(line)):
            continue
        names = list(names_in(line, exists))
        new = [name for name in names if not exists(name)]
        if new and _MAKES.search(line) and not is_command(line):
            return new[0]
        if names and (is_last or _HEADING.match(line)) and not _SHOWS.search(_without(line, names)):
            return names[0]
    return None


def gives_text(line: str, language: str, exists: Exists) -> bool:
    """Return whether words give a file that is not there in a language that examples are in too."""
    new = [name for name in names_in(line, exists) if not exists(name)]
    is_its_own = any(PurePosixPath(name).suffix[1:] == language for name in new if language)
    return bool(new) and (is_its_own or bool(_MAKES.search(line))) and not _SHOWS.search(_without(line, new))


def is_command(line: str) -> bool:
    """Return whether words tell to do something rather than to have a file."""
    return bool(re.search(r"\b(?:run|execute|invoke|type|enter)\b", line, re.IGNORECASE))


def other_file(lines: Sequence[str], path: str, exists: Exists) -> str | None:
    """Return a file other than `path` that words are about; None where they name none, or `path` too."""
    own = PurePosixPath(path).name
    for line in lines:
        names = [*names_in(line, exists), *_without_suffix(line, path, exists)]
        if names and own not in {PurePosixPath(name).name for name in names} and path not in names:
            return names[0]
    return None


def _without_suffix(line: str, path: str, exists: Exists) -> Iterator[str]:
    """Yield the files that are there and that a line names without their suffix."""
    for word in _TEXTS.findall(line):
        yield from (name for name in (word, f"{word}.md", f"{word}.rst", f"{word}.txt") if exists(name))
    here = PurePosixPath(path)
    for groups in _NAMED.findall(line):
        word = next(group for group in groups if group)
        for folder in (here.parent, PurePosixPath()):
            name = str(folder / (word + here.suffix))
            if exists(name):
                yield name


def _without(line: str, names: Sequence[str]) -> str:
    for name in names:
        line = line.replace(name, "")
    return line
