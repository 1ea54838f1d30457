"""Which tests a patch adds, changes, renames or takes away, from the tests' own source; pure."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

import attrs

from greenline.core.evidence import TestReport, TestResult
from greenline.core.port import Tree
from greenline.verify.aware import aware
from greenline.verify.brought import leaning
from greenline.verify.example import ExampleChange, example_change
from greenline.verify.familiar import familiar
from greenline.verify.gone import gone
from greenline.verify.loosened import loosened
from greenline.verify.measure import measured_by_product
from greenline.verify.own_assertion import own_assertions
from greenline.verify.path_rule import PathRule
from greenline.verify.script_option import weakened_scripts
from greenline.verify.test_function import Place, functions, place
from greenline.verify.uncompared import uncompared


@attrs.frozen
class TestChange:
    """What a patch does to the tests."""

    __test__ = False

    changed: frozenset[str] = frozenset()
    """Ids in P whose own code, or the support or configuration they run under, was added or changed."""
    hidden: frozenset[str] = frozenset()
    """Ids of B that are missing in P though their code is still there: no longer collected."""
    removed: frozenset[str] = frozenset()
    """Ids of B that are missing in P, with nothing like them in P: not even renamed."""
    heirs: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    """Any other id of B that is missing in P → ids in P that came in its place."""
    loosened: frozenset[str] = frozenset()
    """Ids in P of tests that were there before, and are changed so that they could say less."""
    leaning: frozenset[str] = frozenset()
    """Ids in P of these and of new tests that now use what the product code of the patch brings."""
    hooks: frozenset[str] = frozenset()
    """`FILE: HOOK` of what was added or changed and can decide any test's outcome."""
    aware: frozenset[str] = frozenset()
    """`FILE:LINE: WHAT` of product code that was added and asks whether it is tested."""
    rewritten: frozenset[str] = frozenset()
    """Ids in P whose own function was added or changed, or may have been where it cannot be told."""
    measured: Mapping[str, str] = attrs.field(factory=dict)
    """Id of a test that fails in B on a comparison → the product's constant by which it is looser in P."""
    asserted: Mapping[str, str] = attrs.field(factory=dict)
    """Id of a test in P → the assertion of the product's own by which it says less than before."""
    support: bool = False
    """Whether what tests run under was changed: configuration, or support such as a `conftest.py`."""
    examples: ExampleChange = attrs.field(factory=ExampleChange)
    """What the patch does to the examples in documentation that are tests."""


NOTHING = TestChange()
_MODULE = re.compile(r"_test\.(?:py|go)$|[.\-_](?:test|spec)\.[cm]?[jt]sx?$|(?:Tests?|TestCase|IT)\.java$")


def compare(base: Tree, patched: Tree, rule: PathRule, before: TestReport, after: TestReport) -> TestChange:
    """Return what the patch does to the tests that B (`before`) and P (`after`) report."""
    every = {path for path in {*base, *patched} if base.get(path) != patched.get(path)}
    paths = {path for path in every if not rule.is_product(path)}
    asking = aware(base, patched, every - paths)
    asking |= {*uncompared(base, patched, every - paths)}
    # What is nested deeper than a rule goes says nothing, as a file that cannot be read.
    with contextlib.suppress(RecursionError):
        asking |= {*familiar(base, patched, every - paths, rule.is_product)}
    examples = example_change(base, patched, every, before, after)
    away = gone(base, patched, paths, before, after, examples.renamed)
    measured = measured_by_product(base, patched, every - paths, before)
    asserted: Mapping[str, str] = {}
    with contextlib.suppress(RecursionError):
        asserted = own_assertions(base, patched, every - paths, after)
    if not paths:
        return TestChange(
            hidden=away.hidden,
            heirs=away.heirs,
            aware=asking,
            examples=examples,
            measured=measured,
            asserted=asserted,
        )
    old = {path: functions(base, path) for path in paths}
    new = {path: functions(patched, path) for path in paths}
    elsewhere = _elsewhere(base, patched, paths)
    found = loosened(base, patched, paths, {place(test)[0] for test in after.tests})
    added = {(path, name) for path in paths for name in new[path].keys() - old[path].keys() if name}
    known = {test.id for test in before.tests}
    needing = leaning(base, patched, paths, every - paths, found.places | added)
    return TestChange(
        changed=frozenset(
            t.id
            for t in after.tests
            if place(t)[0] not in elsewhere
            and not _moved(t, old, new)
            and _changed(t, paths - elsewhere, rule, old, new)
        ),
        hidden=away.hidden,
        removed=away.removed,
        heirs=away.heirs,
        loosened=frozenset(t.id for t in after.tests if _in(t, found.places, known)),
        leaning=frozenset(t.id for t in after.tests if place(t) in needing),
        hooks=found.hooks | {*weakened_scripts(base, patched, paths, rule.is_product)},
        aware=asking,
        examples=examples,
        measured=measured,
        asserted=asserted,
        rewritten=frozenset(t.id for t in after.tests if _rewritten(t, old, new)),
        support=any(rule.is_configuration(path) or not _is_module(path) for path in paths),
    )


def _in(test: TestResult, places: frozenset[Place], known: set[str]) -> bool:
    """Return whether a test is at one of the places, or was one of a file's without a name in its text."""
    where = place(test)
    return where in places or ((where[0], "") in places and test.id in known)


def _elsewhere(base: Tree, patched: Tree, paths: set[str]) -> set[str]:
    """Return the files that only have another name than before, under both names."""
    new = paths - base.keys()
    gone = {path for path in paths if path not in patched}
    contents = {patched[path].content for path in new} & {base[path].content for path in gone}
    here = {path for path in new if patched[path].content in contents}
    return here | {path for path in gone if base[path].content in contents}


def _moved(
    test: TestResult, old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> bool:
    """Return whether a test only has another name in its file than it had before."""
    path, name = place(test)
    before, after = old.get(path, {}), new.get(path, {})
    gone = (body for was, body in before.items() if was not in after)
    return name in after and name not in before and before.get("") == after.get("") and after[name] in gone


def _rewritten(
    test: TestResult, old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> bool:
    path, name = place(test)
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
    return name.startswith(("test", "Test")) or _MODULE.search(name) is not None


def _changed(
    test: TestResult,
    paths: set[str],
    rule: PathRule,
    old: Mapping[str, Mapping[str, str]],
    new: Mapping[str, Mapping[str, str]],
) -> bool:
    path, name = place(test)
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
