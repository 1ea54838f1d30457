"""What a patch does in a file of JavaScript's or TypeScript's tests to the tests that were there; pure.

A test whose words are the same says less where a name that it uses comes from somewhere else, or where the
module that it is about is replaced above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from greenline.core.port import Tree
from greenline.verify.script_import import Source, imports, mocked, replaced, resolved
from greenline.verify.source_line import bare
from greenline.verify.test_body import bodies, closing, outside

_ASSERTING = re.compile(
    r"assert(?:/strict)?|power-assert|chai(?:/.*)?|should|expect|vitest|@jest/globals|test|uvu/assert"
)
"""Modules whose names say what a test asserts."""
_RETRIES = re.compile(
    r"\bjest\s*\.\s*retryTimes\s*\(|\bthis\s*\.\s*retries\s*\("
    r"|(?:(?<![\w$.])(?:describe|suite|context|test|it)(?:\s*\.\s*\w+)*\s*\(\s*([\"'`])[^\"'`\n]*\1\s*,"
    r"|\bsetConfig\s*\()\s*\{[^{}]{0,400}?\bretry\s*:\s*[1-9]"
)
_HELPER = re.compile(
    r"\bfunction\s*\*?\s*([\w$]+)\s*\(|\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\b\s*)?(?:function\s*\*?\s*)?\("
)
_WITHIN = re.compile(r"[(\[,=?:&|!+~-]\s*(?:async\s+)?\Z|\b(?:void|new|await|return)\s+(?:async\s+)?\Z")
"""What stands before a function that is part of an expression, and so may be called at once."""
_BODY = re.compile(r"\s*(?::[^={;\n]*)?(?:=>\s*)?\{")
_WORD = re.compile(r"(?<![\w$.])[\w$]+")


def rewired(base: Tree, patched: Tree, path: str, changed: set[str]) -> Iterator[str]:
    """Yield the names of the tests of a file that are about something else than before.

    The empty name stands for those whose name is made when they run; `changed` are the changed files that are
    no product code.
    """
    if path not in base or path not in patched:
        return
    old, new = (tree[path].content.decode("utf-8", "replace") for tree in (base, patched))
    before, after = bodies(path, old), bodies(path, new)
    known = before.keys() & after.keys()
    if _replaces(base, patched, path, (old, new), frozenset(known)):
        yield from known
        return
    names = _exchanged(base, patched, path, changed, (imports(old), imports(new), new))
    word = re.compile(rf"(?<![\w$.])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])")
    if names and word.search(after[""]):
        yield from known
    elif names:
        yield from (name for name in known if word.search(after[name]))


def _replaces(base: Tree, patched: Tree, path: str, texts: tuple[str, str], known: frozenset[str]) -> bool:
    """Return whether something is put in the place of what the tests of a file import, or runs them again."""
    old, new = texts
    tests = (test for name, test in bodies(path, new).items() if name in known - {""})
    before = outside(old, known)
    around = before, _without_uncalled(outside(new, known), old, tests)
    subjects = {name: s for name, s in imports(old).items() if s.module.startswith(".")}
    own = {source.module for source in imports(old).values()}
    own |= {file for source in subjects.values() if (file := resolved(base, path, source.module))}
    # vitest puts `vi.mock` before everything, wherever it stands.
    was = {module for _, module in mocked(old)}
    for start, module in (*mocked(around[1]), *mocked(new)):
        is_hoisted = new.startswith("vi.mock", start)
        if module in was or not (is_hoisted or around[1][start : start + 1].strip()):
            continue
        if module.removeprefix("node:") in own or resolved(patched, path, module) in own - {""}:
            return True
    hits = [{_line(text, start) for start, _ in replaced(text, subjects)} for text in around]
    if hits[1] - hits[0]:
        return True
    retries = [len(_RETRIES.findall(bare(text))) for text in around]
    return retries[1] > retries[0]


def _without_uncalled(around: str, old: str, tests: Iterable[str]) -> str:
    """Return what stands around tests with new functions made blank that none of these tests can call."""
    plain = bare(around)
    told = {*_WORD.findall(old)}
    called = {word for test in tests for word in _WORD.findall(test)}
    words = Counter(_WORD.findall(plain))
    end = 0
    for match in _HELPER.finditer(plain):
        name = match[1] or match[2]
        if match.start() < end or name in told or name in called:
            continue
        if _WITHIN.search(plain, max(0, match.start() - 80), match.start()):
            continue
        opens = _BODY.match(plain, closing(plain, match.end() - 1, len(plain)))
        if opens is None:
            continue
        end = closing(plain, opens.end() - 1, len(plain))
        is_called_there = plain[end : end + 80].lstrip().startswith("(")
        if is_called_there or words[name] > _WORD.findall(plain, match.start(), end).count(name):
            continue
        blank = "".join(letter if letter == "\n" else " " for letter in around[match.start() : end])
        around = around[: match.start()] + blank + around[end:]
    return around


def _line(text: str, start: int) -> str:
    """Return the line of a text around a place, without its blanks."""
    end = text.find("\n", start)
    return "".join(text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else len(text)].split())


def _exchanged(
    base: Tree,
    patched: Tree,
    path: str,
    changed: set[str],
    found: tuple[Mapping[str, Source], Mapping[str, Source], str],
) -> set[str]:
    """Return the names of a file that come from somewhere else than before."""
    old, new, text = found
    names = set()
    for name, source in old.items():
        other = new.get(name)
        if other is None:
            if re.search(rf"\b(?:const|let|var|function|class)\s+{re.escape(name)}(?![\w$])", text):
                names.add(name)
        elif other != source and _is_other(base, patched, path, changed, (source, other)):
            names.add(name)
    return names


def _is_other(
    base: Tree, patched: Tree, path: str, changed: set[str], sources: tuple[Source, Source]
) -> bool:
    old, new = sources
    is_own = new.module.startswith(".")
    if not old.module.startswith("."):
        if is_own:
            return resolved(patched, path, new.module) in changed
        is_stricter = old.module == "assert" and new.module == "assert/strict"
        return _ASSERTING.fullmatch(old.module) is not None and not (is_stricter and old.name == new.name)
    if not is_own:
        return True
    was, now = resolved(base, path, old.module), resolved(patched, path, new.module)
    if was == now:
        return old.name != new.name
    # One that has another place by now is the same; one that the patch puts in its place is not.
    return was in patched and now in changed
