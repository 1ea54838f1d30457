"""Which tests a patch may have loosened: changed in a way that could let them say less; pure.

A test says no less than before where all of its statements are still there, in their order, with nothing
but assertions between them, and nothing that it uses in test files was changed. What is written below a
test's last statement comes after everything that it said. Whether a loosened test still fails without the
patch is for the verdict to ask.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.case_folder import walkers
from greenline.verify.displaced import displaced
from greenline.verify.java_loosened import hooks_in_java, loosened_in_java
from greenline.verify.java_text import JAVA
from greenline.verify.mark import deciding, labels_of, marks_weaken, without_labels
from greenline.verify.python_suite import EVERYTHING, Function, SuiteFile, is_autouse
from greenline.verify.reach import reaches
from greenline.verify.redirected import redirected
from greenline.verify.restated import (
    handed_up,
    has_more_methods,
    is_prose,
    is_same_by_default,
    is_stricter,
    unrolled,
)
from greenline.verify.script_suite import rewired
from greenline.verify.set_for_all import set_for_all
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.table import BY_ROW, called, is_grown, is_longer, longer_table
from greenline.verify.table_text import has_more_rows
from greenline.verify.test_body import bodies
from greenline.verify.test_data import has_all
from greenline.verify.weakened_option import weakened_options

_BUILTINS = frozenset(dir(builtins))
_ENDS = re.compile(
    r"\b(?:return|todo|retries|retryTimes|retry(?=\s*:)|if|try|catch|[sS]kip\w*|\w*[mM]ock\w*|spyOn)\b"
    r"|\|\||//|/\*|(?:^|[;{]\s*)[\w.]+ = "
)
"""After what is put into a test in another language it may say less, though every word is still there."""
_HOOKS = frozenset(
    {
        "pytest_pyfunc_call",
        "pytest_runtest_protocol",
        "pytest_runtestloop",
        "pytest_runtest_call",
        "pytest_runtest_makereport",
        "pytest_runtest_logreport",
        "pytest_report_teststatus",
        "pytest_make_collect_report",
        "pytest_fixture_setup",
    }
)
"""Hooks of pytest's that can decide what any test comes to."""

_ITEM_HOOKS = frozenset(
    {
        "pytest_collection_modifyitems",
        "pytest_itemcollected",
        "pytest_pycollect_makeitem",
        "pytest_runtest_setup",
        "pytest_runtest_teardown",
        "pytest_sessionfinish",
    }
)
"""Hooks that get tests to see, and decide what one comes to where they swap what it runs."""
_SWAPS = re.compile(
    r"attr='(?:_?obj|runtest|function|_testfunc|exitstatus|testsfailed|__\w+__)', ctx=Store|id='setattr'"
    r"|attr='xfail'|value='xfail'|arg='callobj'|attr='__dict__'"
)
"""What swaps it, in the dump of a function."""


@attrs.frozen
class Loosened:
    """What a patch to test files may have loosened."""

    places: frozenset[tuple[str, str]] = frozenset()
    """File and qualified name of tests that were there before."""
    hooks: frozenset[str] = frozenset()
    """`FILE: HOOK` of functions that were added or changed and can decide any test's outcome."""


