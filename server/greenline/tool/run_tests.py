"""`run_tests`: the project's tests over the staged copy, in the sandbox; answered by the runner's report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.evidence import Outcome, RunEnd
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.place import shown
from greenline.verify.tree import apply

_MAX_FAILURES = 10


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    wanted = _by_root(tuple(str(test) for test in arguments.get("tests", ())), context)
    return bounded("\n\n".join(_run_root(root, tests, context) for root, tests in wanted.items()))


def _by_root(tests: tuple[str, ...], context: ToolContext) -> dict[str, tuple[str, ...]]:
    """Return root → ids as its runner knows them; every root with no ids where none are given."""
    if not tests or len(context.roots) == 1:
        return dict.fromkeys(context.roots, tests)
    found: dict[str, tuple[str, ...]] = {}
    for test in tests:
        file, mark, rest = test.partition("::")
        located = context.snapshot.locate(context.absolute(file))
        found[located.root] = (*found.get(located.root, ()), located.relative + mark + rest)
    return found


def _run_root(root: str, tests: tuple[str, ...], context: ToolContext) -> str:
    tree = apply(root, context.tree(root), context.changes_in(root))
    report = context.verifier.run_tests(root, tree, tests, context.label, context.cancellation)
    counts = ", ".join(f"{report.count(o)} {o.value}" for o in Outcome if report.count(o))
    head = f"{report.runner or 'no runner'}: {counts or 'no tests ran'}"
    if len(context.roots) > 1:
        head = f"{shown(root, '.', context.roots)}: {head}"
    if report.end is not RunEnd.COMPLETE:
        head += f"\nThe run did not complete ({report.end.value}): {report.detail}"
    bad = [test for test in report.tests if test.outcome in (Outcome.FAILED, Outcome.ERROR)]
    parts = [
        f"{shown(root, test.id, context.roots)}: {test.outcome.value}\n{test.message}"
        for test in bad[:_MAX_FAILURES]
    ]
    if len(bad) > _MAX_FAILURES:
        parts.append(f"… and {len(bad) - _MAX_FAILURES} more")
    return "\n\n".join([head, *parts])


TOOL = Tool(
    spec(
        "run_tests",
        "Run tests over the staged copy in the sandbox, all of them or some, and see what fails and why.",
        tests=("array", "Test ids or files; all tests if left out."),
    ),
    "execute",
    _run,
)
