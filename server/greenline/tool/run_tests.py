"""`run_tests`: the project's tests over the staged copy, in the sandbox; answered by the runner's report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.evidence import Outcome, RunEnd
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.verify.tree import apply

_MAX_FAILURES = 10


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    tests = tuple(str(test) for test in arguments.get("tests", ()))
    tree = apply(context.root, context.tree(), context.staging.edit_set())
    report = context.verifier.run_tests(context.root, tree, tests, context.label, context.cancellation)
    counts = ", ".join(f"{report.count(o)} {o.value}" for o in Outcome if report.count(o))
    head = f"{report.runner or 'no runner'}: {counts or 'no tests ran'}"
    if report.end is not RunEnd.COMPLETE:
        head += f"\nThe run did not complete ({report.end.value}): {report.detail}"
    bad = [test for test in report.tests if test.outcome in (Outcome.FAILED, Outcome.ERROR)]
    parts = [f"{test.id}: {test.outcome.value}\n{test.message}" for test in bad[:_MAX_FAILURES]]
    if len(bad) > _MAX_FAILURES:
        parts.append(f"… and {len(bad) - _MAX_FAILURES} more")
    return bounded("\n\n".join([head, *parts]))


TOOL = Tool(
    spec(
        "run_tests",
        "Run tests over the staged copy in the sandbox, all of them or some, and see what fails and why.",
        tests=("array", "Test ids or files; all tests if left out."),
    ),
    "execute",
    _run,
)
