"""What a JavaScript or TypeScript file imports, and where it changes what it imported; pure.

No parser: imports and calls are found in the text, with what stands in comments and quotes left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

import attrs

from greenline.core.port import Tree
from greenline.verify.source_line import JAVASCRIPT, bare

_FROM = re.compile(r"\bimport(?=[\s{*])(?!\s+type\b)([^\"'`;()=]{1,4000}?)(?<![\w$])from\s*(?=[\"'])")
_REQUIRED = re.compile(
    r"\b(?:const|let|var)\s+([\w$]+|\{[^}]*\})\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*(?=[\"'])"
)
_ONLY = re.compile(r"(?:\bimport\s*\(?|\brequire\s*\(|\bexport\b[^;\"'\n]*\bfrom)\s*(?=[\"'])")
_AFTER = re.compile(r"\s*\)\s*\.\s*([\w$]+)")
_QUOTED = re.compile(r"([\"'`])([^\"'`\n]*)\1")
_WHOLE = frozenset({"default", "*"})
_MAX_ALIASES = 5
"""How many names of names are followed."""


@attrs.frozen
class Source:
    """Where a name comes from."""

    module: str
    """As it is written, without `node:`."""
    name: str = ""
    """What is taken of the module; empty: all of it."""

    @classmethod
    def of(cls, module: str, name: str = "") -> Source:
        """Return the one form that the several ways to write it have."""
        module = module.removeprefix("node:")
        name = "" if name in _WHOLE else name
        if module == "test" and name in ("test", "it"):
            name = ""
        if module == "assert" and name == "strict":
            return cls("assert/strict")
        return cls(module, "" if module == "assert/strict" and name in ("strict", "ok") else name)


def imports(text: str) -> dict[str, Source]:
    """Return name → where a file gets it from."""
    plain = bare(text)
    found: dict[str, Source] = {}
    for match in _FROM.finditer(plain):
        module = _text_at(text, match.end())
        for local, name in _clause(match[1].strip()):
            found[local] = Source.of(module, name)
    for match in _REQUIRED.finditer(plain):
        module = _text_at(text, match.end())
        after = _AFTER.match(plain, match.end() + len(module) + 2)
        for local, name in _clause(match[1], whole="*"):
            found[local] = Source.of(module, after[1] if after and name in _WHOLE else name)
    return found


def modules(text: str) -> list[str]:
    """Return the modules that a file imports in any way, as they are written."""
    return [_text_at(text, match.end()) for match in _ONLY.finditer(bare(text))] + [
        _text_at(text, match.end()) for match in _FROM.finditer(bare(text))
    ]


def resolved(tree: Tree, path: str, module: str) -> str:
    """Return the file of the tree that a relative module of a file is, or an empty text."""
    if not module.startswith("."):
        return ""
    plain = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
    stem = re.sub(r"\.[cm]?jsx?$", "", plain)
    ends = [plain, *(f"{base}{end}" for base in (plain, stem) for end in JAVASCRIPT)]
    ends += [f"{plain}/index{end}" for end in JAVASCRIPT]
    return next((end for end in ends if end in tree), "")


def _text_at(text: str, index: int) -> str:
    match = _QUOTED.match(text, index)
    return match[2] if match else ""


def _clause(text: str, whole: str = "default") -> Iterator[tuple[str, str]]:
    """Yield the local names of an import or a pattern, each with what it is called in its module."""
    outer, _, rest = text.partition("{")
    for word in outer.split(","):
        name = word.strip().removeprefix("*").strip().removeprefix("as ").strip()
        if name:
            yield name, "*" if "*" in word else whole
    for item in rest.rstrip("} \n").split(","):
        words = re.split(r"\s+as\s+|\s*:\s*", item.strip().removeprefix("type "))
        if words[0]:
            yield words[-1].partition("=")[0].strip(), words[0].strip()


def replaced(text: str, names: Mapping[str, Source] | frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield where in a text one of the names, or something of it, is given another value, and which name."""
    plain = bare(text)
    known = {*names}
    for _ in range(_MAX_ALIASES if known else 0):
        # What is made of one of them (`const proto = Cart.prototype`) stands for it.
        word = _any_of(known)
        alias = re.compile(rf"\b(?:const|let|var)\s+([\w$]+)\s*=\s*{word}(?:\.[\w$]+)*\s*(?:;|\n)")
        more = {match[1] for match in alias.finditer(plain)} - known
        if not more:
            break
        known |= more
    if not known:
        return
    word = _any_of(known)
    member = r"(?:\s*\??\.\s*[\w$]+|\s*\[[^\]\n]*\])"
    for pattern in (
        rf"{word}{member}+\s*(?:[-+*/|&?]{{0,2}}=(?![=>]))",
        rf"\b(?:Object\.(?:definePropert(?:y|ies)|assign|setPrototypeOf)|Reflect\.(?:set|defineProperty))\(\s*{word}",
        rf"\bmock\s*\.\s*(?:method|getter|setter)\(\s*{word}",
        rf"\b(?:sinon|sandbox)\s*\.\s*(?:stub|replace\w*)\(\s*{word}",
        rf"\b(?:vi|jest)\s*\.\s*(?:spyOn|replaceProperty)\(\s*{word}[^;()]{{0,300}}\)\s*\.\s*mock(?!Clear|Restore|Reset)",
        rf"\bdelete\s+{word}{member}",
    ):
        for match in re.finditer(pattern, plain):
            yield match.start(), match[1]


def _any_of(names: set[str]) -> str:
    return rf"(?<![\w$.])({'|'.join(re.escape(name) for name in sorted(names))})(?![\w$])"


_MOCKS = re.compile(
    r"\b(?:vi\.(?:mock|doMock)|jest\.(?:mock|doMock|setMock|unstable_mockModule)|mock\.module|td\.replace(?:Esm)?"
    r"|proxyquire|rewire|esmock)\s*(?:<[^>\n]*>)?\(\s*(?:import\s*\(\s*)?(?=[\"'])"
)


def mocked(text: str) -> Iterator[tuple[int, str]]:
    """Yield where in a text a module is replaced for all that import it, and which, as it is written."""
    for match in _MOCKS.finditer(bare(text)):
        yield match.start(), _text_at(text, match.end())
