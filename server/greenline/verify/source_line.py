"""Which lines of a JavaScript, TypeScript or Go file are code, and what shows that a test ran them; pure.

No parser: comments, texts and templates are told apart letter by letter, and what stands at the margin is
taken for the file's outermost statements. A line counts as run where a test executes it; the value of a name
that the file gives at its margin counts where a test executes a line that reads the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
GO = (".go",)

_REGEX_BEFORE = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%<>~]|\breturn|\btypeof|\bcase)\s*\Z")
_WORD = re.compile(r"[\w$]")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_OWN_NAME = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_DECLARES = re.compile(r"(?:export\s+)?(?:const|let|var)\b|import\b")
_FUNCTION = re.compile(r"=>|\bfunc(?:tion)?\b|\bclass\b|\)\s*\{")
_GO_GROUP = re.compile(r"(?:const|var)\s*\(")
_TYPES = re.compile(r"(?:export\s+)?(?:declare\s+)?(?:interface|type|package)\b|import\s+type\b")
_CLOSING = re.compile(r"[)\]}]")

_Uses = dict[str, list[int]]


def code_lines(path: str, source: bytes) -> dict[int, frozenset[int]]:
    """Return 1-based line of code → the lines whose execution shows that it ran, itself among them."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = bare(text, is_go=path.endswith(GO)).split("\n")
    used = _uses(lines)
    found: dict[int, frozenset[int]] = {}
    for numbers in _statements(lines):
        head = lines[numbers[0] - 1]
        if _TYPES.match(head) or (path.endswith(GO) and head.startswith("import")):
            continue
        readers = _readers(lines, used, numbers)
        for number in numbers:
            if _WORD.search(lines[number - 1]):
                found[number] = frozenset({number}) | readers.get(number, frozenset())
    return found


def bare(text: str, *, is_go: bool = False) -> str:
    """Return the text with what stands in comments and between quotes made blank; lines stay where they are.

    What a template puts in between `${` and `}` stays.
    """
    out = list(text)
    index, templates = 0, [0]
    while index < len(text):
        letter = text[index]
        two = text[index : index + 2]
        if two == "//":
            end = text.find("\n", index)
            index = _blank(out, text, index, len(text) if end < 0 else end)
        elif two == "/*":
            end = text.find("*/", index + 2)
            index = _blank(out, text, index, len(text) if end < 0 else end + 2)
        elif letter in "\"'":
            index = _blank(out, text, index + 1, _end_of_text(text, index)) + 1
        elif letter == "`" and is_go:
            end = text.find("`", index + 1)
            index = _blank(out, text, index + 1, len(text) if end < 0 else end) + 1
        elif letter == "`" or (letter == "}" and len(templates) > 1 and templates[-1] == 0):
            if letter == "}":
                templates.pop()
            end, opens = _end_of_template(text, index + 1)
            _blank(out, text, index + 1, end)
            if opens:
                templates.append(0)
            index = end + (2 if opens else 1)
        elif letter == "/" and not is_go and _REGEX_BEFORE.search(text[max(0, index - 20) : index]):
            index = _blank(out, text, index + 1, _end_of_regex(text, index)) + 1
        else:
            templates[-1] += (letter == "{") - (letter == "}")
            index += 1
    return "".join(out)


def _blank(out: list[str], text: str, start: int, end: int) -> int:
    for index in range(start, min(end, len(text))):
        if text[index] != "\n":
            out[index] = " "
    return end


def _end_of_text(text: str, start: int) -> int:
    index = start + 1
    while index < len(text) and text[index] not in (text[start], "\n"):
        index += 2 if text[index] == "\\" else 1
    return index


def _end_of_regex(text: str, start: int) -> int:
    index, in_class = start + 1, False
    while index < len(text) and text[index] != "\n":
        if text[index] == "\\":
            index += 1
        elif text[index] == "[":
            in_class = True
        elif text[index] == "]":
            in_class = False
        elif text[index] == "/" and not in_class:
            break
        index += 1
    return index


def _end_of_template(text: str, start: int) -> tuple[int, bool]:
    """Return where a template's own letters end, and whether an expression begins there."""
    index = start
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] == "`":
            return index, False
        elif text.startswith("${", index):
            return index, True
        index += 1
    return index, False


def _statements(lines: list[str]) -> Iterator[list[int]]:
    """Yield the line numbers of each outermost statement: it goes on until the next one at the margin."""
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        if numbers and line[:1].strip() and not _CLOSING.match(line):
            yield numbers
            numbers = []
        numbers.append(number)
    if numbers:
        yield numbers


def _readers(lines: list[str], used: _Uses, numbers: list[int]) -> dict[int, frozenset[int]]:
    """Return line of an outermost declaration → lines elsewhere that read what it gives a value to.

    A declaration that holds a function shows by its own lines whether that ran.
    """
    head = lines[numbers[0] - 1]
    whole = "\n".join(lines[number - 1] for number in numbers)
    declared = _DECLARES.match(head)
    if not declared or _FUNCTION.search(whole):
        return {}
    if _GO_GROUP.match(head):
        return {
            number: _reading(used, numbers, set(_NAME.findall(lines[number - 1].split("=")[0])[:1]))
            for number in numbers[1:]
        }
    names = set(_NAME.findall(whole[declared.end() :].split("=")[0]))
    if not head.startswith("import"):
        # In `name: Type` and `name Type` only the first word is a name, unless several are taken apart.
        names = (
            names
            if re.match(r"\s*[{\[]", head[declared.end() :])
            else set(_NAME.findall(head[declared.end() :])[:1])
        )
    found = _reading(used, numbers, names - {"from", "as"})
    return dict.fromkeys(numbers, found)


def _reading(used: _Uses, numbers: list[int], names: set[str]) -> frozenset[int]:
    return frozenset(n for name in names for n in used.get(name, ())) - set(numbers)


def _uses(lines: list[str]) -> _Uses:
    """Return name → numbers of the lines that use it as a name of its own, not as another's attribute."""
    found: _Uses = {}
    for number, line in enumerate(lines, 1):
        for name in set(_OWN_NAME.findall(line)):
            found.setdefault(name, []).append(number)
    return found
