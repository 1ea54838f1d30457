"""Which tests a patch adds, changes, renames or takes away, from the tests' own source; pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

import attrs

from greenline.core.evidence import TestReport, TestResult
from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.aware import aware
from greenline.verify.example import ExampleChange, example_change
from greenline.verify.loosened import loosened
from greenline.verify.path_rule import PathRule
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.test_body import bodies


@attrs.frozen
class TestChange:
    """What a patch does to the tests."""

    __test__ = False

    changed: frozenset[str] = frozenset()
    """Ids in P whose own code, or the support or configuration they run under, was added or changed."""
    hidden: frozenset[str] = frozenset()
    """Ids that passed in B and are missing in P though their code is still there: no longer collected."""
    removed: frozenset[str] = frozenset()
    """Ids that passed in B and are missing in P, with nothing like them in P: not even renamed."""
    loosened: frozenset[str] = frozenset()
    """Ids in P of tests that were there before, and are changed so that they could say less."""
    hooks: frozenset[str] = frozenset()
    """`FILE: HOOK` of what was added or changed and can decide any test's outcome."""
    aware: frozenset[str] = frozenset()
    """`FILE:LINE: WHAT` of product code that was added and asks whether it is tested."""
    rewritten: frozenset[str] = frozenset()
    """Ids in P whose own function was added or changed, or may have been where it cannot be told."""
    support: bool = False
    """Whether what tests run under was changed: configuration, or support such as a `conftest.py`."""
    examples: ExampleChange = attrs.field(factory=ExampleChange)
    """What the patch does to the examples in documentation that are tests."""


NOTHING = TestChange()
_MODULE = re.compile(r"_test\.(?:py|go)$|[.\-_](?:test|spec)\.[cm]?[jt]sx?$")


def compare(base: Tree, patched: Tree, rule: PathRule, before: TestReport, after: TestReport) -> TestChange:
    """Return what the patch does to the tests that B (`before`) and P (`after`) report."""
    every = {path for path in {*base, *patched} if base.get(path) != patched.get(path)}
    paths = {path for path in every if not rule.is_product(path)}
    asking = aware(base, patched, every - paths)
    examples = example_change(base, patched, every, before, after)
    if not paths:
        return TestChange(aware=asking, examples=examples)
    old = {path: _functions(base, path) for path in paths}
    new = {path: _functions(patched, path) for path in paths}
    present = {test.id for test in after.tests}
    missing = {t.id: t for t in before.tests if t.id not in present}
    added = [body for path in paths for name, body in new[path].items() if name and name not in old[path]]
    n_before, n_after = _count(before.tests), _count(after.tests)
    hidden, removed = set(), set()
    for test in missing.values():
        path, name = _place(test)
        there = path in patched if path not in new else name in new[path]
        if there and not n_after.get((path, name)):
            hidden.add(test.id)
        elif there and n_after.get((path, name), 0) >= n_before.get((path, name), 0):
            continue
        elif there or not _renamed(old.get(path, {}).get(name), added):
            removed.add(test.id)
    elsewhere = _elsewhere(base, patched, paths)
    found = loosened(base, patched, paths, {_place(test)[0] for test in after.tests})
    return TestChange(
        changed=frozenset(
            t.id
            for t in after.tests
            if _place(t)[0] not in elsewhere
            and not _moved(t, old, new)
            and _changed(t, paths - elsewhere, rule, old, new)
        ),
        hidden=frozenset(hidden),
        removed=frozenset(removed),
        loosened=frozenset(t.id for t in after.tests if _place(t) in found.places),
        hooks=found.hooks,
        aware=asking,
        examples=examples,
        rewritten=frozenset(t.id for t in after.tests if _rewritten(t, old, new)),
        support=any(rule.is_configuration(path) or not _is_module(path) for path in paths),
    )


