"""The members of the classes in a Java file, told by brackets and semicolons alone; pure."""

from __future__ import annotations

import re
from typing import Literal

import attrs

JAVA = (".java",)

_BLANK = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    re.S,
)
_TOKEN = re.compile(r"[{}()\[\];]|(?<![=!<>])=(?!=)")
_CLASS = re.compile(
    r"\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\s+)*"
    r"(@?interface|class|enum|record)\s+(\w+)"
)
_CALLED = re.compile(r"\b(\w+)\s*\(")
_ANNOTATION = re.compile(r"@(?!interface\b)[\w.]+\s*")
_STATEMENT = re.compile(r"\s*(?:import|package)\b")
_CONSTANT = re.compile(r"[{(\[,;]|\w+")
_MAX_DEPTH = 30

Kind = Literal["class", "method", "abstract", "field", "block", "import"]


@attrs.frozen
class Member:
    """One member of a class, or one import; positions are those of the file's text."""

    kind: Kind
    name: str
    """Empty for a block of initialisation; several names of an enum's constants have blanks between."""
    owner: str
    """The classes around it, `Outer.Inner`; empty for what is outermost."""
    start: int
    """Where it begins, with its annotations."""
    body: int
    """Where its body opens, or its end."""
    end: int
    head: str
    """What stands before the body, with comments and texts made blank."""

    @property
    def place(self) -> str:
        """Its name behind those of the classes around it."""
        return f"{self.owner}.{self.name}".strip(".")


def bare(text: str) -> str:
    """Return the text with comments and what stands between quotes made blank; lines stay where they are."""

    def blank(match: re.Match[str]) -> str:
        piece = match[0]
        inside = re.sub(r"[^\n]", " ", piece)
        is_text = piece[0] != "/" and len(piece) > 1
        return piece[0] + inside[1:-1] + piece[-1] if is_text and piece[-1] == piece[0] else inside

    return _BLANK.sub(blank, text)


def without_comments(text: str) -> str:
    """Return the text with blanks in the place of comments."""
    return _BLANK.sub(lambda match: match[0] if match[0][0] in "\"'" else " ", text)


def members(text: str) -> list[Member]:
    """Return the members of all classes of a file, each class before what is in it."""
    plain = bare(text)
    found: list[Member] = []
    _Scan(plain, _matching(plain), found).take(0, len(plain), "", 0)
    return found


def without_annotations(head: str) -> str:
    """Return the head of a member with its annotations made blank."""
    out, index = head, 0
    while (match := _ANNOTATION.search(out, index)) is not None:
        end = match.end()
        if out[end : end + 1] == "(":
            depth = 0
            for end in range(match.end(), len(out)):
                depth += (out[end] == "(") - (out[end] == ")")
                if depth == 0:
                    break
            end += 1
        out = out[: match.start()] + " " * (end - match.start()) + out[end:]
        index = end
    return out


def _matching(plain: str) -> dict[int, int]:
    """Return where each bracket is closed, behind the one that closes it."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[{}()\[\]]", plain):
        if match[0] in "{([":
            stack.append(match.start())
        elif stack:
            found[stack.pop()] = match.end()
    return found


@attrs.frozen
class _Scan:
    plain: str
    matching: dict[int, int]
    found: list[Member]

    def take(self, start: int, end: int, owner: str, depth: int) -> None:
        """Add the members between two places."""
        head, index, gives = start, start, False
        while (token := _TOKEN.search(self.plain, index, end)) is not None:
            index = token.end()
            if token[0] in "([":
                index = min(self.matching.get(token.start(), end), end)
            elif token[0] == "=":
                gives = True
            elif token[0] == ";":
                self._statement(head, index, owner)
                head, gives = index, False
            elif token[0] == "{":
                index = min(self.matching.get(token.start(), end), end)
                if not gives:
                    self._body(head, token.start(), index, owner, depth)
                    head = index

    def _statement(self, start: int, end: int, owner: str) -> None:
        text = self.plain[start : end - 1]
        if not text.strip():
            return
        start += len(text) - len(text.lstrip())
        head = without_annotations(self.plain[start : end - 1])
        if _STATEMENT.match(head):
            self._add("import", head.split()[-1], owner, start, end, end)
            return
        given = head.split("=")[0]
        called = _CALLED.search(given)
        if called is not None:
            self._add("abstract", called[1], owner, start, end, end)
        else:
            names = re.findall(r"\b(\w+)\s*(?:\[\s*\]\s*)*(?:=|,|$)", re.sub(r"<[^;=]*>", " ", head))
            self._add("field", " ".join(names[:1] if "=" in head else names), owner, start, end, end)

    def _body(self, start: int, opening: int, end: int, owner: str, depth: int) -> None:
        text = self.plain[start:opening]
        start += len(text) - len(text.lstrip())
        head = without_annotations(self.plain[start:opening])
        match = _CLASS.match(head)
        if match is not None and depth < _MAX_DEPTH:
            self._add("class", match[2], owner, start, opening, end)
            inner = f"{owner}.{match[2]}".strip(".")
            begin = self._constants(opening + 1, end - 1, inner) if match[1] == "enum" else opening + 1
            self.take(begin, end - 1, inner, depth + 1)
            return
        called = _CALLED.search(head)
        words = head.split()
        if called is not None:
            self._add("method", called[1], owner, start, opening, end)
        elif words and words != ["static"]:
            # The short constructor of a record.
            self._add("method", words[-1], owner, start, opening, end)
        else:
            self._add("block", "", owner, start, opening, end)

    def _constants(self, start: int, end: int, owner: str) -> int:
        """Add the constants of an enum; return where they end."""
        index, names, is_name = start, list[str](), True
        while (token := _CONSTANT.search(self.plain, index, end)) is not None:
            index = token.end()
            if token[0] == ";":
                break
            if token[0] in "{([":
                index = min(self.matching.get(token.start(), end), end)
            elif token[0] == ",":
                is_name = True
            elif is_name:
                names.append(token[0])
                is_name = False
        if names:
            text = self.plain[start:index]
            self._add("field", " ".join(names), owner, start + len(text) - len(text.lstrip()), index, index)
        return index

    def _add(self, kind: Kind, name: str, owner: str, start: int, body: int, end: int) -> None:
        self.found.append(Member(kind, name, owner, start, body, end, self.plain[start:body]))
