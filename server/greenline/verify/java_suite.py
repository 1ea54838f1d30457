"""What a Java file of tests says: its tests, and all that stands around them; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from greenline.verify.java_text import Member, members, without_comments

_TEST = re.compile(
    r"@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property)\b"
)
_PIECE = re.compile(r"\"\"\"(?:\\.|[^\\])*?\"\"\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[\w$]+|\S", re.S)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_AROUND = re.compile(
    r"@(?:[\w.]+\.)?(?:Before\w*|After\w*|Rule|ClassRule|RegisterExtension|ExtendWith|TempDir|Mock\w*|Spy"
    r"|InjectMocks)\b"
)
_BY_NAME = frozenset({"setUp", "tearDown"})


@attrs.frozen
class JavaTest:
    """One method that is a test, without comments and layout."""

    head: str
    """Annotations and signature, without its name."""
    statements: tuple[str, ...]

    def with_(self, other: JavaTest) -> JavaTest:
        """Return both as one."""
        return JavaTest(f"{self.head} {other.head}", self.statements + other.statements)

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join((self.head, *self.statements))

    @property
    def words(self) -> frozenset[str]:
        """The names that it uses."""
        return frozenset(_WORD.findall(self.text))


@attrs.frozen
class JavaSuite:
    """One file of tests, or of what they use."""

    tests: Mapping[str, JavaTest]
    """Name → test, with the names of classes in the file's own before it and dots between."""
    others: Mapping[str, str]
    """Name → text of all other members, and of each class without what is in it."""
    around: frozenset[str]
    """Those of the others that have an effect on tests which do not name them."""
    imports: Mapping[str, str]
    """Simple name → what is imported under it; of an import of all names itself."""

    @classmethod
    def of(cls, path: str, text: str) -> JavaSuite:
        """Read a file; tests of one name are one test."""
        text = text.replace("\r\n", "\n")
        stem = path.rpartition("/")[2].removesuffix(".java")
        every = members(text)
        is_old = "TestCase" in text
        tests: dict[str, JavaTest] = {}
        others: dict[str, str] = {}
        imports: dict[str, str] = {}
        around = set()
        for member in every:
            if member.kind == "import":
                name = member.name.rpartition(".")[2]
                imports[member.name if name == "*" else name] = member.name
                continue
            place = _inside(member, stem)
            if is_test(member, is_old=is_old):
                test, before = _test(member, text), tests.get(place)
                tests[place] = test if before is None else before.with_(test)
                continue
            key = f"{place} {member.kind}"
            others[key] = f"{others.get(key, '')} {_said(text, member)}".strip()
            if _is_around(member):
                around.add(key)
        return cls(tests, others, frozenset(around), imports)

    @property
    def words(self) -> frozenset[str]:
        """The names that are used anywhere in the file."""
        texts = [*(test.text for test in self.tests.values()), *self.others.values()]
        return frozenset(word for text in texts for word in _WORD.findall(text))


def java_bodies(path: str, text: str) -> dict[str, str]:
    """Return name → text of each test without its name, and the rest under the empty name."""
    suite = JavaSuite.of(path, text)
    found = {name: test.text for name, test in suite.tests.items()}
    found[""] = "\n".join(f"{name}: {text}" for name, text in sorted(suite.others.items()))
    return found


def is_test(member: Member, *, is_old: bool) -> bool:
    """Return whether a member is a test; `is_old`: of a file of JUnit 3, whose tests have no annotation."""
    if member.kind != "method":
        return False
    return bool(_TEST.search(member.head)) or (
        is_old and member.name.startswith("test") and "void" in member.head
    )


def pieces(text: str) -> list[str]:
    """Return the words, texts and signs of a text without its comments."""
    return _PIECE.findall(without_comments(text))


def _test(member: Member, text: str) -> JavaTest:
    head = pieces(text[member.start : member.body])
    body = pieces(text[member.body + 1 : member.end - 1])
    statements, current = [], list[str]()
    for piece in body:
        current.append(piece)
        if piece in (";", "{", "}"):
            statements.append(" ".join(current))
            current = []
    if current:
        statements.append(" ".join(current))
    at = max((n for n, piece in enumerate(head) if piece == member.name), default=-1)
    return JavaTest(" ".join(piece for n, piece in enumerate(head) if n != at), tuple(statements))


def _said(text: str, member: Member) -> str:
    return " ".join(pieces(text[member.start : member.body if member.kind == "class" else member.end]))


def _inside(member: Member, stem: str) -> str:
    owners = member.owner.split(".") if member.owner else []
    own = owners[1:] if owners[:1] == [stem] else owners
    return ".".join([*own, member.name])


def _is_around(member: Member) -> bool:
    """Return whether a member runs, or changes what runs, though no test names it."""
    if member.kind in ("class", "block") or _AROUND.search(member.head) or member.name in _BY_NAME:
        return True
    # A constructor runs before each test.
    return member.kind == "method" and member.name == member.owner.rpartition(".")[2]
