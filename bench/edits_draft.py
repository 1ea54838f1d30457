"""Makes edits of real files: a draft is a file before and after, and the diff between them in parts."""

from __future__ import annotations

import difflib
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import attrs

_CONTEXT = 3
_WORD = re.compile(r"[A-Za-z_]\w{2,}|\d+")


@attrs.define
class DraftHunk:
    """One hunk of a diff, free to be changed."""

    start: int
    """1-based line of the old file."""
    new_start: int
    lines: list[tuple[str, str]]
    """Kind and text without its end."""
    counts: tuple[int, int] | None = None
    """What the header claims instead of the truth."""
    header: str | None = None
    """The whole header instead of numbers."""

    def render(self) -> list[str]:
        """Return the hunk's lines."""
        old = sum(kind != "+" for kind, _ in self.lines)
        new = sum(kind != "-" for kind, _ in self.lines)
        old, new = self.counts or (old, new)
        head = self.header or f"@@ -{self.start},{old} +{self.new_start},{new} @@"
        return [head, *(kind + text for kind, text in self.lines)]

    @property
    def source(self) -> list[str]:
        """Old lines."""
        return [text for kind, text in self.lines if kind != "+"]


@attrs.define
class Draft:
    """A file, what must come of it, and the diff that says so."""

    name: str
    before: list[str]
    """Lines without their ends; the file ends with a line end."""
    after: list[str]
    hunks: list[DraftHunk]
    old_name: str = ""
    new_name: str = ""

    def render(self) -> list[str]:
        """Return the diff's lines."""
        names = [f"--- {self.old_name or 'a/' + self.name}", f"+++ {self.new_name or 'b/' + self.name}"]
        return names + [line for hunk in self.hunks for line in hunk.render()]


def corpus() -> list[Path]:
    """Return real source files of this machine: the standard library's and our own."""
    folders = [Path(sysconfig.get_paths()["stdlib"]), Path(__file__).parents[1] / "server"]
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if "site-packages" not in path.parts and 1_500 < path.stat().st_size < 60_000:
                found.append(path)
    return found


def drafts(chance: random.Random, files: list[Path]) -> Iterator[Draft]:
    """Yield drafts of one to three hunks without end; each hunk's old lines stand once in the file."""
    while True:
        path = chance.choice(files)
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        if "\r" in text or "\f" in text or not text.endswith("\n"):
            continue
        draft = draft_of(chance, path.name, text[:-1].split("\n"))
        if draft is not None:
            yield draft


def draft_of(chance: random.Random, name: str, before: list[str]) -> Draft | None:
    """Return a draft of an edit of some lines; None where it would not be clear what it means."""
    after = list(before)
    if len(before) < 40:
        return None
    sites = sorted(chance.sample(range(5, len(before) - 6), chance.choice((1, 1, 2, 3))), reverse=True)
    for site in sites:
        _edit(chance, after, site)
    hunks = list(diff(before, after))
    draft = Draft(name, before, after, hunks)
    return draft if hunks and all(_is_clear(before, hunk) for hunk in hunks) else None


def diff(before: list[str], after: list[str]) -> Iterator[DraftHunk]:
    """Yield the hunks between two texts with three lines of context."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        lines: list[tuple[str, str]] = []
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                lines += [(" ", line) for line in before[a1:a2]]
            else:
                lines += [("-", line) for line in before[a1:a2]]
                lines += [("+", line) for line in after[b1:b2]]
        yield DraftHunk(group[0][1] + 1, group[0][3] + 1, lines)


def places(before: list[str], source: list[str]) -> int:
    """Return how often lines stand one after the other, blanks apart."""
    keys = ["".join(line.split()) for line in before]
    wanted = ["".join(line.split()) for line in source]
    size = len(wanted)
    return sum(keys[i : i + size] == wanted for i in range(len(keys) - size + 1))


def _is_clear(before: list[str], hunk: DraftHunk) -> bool:
    return sum(len(line.strip()) > 3 for line in hunk.source) >= 3 and places(before, hunk.source) == 1


def _edit(chance: random.Random, lines: list[str], site: int) -> None:
    """Change, delete or insert a few lines at a site."""
    kind = chance.choice(("change", "change", "insert", "delete", "replace"))
    size = chance.randint(1, 3)
    indent = lines[site][: len(lines[site]) - len(lines[site].lstrip())]
    fresh = [f"{indent}value_{chance.randint(10, 99)} = compute({n}, 'x')" for n in range(size)]
    if kind == "insert":
        lines[site:site] = fresh
    elif kind == "delete":
        del lines[site : site + size]
    elif kind == "replace":
        lines[site : site + size] = fresh
    else:
        for row in range(site, min(site + size, len(lines))):
            lines[row] = _changed(chance, lines[row])


def _changed(chance: random.Random, line: str) -> str:
    words = list(_WORD.finditer(line))
    if not words:
        return line + "  # changed" if line.strip() else line
    word = chance.choice(words)
    return line[: word.start()] + f"renamed_{chance.randint(1, 99)}" + line[word.end() :]
