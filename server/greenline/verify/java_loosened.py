"""Which of Java's tests a patch may have loosened, and what of it decides any test's outcome; pure.

A test says no less than before where all of its statements are still there, in their order, with nothing but
assertions between them, and nothing that it names in the files of tests was changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

import attrs

from greenline.core.port import Tree
from greenline.verify.java_manifest import runner_parts
from greenline.verify.java_suite import JavaSuite, JavaTest
from greenline.verify.java_text import JAVA

_ASSERTS = re.compile(
    r"(?:(?:Assertions|Assert|Truth) \. )?"
    r"(?:assert(?:Not)?(?:Equals|Null|Same)|assert(?:True|False|InstanceOf)"
    r"|assert(?:Array|Iterable)Equals|assertLinesMatch|assertThat|fail|verify|verifyNoMoreInteractions) \("
    r"|assert\b"
)
_ENDS = re.compile(
    r"\b(?:return|if|for|while|do|switch|try|catch|throw|new Thread|[aA]ssum\w*|mock\w*|spy|expected)\b"
    r"|- >|\| \||& &|\?|(?<![=!<>] )= (?!=)|\+ \+|- -"
)
"""With which an assertion does more than assert."""
_HELPER = re.compile(r"(?:\w+ \. )?(assert\w+) \(")
_MILD = re.compile(r"@ (?:DisplayName|SuppressWarnings|Tag|Timeout|Order) (?:\( [^()]* \) ?)?")
_ROWS = re.compile(r"@ (?:CsvSource|ValueSource|CsvFileSource|EnumSource) \( .*? \)(?= @| [a-z])")
_EXTENSIONS = re.compile(
    r"(?:^|/)META-INF/services/(?:org\.junit|junit\.)[^/]*$|(?:^|/)junit-platform\.properties$"
)
_MAIN = re.compile(r"(?:^|.*/)src/main/(?:java|resources)/")
_TESTS = re.compile(r"(?:^|.*/)src/(?:test|\w+Test)/(?:java|resources)/")


@attrs.frozen
class _Touched:
    """What means another thing than before in one file."""

    names: frozenset[str] = frozenset()
    """Names that a test may use."""
    scopes: frozenset[str] = frozenset()
    """Classes whose tests are concerned whatever they use; the empty name is the file's own class."""

    def concerns(self, name: str, test: JavaTest) -> bool:
        """Return whether a test is one of these, or uses one of the names."""
        if any(not scope or name.startswith(f"{scope}.") for scope in self.scopes):
            return True
        # A provider of cases has the name of its test where the test names none.
        return not self.names.isdisjoint({*test.words, name.rpartition(".")[2]})


_PIECE = re.compile(r"\"(?:\\.|[^\"\\])*\"|\w+")
_VALUE = re.compile(r"[\"\d]|true$|false$|null$")


