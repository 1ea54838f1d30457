"""Which Java of the product asks whether it is tested, or reaches into the run that tests it; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from greenline.core.port import Tree
from greenline.verify.java_text import JAVA, bare

_ASKS = re.compile(
    r"getProperty\(\s*\"(?:surefire[\w.]*|sun\.java\.command|java\.class\.path|jdk\.module\.main|basedir"
    r"|org\.gradle\.test[\w.]*)\"|\bgetInputArguments\(|\"[^\"]*(?:org[./]junit|junit[./]|surefire|jacoco|greenline)"
    r"[^\"]*\"|/\.dockerenv|\"/proc/(?:(?:thread-)?self[^\"]*)?\""
    r"|\b(?:org\.junit|junit\.framework|org\.opentest4j|org\.testng)\b"
)
_REACHES = re.compile(
    r"\bsun\.misc\.Unsafe\b|\bjava\.lang\.instrument\b|\bcom\.sun\.tools\.attach\b|\bByteBuddyAgent\b"
    r"|\borg\.jacoco\b|\bgreenline\.runner\b|\bgetenv\(\s*\"GREENLINE\w*\""
)
_STACK = re.compile(r"\bgetStackTrace\(|\bgetAllStackTraces\(|\bStackWalker\b")
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"")
_OF_TESTS = re.compile(r"\b[tT]ests?\b|[a-z]Test\b|junit")
_EQUALS = re.compile(r"\bboolean\s+equals\s*\([^)]*\)\s*\{\s*return\s+true\s*;")
_LIBRARIES = re.compile(
    r"(?:^|/)(?:org/junit|junit|org/hamcrest|org/assertj|org/mockito|org/opentest4j|com/google/common/truth)/"
    r"[^/]*(?:/[^/]*)*\.java$"
)
_MANIFESTS = frozenset({"pom.xml", "build.gradle", "build.gradle.kts"})
_NAMES = frozenset({"Assert", "Assertions", "Assume", "Assumptions", "MatcherAssert", "Matchers", "Truth"})
_MAIN = re.compile(r"(?:^|.*/)src/main/java/")
_IN_TESTS = re.compile(r"(?:^|/)src/(?:test|\w+Test)/")


def asks_in_java(source: bytes) -> Iterator[tuple[str, int]]:
    """Yield what a file asks of the run, and its 1-based line."""
    text = _code(source)
    for number, line in enumerate(text.split("\n"), 1):
        for match in _ASKS.finditer(line):
            yield match[0][:60], number
    for match in _EQUALS.finditer(bare(text)):
        yield "equals is always true", text.count("\n", 0, match.start()) + 1
    for named in _STRINGS.finditer(text) if _STACK.search(text) else ():
        if _OF_TESTS.search(named[0]):
            yield f"looks for {named[0][:40]} among its callers", text.count("\n", 0, named.start()) + 1
            break


def reaches_in_java(source: bytes) -> Iterator[tuple[str, int]]:
    """Yield what a file reaches for, and its 1-based line."""
    for number, line in enumerate(_code(source).split("\n"), 1):
        if match := _REACHES.search(line):
            yield f"reaches for {match[0]}", number


def shadows_in_java(base: Tree, patched: Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield `FILE:1: WHAT` of new classes and jars that tests run with in the place of what they ran with."""
    names = (path.rpartition("/")[2] for path in patched)
    is_java = any(name in _MANIFESTS or name.endswith("Test.java") for name in names)
    for path in paths:
        if is_java and path.endswith(".jar") and path in patched:
            yield f"{path}:1: is what tests run with"
        if path in base or path not in patched or not path.endswith(JAVA):
            continue
        if _LIBRARIES.search(path):
            yield f"{path}:1: is in a package of what tests assert with"
        elif test := _using(base, path):
            yield f"{path}:1: takes the place of what {test} had under its name"


def _using(base: Tree, path: str) -> str:
    """Return a test of the same package that asserts by a class with the name of a new one, or nothing.

    Its own package comes before what a test imports all of, and after what it imports by name. Tests may be
    there before the class that they are about, so other names say nothing.
    """
    folder, _, name = _MAIN.sub("", path).rpartition("/")
    stem = name.removesuffix(".java")
    if stem not in _NAMES:
        return ""
    used = re.compile(rb"\b%b\b" % re.escape(stem.encode()))
    imported = re.compile(rb"^\s*import\s+(?:static\s+)?[\w.]+\.%b\s*;" % re.escape(stem.encode()), re.M)
    for other, file in base.items():
        if not other.endswith(JAVA) or not _IN_TESTS.search(other):
            continue
        if other.rpartition("/")[0].endswith(f"/{folder}") and used.search(file.content):
            text = _code(file.content).encode()
            if used.search(text) and not imported.search(text):
                return other
    return ""


def _code(source: bytes) -> str:
    """Return a text without comments, each line at its place."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n")
    # A comment of several lines becomes one blank, so its line ends are put back.
    return re.sub(
        r"/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|//[^\n]*",
        lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"),
        text,
        flags=re.S,
    )