def loosened(base: Tree, patched: Tree, paths: Iterable[str], test_files: Iterable[str]) -> Loosened:
    """Return what a patch to `paths`, none of them product code, may have loosened in `test_files`."""
    changed = set(paths)
    files = {p: (SuiteFile.of(base, p), SuiteFile.of(patched, p)) for p in changed if p.endswith(".py")}
    texts = [base[p].content for p in {*test_files, *files} if p in base and p.endswith(".py")]
    is_used = cache(lambda name: any(name.encode() in text for text in texts))
    names = {path: _changed_names(old, new, is_used) for path, (old, new) in files.items()}
    for path, (old, new) in files.items():
        names[path] |= _marked(old, new, patched)
    names = {path: found - _grown(patched, path, found, *files[path]) for path, found in names.items()}
    names = {path: found - handed_up(patched, path, found, *files[path]) for path, found in names.items()}
    # A module of tests is used by itself alone; what others share is found by its name.
    data = _lessened(base, patched, changed)
    shared = displaced(base, patched, changed) | {path.rpartition("/")[2] for path in data}
    shared |= _walked_elsewhere(patched, data)
    if any(_replaces(patched, path) - _replaces(base, path) for path in files):
        shared |= {EVERYTHING}
    if any(set_for_all(patched, path) - set_for_all(base, path) for path in files):
        shared |= {EVERYTHING}
    # What a `conftest.py` gives is given to its folder alone.
    below: dict[str, frozenset[str]] = {}
    for path, found in names.items():
        old, new = files[path]
        # One that is taken away, or has another name by now, was still a module of tests.
        is_module = new.tests or (old.tests and path not in patched)
        if not is_module and path.endswith("/conftest.py"):
            below[path.removesuffix("conftest.py")] = found
        elif not is_module:
            shared |= found
    labels = labels_of(patched) if any(p in patched for p in files) else frozenset[str]()
    places: set[tuple[str, str]] = set()
    for path in {*test_files, *changed}:
        if path.endswith((*JAVASCRIPT, *GO)):
            if path in changed:
                places.update((path, name) for name in _loosened_texts(base, patched, path))
            if path in changed and path.endswith(JAVASCRIPT):
                places.update((path, name) for name in rewired(base, patched, path, changed))
            if path in base and walkers(path, _text(patched, path), data):
                places.update((path, name) for name in bodies(path, _text(base, path)))
        elif path in files or ((shared or data or below) and path.endswith(".py")):
            old, new = files.get(path) or (SuiteFile.of(base, path), SuiteFile.of(patched, path))
            walked = walkers(path, _text(patched, path), data)
            given = [found for folder, found in below.items() if path.startswith(folder)]
            touched = new.closed(names.get(path, frozenset()).union(shared, walked, *given))
            places.update((path, name) for name in _loosened_tests(old, new, touched, labels))
    places.update(loosened_in_java(base, patched, changed, test_files, data))
    hooks = {f"{path}: {hook}" for path, (old, new) in files.items() for hook in _hooks(old, new)}
    hooks |= {f"{path}: {what}" for path in files for what in deciding(base, patched, path)}
    hooks |= {*weakened_options(base, patched), *redirected(base, patched, changed)}
    hooks |= {*hooks_in_java(base, patched, changed)}
    hooks |= {
        f"{path}: TestMain" for path in changed if path.endswith(GO) and _changes_main(base, patched, path)
    }
    return Loosened(frozenset(places), frozenset(hooks))


def _lessened(base: Tree, patched: Tree, paths: set[str]) -> frozenset[str]:
    """Return the files of data that have not all that they had."""
    data = [p for p in paths if p in base and not p.endswith((".py", *JAVASCRIPT, *GO, *JAVA))]
    return frozenset(
        path for path in data if path not in patched or not has_all(base[path].content, patched[path].content)
    )


def _walked_elsewhere(patched: Tree, data: frozenset[str]) -> frozenset[str]:
    """Return the names by which a `conftest.py` hands on the cases of a folder with such a file."""
    found: set[str] = set()
    for path in patched if data else ():
        if path.rpartition("/")[2] == "conftest.py" and (calls := walkers(path, _text(patched, path), data)):
            file = SuiteFile.of(patched, path)
            found |= file.closed(calls) - calls
            if "pytest_generate_tests" in found:
                found |= file.used["pytest_generate_tests"] - calls
    return frozenset(found)


def _text(tree: Tree, path: str) -> str:
    return tree[path].content.decode("utf-8", "replace") if path in tree else ""


def _replaces(tree: Tree, path: str) -> frozenset[str]:
    """Return what of the standard library or a runner a file replaces by being imported."""
    try:
        module = parse_python(tree[path].content if path in tree else b"")
        module.body = [s for s in module.body if not isinstance(s, Function | ast.ClassDef)]
        return frozenset(what for what, _ in reaches(module) if what.startswith("replaces"))
    except (SyntaxError, RecursionError):
        return frozenset()


def _loosened_tests(
    old: SuiteFile, new: SuiteFile, touched: frozenset[str], labels: frozenset[str]
) -> Iterator[str]:
    for name, test in new.tests.items():
        before = old.tests.get(name)
        if before is None:
            continue
        named = without_labels(before, test, labels)
        if new.uses(name) & touched or not _says_as_much(before, named, new.opaque):
            yield name