def loosened_in_java(
    base: Tree, patched: Tree, changed: Collection[str], test_files: Iterable[str], data: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield file and name of tests that may say less; `data` are files of data that have less than before."""
    suites = {path: _pair(base, patched, path) for path in changed if path.endswith(JAVA)}
    touched = {path: _touched(path, *pair) for path, pair in suites.items()}
    looser = {path: _looser(*pair, touched[path]) for path, pair in suites.items()}
    weak = {_stem(path) for path, own in touched.items() if own.names or own.scopes or path not in base}
    # What a class of tests says, its heirs say too.
    weak |= {
        _stem(path)
        for path, (old, new) in suites.items()
        if looser[path] or old.tests.keys() - new.tests.keys()
    }
    weak = _spread(patched, weak, changed) if weak else weak
    names = _any_of(weak, r"\b", r"\b")
    files = _any_of({path.rpartition("/")[2] for path in data}, r"[\"/]", r"(?!\w)")
    for path in sorted({*test_files, *suites}):
        if not path.endswith(JAVA) or path not in base or path not in patched:
            continue
        yield from ((path, name) for name in looser.get(path, ()))
        text = _content(patched, path).decode("utf-8", "replace")
        reads = files is not None and files.search(text) is not None
        # Most files name none of them, and need not be taken apart.
        if not reads and (names is None or not names.search(_content(base, path).decode("utf-8", "replace"))):
            continue
        old, _ = suites.get(path) or _pair(base, patched, path)
        if reads or (old.words & weak) - {_stem(path)}:
            # Those that it inherits have no name in its text.
            yield from ((path, name) for name in ["", *old.tests])


def _any_of(words: Collection[str], before: str, after: str) -> re.Pattern[str] | None:
    """Return what finds one of some words, or None where there are none."""
    if not words:
        return None
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, sorted(words)))}){after}")


def _looser(old: JavaSuite, new: JavaSuite, touched: _Touched) -> list[str]:
    """Return the names of a file's tests that may say less by what changed in it."""
    return [
        name
        for name in sorted(old.tests.keys() & new.tests.keys())
        if touched.concerns(name, new.tests[name]) or not says_as_much(old.tests[name], new.tests[name])
    ]


def hooks_in_java(base: Tree, patched: Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield `FILE: WHAT` of changed files that are no product code and can decide any test's outcome."""
    products = {_MAIN.sub("", path): path for path in base if _MAIN.match(path)}
    for path in paths:
        name = path.rpartition("/")[2]
        if path not in patched:
            continue
        if path.endswith(".jar"):
            yield f"{path}: what tests run with"
        elif _EXTENSIONS.search(path):
            yield f"{path}: what JUnit loads and how it runs"
        elif name == "pom.xml" or name.startswith("build.gradle"):
            old, new = (runner_parts(path, _content(tree, path)) for tree in (base, patched))
            if path in base and old.runner != new.runner:
                yield f"{path}: how tests are run"
        elif path not in base and _TESTS.match(path) and (original := products.get(_TESTS.sub("", path))):
            yield f"{path}: is loaded in the place of {original}"


def says_as_much(old: JavaTest, new: JavaTest) -> bool:
    """Return whether a test still says all that it said."""
    if _plain_head(old.head) != _plain_head(new.head) or not _has_rows(old.head, new.head):
        return False
    left = [*old.statements]
    for statement in new.statements:
        if not left:
            break
        if statement == left[0]:
            del left[0]
        elif _ENDS.search(statement) or not (_ASSERTS.match(statement) or _is_known(statement, old)):
            return False
    return not left


def _is_known(statement: str, old: JavaTest) -> bool:
    """Return whether a statement asserts by a helper of the project's that the test called before."""
    called = _HELPER.match(statement)
    return called is not None and called[1] in old.words


def _plain_head(head: str) -> str:
    """Return annotations and signature without what changes nothing, and without rows of cases."""
    plain = _ROWS.sub("@ Rows", _MILD.sub("", head))
    return re.sub(r" throws [\w. ,]+$", "", plain.strip()).strip()


def _has_rows(old: str, new: str) -> bool:
    """Return whether all cases that are written into annotations are there still, in their order."""
    before, after = (_PIECE.findall(" ".join(_ROWS.findall(head))) for head in (old, new))
    left = iter(after)
    if not all(piece in left for piece in before):
        return False
    # More of texts and numbers are more cases; other words say how these are taken.
    said, says = ([p for p in pieces if not _VALUE.match(p)] for pieces in (before, after))
    return said == says


def _pair(base: Tree, patched: Tree, path: str) -> tuple[JavaSuite, JavaSuite]:
    old, new = (
        JavaSuite.of(path, _content(tree, path).decode("utf-8", "replace")) for tree in (base, patched)
    )
    return old, new


def _touched(path: str, old: JavaSuite, new: JavaSuite) -> _Touched:
    used = old.words
    names: set[str] = set()
    scopes: set[str] = set()
    for key in old.others.keys() | new.others.keys():
        if old.others.get(key) == new.others.get(key):
            continue
        if key in old.around or key in new.around:
            scopes.add(_scope(path, key))
        elif key in old.others:
            names.update(_names(key))
        else:
            # What is new counts only where a test used its name before, for something else then.
            names.update(name for name in _names(key) if name in used)
    owners = {full.rpartition(".")[0] for name, full in new.imports.items() if name.endswith("*")}
    for name, full in old.imports.items():
        # What is not imported by name any more may be another thing of the package, or of a star.
        if name in used and name not in new.imports and full.rpartition(".")[0] not in owners:
            names.add(name)
    for name, full in new.imports.items():
        if old.imports.get(name) != full and (name in used or name in old.imports):
            names.add(name)
    waiting = {*names}
    while waiting:
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(waiting)))})\b")
        using = [key for key, text in new.others.items() if pattern.search(text)]
        scopes.update(_scope(path, key) for key in using if key in new.around)
        waiting = {name for key in using if key not in new.around for name in _names(key)} - names
        names |= waiting
    return _Touched(frozenset(names), frozenset(scopes))


def _names(key: str) -> list[str]:
    """Return the simple names of a member, of which the constants of an enum have several."""
    return re.sub(r"^(?:\w+\.)*", "", key).split()[:-1]


def _scope(path: str, key: str) -> str:
    """Return the class whose tests run under a member."""
    place, _, kind = key.rpartition(" ")
    owner = place if kind == "class" else place.rpartition(".")[0]
    return "" if owner == _stem(path) else owner


def _spread(patched: Tree, weak: set[str], changed: Collection[str]) -> set[str]:
    """Return the names of classes of tests with those that use them, other than tests themselves."""
    texts = {
        _stem(path): frozenset(re.findall(r"\w+", file.content.decode("utf-8", "replace")))
        for path, file in patched.items()
        if path.endswith(JAVA) and (path in changed or _TESTS.match(path))
    }
    found, waiting = {*weak}, True
    while waiting:
        using = {stem for stem, words in texts.items() if words & found} - found
        found |= using
        waiting = bool(using)
    return found


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".java")


def _content(tree: Tree, path: str) -> bytes:
    return tree[path].content if path in tree else b""
