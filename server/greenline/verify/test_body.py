"""The tests that a JavaScript, TypeScript or Go file spells out, by name, and the rest of it; pure.

A test whose name is put together when it runs stays in the rest, and so changes with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from greenline.verify.source_line import GO, bare

_CALL = re.compile(r"(?<![\w$.])(test|it|specify|describe|context|suite)((?:\s*\.\s*\w+)*)\s*\(\s*(?=[\"'`])")
_SUITES = frozenset({"describe", "context", "suite"})
_DYNAMIC = re.compile(r"\$\{|%[sdifjoOp#]|\$\w|\\")
_GO_TEST = re.compile(r"^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(.*\n(?:.*\n)*?\}", re.M)
_GO_IMPORT = re.compile(r"^import (?:\((?:[^)]*)\)|.*)$", re.M)
_IMPORT = re.compile(r"^import\b[^;\n]*(?:\n[^;\n]*?from[^;\n]*)?;?$", re.M)


def bodies(path: str, text: str) -> dict[str, str]:
    """Return name → text of each test without its name, and the rest under the empty name.

    Names of suites stand before a test's own, with a dot between; a name that is there twice is the rest's.
    """
    text = text.replace("\r\n", "\n")
    found = list(_go_tests(text) if path.endswith(GO) else _script_tests(text, bare(text), 0, len(text), ""))
    names = [name for name, _, _, _ in found]
    own = [entry for entry in found if names.count(entry[0]) == 1]
    rest, taken = list(text), {}
    for name, start, title_end, end in own:
        modifiers = text[start : text.find("(", start)]
        taken[name] = _squeezed(modifiers + text[title_end:end])
        rest[start:end] = [""] * (end - start)
    imports = _GO_IMPORT if path.endswith(GO) else _IMPORT
    taken[""] = _squeezed(imports.sub("", "".join(rest)))
    return taken


def _go_tests(text: str) -> Iterator[tuple[str, int, int, int]]:
    for match in _GO_TEST.finditer(bare(text, is_go=True)):
        yield match.group(1), match.end(1), match.end(1), match.end()


def _script_tests(
    text: str, plain: str, start: int, end: int, prefix: str
) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, start, end of the title, and end of each test between two places."""
    index = start
    while (call := _CALL.search(plain, index, end)) is not None:
        opening = plain.index("(", call.end(2))
        title_end = plain.find(plain[call.end()], call.end() + 1)
        closing = _closing(plain, opening, end)
        title = text[call.end() + 1 : title_end]
        if title_end < 0 or _DYNAMIC.search(title) or ".each" in call.group(2):
            index = call.end()
            continue
        if call.group(1) in _SUITES:
            yield from _script_tests(text, plain, title_end, closing, f"{prefix}{title}.")
        else:
            # What stands between the call's name and its title says whether it is skipped.
            yield prefix + title, call.start(1), title_end + 1, closing
        index = closing


def _closing(plain: str, opening: int, end: int) -> int:
    depth = 0
    for index in range(opening, end):
        depth += (plain[index] in "([{") - (plain[index] in ")]}")
        if depth == 0:
            return index + 1
    return end


def _squeezed(text: str) -> str:
    # A statement's end is left over where a test was taken out.
    return " ".join(word for word in text.split() if word != ";")