def _marked(old: SuiteFile, new: SuiteFile, patched: Tree) -> frozenset[str]:
    """Return what stands for every test where a file marks all of its tests otherwise than before."""
    before, after = (file.nodes.get("pytestmark", ()) for file in (old, new))
    if old.bound.get("pytestmark") == new.bound.get("pytestmark"):
        return frozenset()
    return frozenset({EVERYTHING}) if marks_weaken(before, after, labels_of(patched)) else frozenset()


def _hooks(old: SuiteFile, new: SuiteFile) -> Iterator[str]:
    for name in sorted(_HOOKS & new.functions.keys()):
        if new.functions[name] != old.functions.get(name):
            yield name
    fresh = [f for n, dumps in new.functions.items() if dumps != old.functions.get(n) for f in dumps]
    if any(_SWAPS.search(dump) for dump in fresh):
        yield from sorted(_ITEM_HOOKS & new.functions.keys())


def _changes_main(base: Tree, patched: Tree, path: str) -> bool:
    """Return whether a file's `TestMain`, which runs all tests of a Go package, is new or another."""
    before, after = (bodies(path, _text(tree, path)).get("TestMain") for tree in (base, patched))
    return after is not None and after != before


def _adds_to_class(old: SuiteFile, new: SuiteFile, name: str, used: frozenset[str]) -> bool:
    """Return whether a class of tests only has more in it that its tests did not use."""
    left = [ast.dump(node) for node in old.nodes.get(name, ()) if not is_prose(node)]
    for node in new.nodes.get(name, ()):
        if left and ast.dump(node) == left[0]:
            del left[0]
        elif not _is_idle(node, used):
            return False
    return not left


def _is_idle(node: ast.AST, used: frozenset[str]) -> bool:
    """Return whether a statement in a class is of no effect where nobody uses what it binds."""
    if isinstance(node, ast.Assign):
        return all(isinstance(t, ast.Name) and _is_unused(t.id, used) for t in node.targets)
    if isinstance(node, ast.Pass) or is_prose(node):
        return True
    return isinstance(node, Function) and _is_unused(node.name, used) and not is_autouse(node)


def _is_unused(name: str, used: frozenset[str]) -> bool:
    return name not in used and not name.startswith(
        ("__", "setup", "setUp", "teardown", "tearDown", "pytest")
    )


def _changed_names(old: SuiteFile, new: SuiteFile, is_used: Callable[[str], bool]) -> frozenset[str]:
    """Return the names that mean another thing than before; a new one counts only where it was used."""
    before = old.every_use()
    found = set()
    for name in old.bound.keys() | new.bound.keys():
        if old.bound.get(name) == new.bound.get(name):
            continue
        if name.endswith(".") and any(test.startswith(name) for test in old.tests):
            if not _adds_to_class(old, new, name, before):
                found.add(name)
            continue
        before_it, after_it = old.nodes.get(name, ()), new.nodes.get(name, ())
        if len(before_it) == len(after_it) == 1 and _does_the_same(before_it[0], after_it[0], is_used):
            continue
        is_new = name not in old.bound
        if not is_new or name in before or name in _BUILTINS or name == EVERYTHING:
            found.add(name)
    return frozenset(found)


def _does_the_same(old: ast.AST, new: ast.AST, is_used: Callable[[str], bool]) -> bool:
    """Return whether a helper does the same for all who called it before."""
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
        return has_more_methods(old, new, is_used)
    return isinstance(old, Function) and isinstance(new, Function) and is_same_by_default(old, new)


def _grown(patched: Tree, path: str, names: frozenset[str], old: SuiteFile, new: SuiteFile) -> frozenset[str]:
    """Return those of changed names that are tables with more rows, which all who read them walk."""
    grown = {name: _longer_tables(old, new, name) for name in names if name != EVERYTHING}
    if not any(grown.values()):
        return frozenset()
    # Who imports from a package does not write `__init__`, and within it not even its name.
    module, within = path.removesuffix("/__init__.py"), path.removesuffix("__init__.py")
    name = module.rpartition("/")[2].removesuffix(".py").encode()
    readers = [path]
    for reader, file in patched.items():
        is_within = within not in ("", path) and reader.startswith(within)
        if reader.endswith(".py") and (is_within or name in file.content):
            readers.append(reader)
    opaque = frozenset[str]().union(*(SuiteFile.of(patched, reader).opaque for reader in readers))
    return frozenset(name for name, tables in grown.items() if tables and not tables & opaque)