def _elsewhere(base: Tree, patched: Tree, paths: set[str]) -> set[str]:
    """Return the files that only have another name than before, under both names."""
    new = paths - base.keys()
    gone = {path for path in paths if path not in patched}
    contents = {patched[path].content for path in new} & {base[path].content for path in gone}
    here = {path for path in new if patched[path].content in contents}
    return here | {path for path in gone if base[path].content in contents}


def _count(tests: Iterable[TestResult]) -> dict[tuple[str, str], int]:
    """Return how many tests each function stands for: more than one where it has parameters."""
    counts: dict[tuple[str, str], int] = {}
    for test in tests:
        counts[_place(test)] = counts.get(_place(test), 0) + 1
    return counts


def _renamed(body: str | None, added: list[str]) -> bool:
    if body is None or body not in added:
        return False
    # One new function can only be the new name of one old one.
    added.remove(body)
    return True


def _moved(
    test: TestResult, old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> bool:
    """Return whether a test only has another name in its file than it had before."""
    path, name = _place(test)
    before, after = old.get(path, {}), new.get(path, {})
    gone = (body for was, body in before.items() if was not in after)
    return name in after and name not in before and before.get("") == after.get("") and after[name] in gone


def _rewritten(
    test: TestResult, old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> bool:
    path, name = _place(test)
    if path not in old:
        return False
    before, after = old[path], new[path]
    if name in before and name in after:
        return before[name] != after[name]
    # A test whose name is put together when it runs stands somewhere in the rest.
    return name in before or name in after or before.get("") != after.get("")


def _is_module(path: str) -> bool:
    """Return whether a file holds tests, and says nothing about those of its neighbours."""
    name = path.rpartition("/")[2]
    return name.startswith("test") or _MODULE.search(name) is not None


def _changed(
    test: TestResult,
    paths: set[str],
    rule: PathRule,
    old: Mapping[str, Mapping[str, str]],
    new: Mapping[str, Mapping[str, str]],
) -> bool:
    path, name = _place(test)
    if path in paths:
        before, after = old[path], new[path]
        if before.get(name) != after.get(name) or before.get("") != after.get(""):
            return True
    for support in paths - {path}:
        if rule.is_configuration(support):
            return True
        folder = support.rpartition("/")[0]
        if not _is_module(support) and (not folder or path.startswith(folder.split("/")[0] + "/")):
            return True
    return False


def _place(test: TestResult) -> tuple[str, str]:
    """Return the file and the qualified name of the function that a test runs."""
    head, separator, rest = test.id.partition("::")
    if separator:
        # The subtests of one of Go's functions are its parameters.
        inside = rest.split("[")[0].split("::")
        return head, ".".join(inside[:1] if head.endswith(GO) else inside)
    return test.file or "", ".".join(test.id.split(".")[-2:])


def _functions(tree: Tree, path: str) -> dict[str, str]:
    """Return qualified name → code without the name; the empty name holds all but tests and imports."""
    file = tree.get(path)
    if file is not None and path.endswith((*JAVASCRIPT, *GO)):
        return bodies(path, file.content.decode("utf-8", "replace"))
    if file is None or not path.endswith(".py"):
        return {} if file is None else {"": repr(file.content)}
    found: dict[str, str] = {}
    try:
        found[""] = _dump(_take(parse_python(file.content).body, "", found))
    except (SyntaxError, RecursionError):
        return {"": repr(file.content)}
    return found


def _take(body: list[ast.stmt], prefix: str, found: dict[str, str]) -> list[ast.AST]:
    """Move test functions into `found`; return the other statements."""
    rest: list[ast.AST] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            key = prefix + node.name
            node.name = "_"
            found[key] = _dump([node])
        elif isinstance(node, ast.ClassDef):
            inner = _take(node.body, f"{prefix}{node.name}.", found)
            # A class with other tests in it is still the same class.
            if any(key.startswith(f"{prefix}{node.name}.") for key in found):
                rest += [*node.decorator_list, *node.bases, *inner]
            else:
                rest.append(node)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            rest.append(node)
    return rest


def _dump(nodes: Iterable[ast.AST]) -> str:
    return "\n".join(ast.dump(node) for node in nodes)
