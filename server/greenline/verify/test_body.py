"""The tests that a JavaScript, TypeScript or Go file spells out, by name, and the rest of it; pure.

A test whose name is put together when it runs stays in the rest, and so changes with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import attrs

from greenline.verify.source_line import GO, bare

_CALL = re.compile(r"(?<![\w$.])(test|it|specify|describe|context|suite)((?:\s*\.\s*\w+)*)\s*\(\s*(?=[\"'`])")
_EACH = re.compile(r"(?<![\w$.])(?:test|it|specify)(?:\s*\.\s*\w+)*\s*\.\s*(?:each|for)\s*([(`])")
_SUITES = frozenset({"describe", "context", "suite"})
_MAX_DEPTH = 30
"""How deep suites are looked into."""
_DYNAMIC = re.compile(r"\$\{|%[sdifjoOp#]|\$\w|\\")
_GO_TEST = re.compile(r"^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(.*\n(?:.*\n)*?\}", re.M)
_GO_IMPORT = re.compile(r"^import (?:\((?:[^)]*)\)|.*)$", re.M)
_COMMENT = re.compile(r"((?:^|(?<=\s))//.*)$", re.M)
_IMPORT = re.compile(r"^import\b[^;\n]*(?:\n[^;\n]*?from[^;\n]*)?;?$", re.M)


def bodies(path: str, text: str) -> dict[str, str]:
    """Return name → text of each test without its name, and the rest under the empty name.

    Names of suites stand before a test's own, with a dot between; a name that is there twice is the rest's.
    """
    text = text.replace("\r\n", "\n")
    found = list(_go_tests(text) if path.endswith(GO) else _script_tests(text, bare(text), 0, len(text), ""))
    names = Counter(test.name for test in found)
    own = [test for test in found if names[test.name] == 1]
    rest, taken = list(text), {}
    for test in own:
        taken[test.name] = _squeezed(f"{test.head} {text[test.title_end : test.end]}")
        rest[test.start : test.end] = [""] * (test.end - test.start)
    imports = _GO_IMPORT if path.endswith(GO) else _IMPORT
    taken[""] = _squeezed(imports.sub("", "".join(rest)))
    return taken


@attrs.frozen
class _Spelled:
    """Where one test is in its file."""

    name: str
    head: str
    """What stands before its title and is no part of it, `it.skip` for instance."""
    start: int
    title_end: int
    end: int


def _go_tests(text: str) -> Iterator[_Spelled]:
    for match in _GO_TEST.finditer(bare(text, is_go=True)):
        yield _Spelled(match.group(1), "func", match.start(), match.end(1), match.end())


def _script_tests(
    text: str, plain: str, start: int, end: int, prefix: str, depth: int = 0
) -> Iterator[_Spelled]:
    index = start
    while (call := _CALL.search(plain, index, end)) is not None:
        opening = plain.index("(", call.end(2))
        title_end = plain.find(plain[call.end()], call.end() + 1)
        title = text[call.end() + 1 : title_end]
        if title_end < 0 or _DYNAMIC.search(title) or ".each" in call.group(2):
            index = call.end()
            continue
        after = closing(plain, opening, end)
        if call.group(1) in _SUITES:
            if depth < _MAX_DEPTH:
                yield from _script_tests(text, plain, title_end, after, f"{prefix}{title}.", depth + 1)
        else:
            yield _Spelled(prefix + title, text[call.start(1) : opening], call.start(1), title_end + 1, after)
        index = after


def outside(text: str, known: frozenset[str]) -> str:
    """Return a script's text with its tests made blank, and suites that hold none of the known tests."""
    out = [*text]

    def clear(start: int, end: int) -> None:
        out[start:end] = [letter if letter == "\n" else " " for letter in text[start:end]]

    plain = bare(text)
    for test in _script_tests(text, plain, 0, len(text), ""):
        clear(test.start, test.end)
    for call in _CALL.finditer(plain):
        if not out[call.start(1)].strip():
            continue
        title_end = plain.find(plain[call.end()], call.end() + 1)
        title = text[call.end() + 1 : title_end]
        opening = plain.index("(", call.end(2))
        if call.group(1) not in _SUITES or not any(f".{title}." in f".{name}" for name in known):
            clear(call.start(1), closing(plain, opening, len(plain)))
    for call in _EACH.finditer(plain):
        if not out[call.start()].strip():
            continue
        rows = (
            plain.find("`", call.end()) + 1
            if call.group(1) == "`"
            else closing(plain, call.end() - 1, len(plain))
        )
        opening = plain.find("(", rows)
        if opening < 0:
            break
        clear(call.start(), closing(plain, opening, len(plain)))
    return "".join(out)


def closing(plain: str, opening: int, end: int) -> int:
    """Return where what a bracket opens ends in a bare text, behind its last bracket."""
    depth = 0
    for index in range(opening, end):
        depth += (plain[index] in "([{") - (plain[index] in ")]}")
        if depth == 0:
            return index + 1
    return end


def _squeezed(text: str) -> str:
    # A statement's end is left over where a test was taken out, and a comment goes on to the end of its line.
    lines = _COMMENT.sub(r"\1\0", text).split("\0")
    return "\n".join(" ".join(word for word in line.split() if word != ";") for line in lines)