def _longer_tables(old: SuiteFile, new: SuiteFile, name: str) -> frozenset[str]:
    """Return the tables with more rows among what binds a name; nothing where something else changed too."""
    before, after = old.nodes.get(name, ()), new.nodes.get(name, ())
    if len(before) != len(after):
        return frozenset()
    tables = set()
    for one, other in zip(before, after, strict=True):
        if ast.dump(one) != ast.dump(other):
            tables.add(longer_table(one, other))
    return frozenset() if None in tables else frozenset(table for table in tables if table)


def _says_as_much(old: Function, new: Function, opaque: frozenset[str]) -> bool:
    """Return whether a test still says all that it said."""
    if type(old) is not type(new):
        return False
    if any(_says_as_much(old, row, opaque) for row in unrolled(old, new)):
        return True
    if ast.dump(old.args) != ast.dump(new.args):
        return False
    if len(old.decorator_list) != len(new.decorator_list):
        return False
    if not all(map(_asks_as_much, old.decorator_list, new.decorator_list)):
        return False
    n_set = _n_set(*old.decorator_list, *old.body)
    left = [*old.body]
    said: list[ast.AST] = [*new.decorator_list]
    for statement in new.body:
        if not left:
            break
        if is_longer(left[0], statement, opaque) or is_stricter(left[0], statement):
            del left[0]
        elif not isinstance(statement, ast.Assert):
            return False
        said.append(statement)
    if _n_set(*said) > n_set:
        return False
    return not left and _yields(new) == _yields(old)


def _n_set(*nodes: ast.AST) -> int:
    """Return how many expressions give a name or an attribute another value, as an assertion or a row can."""
    return sum(
        isinstance(inner, ast.NamedExpr)
        or (isinstance(inner, ast.Call) and called(inner) in ("setattr", "delattr", "exec"))
        for node in nodes
        for inner in ast.walk(node)
    )


def _asks_as_much(old: ast.expr, new: ast.expr) -> bool:
    """Return whether a decorator is the same, or has more parameters than it had."""
    if ast.dump(old) == ast.dump(new):
        return True
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return False
    if ast.dump(old.func) != ast.dump(new.func) or len(old.args) != len(new.args):
        return False
    has_more = is_grown if called(new) in BY_ROW else _is_same
    before = {keyword.arg: keyword.value for keyword in old.keywords}
    after = {keyword.arg: keyword.value for keyword in new.keywords}
    if called(new) == "parametrize" and _are_labels(after.get("ids")):
        # What a case is called says nothing.
        before["ids"] = after["ids"]
    pairs = [(value, after.get(name)) for name, value in before.items()]
    same = before.keys() == after.keys() and all(other and has_more(one, other) for one, other in pairs)
    return same and all(
        _has_all(one, other) or has_more(one, other) for one, other in zip(old.args, new.args, strict=True)
    )


def _are_labels(value: ast.expr | None) -> bool:
    return isinstance(value, ast.List | ast.Tuple) and all(isinstance(e, ast.Constant) for e in value.elts)


def _is_same(old: ast.expr, new: ast.expr) -> bool:
    return ast.dump(old) == ast.dump(new)


def _has_all(old: ast.expr, new: ast.expr) -> bool:
    """Return whether parameters are the same or more, in any order."""
    if isinstance(old, ast.List | ast.Tuple) and isinstance(new, ast.List | ast.Tuple):
        left = [ast.dump(item) for item in new.elts]
        return all(ast.dump(item) in left for item in old.elts)
    return _is_same(old, new)


def _yields(test: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(test))


def _loosened_texts(base: Tree, patched: Tree, path: str) -> Iterator[str]:
    """Yield the tests of a file in another language that are not the same with words put in."""
    if path not in base or path not in patched:
        return
    old, new = (bodies(path, _text(tree, path)) for tree in (base, patched))
    for name in old.keys() & new.keys() - {""}:
        is_longer = _is_longer(old[name].split(), new[name].split())
        if not is_longer and not has_more_rows(old[name], new[name]):
            yield name


def _is_longer(old: list[str], new: list[str]) -> bool:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag not in ("equal", "insert") or (tag == "insert" and _ENDS.search(" ".join(new[start:end]))):
            return False
    return True
