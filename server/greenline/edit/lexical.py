"""Tells lines that differ in blanks alone by the tokens of their language, where that has clear ones. Pure.

Invariant: lines that may say different things are never the same; a language without clear tokens has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

_OPERATORS = (
    r">>>=|\.\.\.|<=>|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|&\^=|//=|\.\.=|->\*"
    r"|\+\+|--|->|=>|<-|::|:=|==|!=|<=|>=|&&|\|\||<<|>>|\*\*|\?\?|\?\.|\+=|-=|\*=|/=|%=|&=|\|=|\^=|@=|&\^|\.\.|!!"
    r"|//|/\*|\*/|[-+*/%=<>!&|^~?:;,.()\[\]{}@#$]"
)
_QUOTED = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_PLAIN = r"[^\W\d][\w$]*|(?:\d|\.\d)(?:[eEpP][-+]|[\w.])*"
_PYTHON = re.compile(
    rf"(?:[bBrRuUfFtT]{{0,2}}(?:{_QUOTED}))|#.*|{_PLAIN}|(?!//\*|/\*|\*/)(?:{_OPERATORS})|\\$"
)
_BRACED = re.compile(rf"[rLuUbcf@$]*(?:{_QUOTED})|`[^`\\]*`|//.*|/\*.*?\*/|{_PLAIN}|{_OPERATORS}")
_JSON = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|\w+|[{}\[\],:]')
_LONG_PYTHON = re.compile(
    rf"\"{{3}}(?:[^\\]|\\.)*?(?:\"{{3}}|\Z)|'{{3}}(?:[^\\]|\\.)*?(?:'{{3}}|\Z)|{_QUOTED}|#[^\n]*", re.DOTALL
)
_LONG_BRACED = re.compile(
    # Raw texts of C++ and verbatim ones of C# come before what looks like their parts.
    r"R\"([^()\\\s]{0,16})\(.*?(?:\)\1\"|\Z)|(?:@\$?|\$@)\"(?:[^\"]|\"\")*(?:\"|\Z)"
    rf"|\"{{3}}.*?(?:\"{{3}}|\Z)|'{{3}}.*?(?:'{{3}}|\Z)|`(?:[^`\\]|\\.)*(?:`|\Z)|/\*.*?(?:\*/|\Z)|//[^\n]*|{_QUOTED}",
    re.DOTALL,
)
_SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
_OTHERS = (".go", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs", ".dart")
_LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), (_PYTHON, _LONG_PYTHON)),
    **dict.fromkeys((*_SCRIPTS, *_OTHERS), (_BRACED, _LONG_BRACED)),
    ".json": (_JSON, _JSON),
}


def has_tokens(path: str) -> bool:
    """Return whether the lines of such a file can be compared by their tokens."""
    return PurePosixPath(path).suffix.lower() in _LANGUAGES


def same_tokens(path: str, line: str, other: str) -> bool:
    """Return whether two lines of code are the same tokens; not where a line may be something else."""
    suffix = PurePosixPath(path).suffix.lower()
    found = _tokens(line, suffix)
    return found is not None and found == _tokens(other, suffix)


def text_rows(path: str, lines: Sequence[str]) -> frozenset[int]:
    """Return the lines that a string or a comment of several lines takes, in which all blanks count."""
    suffix = PurePosixPath(path).suffix.lower()
    text = "".join(lines)
    if suffix in _SCRIPTS and "</" in text:
        # It may hold markup, and then words that are no tokens.
        return frozenset(range(len(lines)))
    rows: set[int] = set()
    row = at = 0
    for found in _LANGUAGES[suffix][1].finditer(text):
        n_ends = found[0].count("\n")
        if n_ends:
            row += text.count("\n", at, found.start())
            at = found.start()
            rows.update(range(row, row + n_ends + 1))
    return frozenset(rows)


def _tokens(line: str, suffix: str) -> list[str] | None:
    """Return the tokens of a line; None where it is not clear what they are."""
    lexer = _LANGUAGES[suffix][0]
    text = line.strip()
    if lexer is _BRACED and text.startswith(("#", "*")):
        # A macro with a blank after its name is another one, and a comment's line begins with a star.
        return None
    tokens: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\f":
            at += 1
            continue
        found = lexer.match(text, at)
        if found is None or found[0] in ("/*", "*/") or (suffix in _SCRIPTS and found[0] in ("/", "/=")):
            # A slash of a script may begin a pattern.
            return None
        tokens.append(found[0])
        at = found.end()
    return tokens
