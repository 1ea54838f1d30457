"""`greenline plan`: plan a change and print the plan; nothing is edited."""

from __future__ import annotations

import argparse
import json

from greenline.cli.console import root_of, say, warn
from greenline.cli.stop import stoppable
from greenline.core.error import InvalidInput
from greenline.core.task import Plan, Task
from greenline.core.wire import to_json


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, or the questions that must be answered first (exit 1)."""
    from greenline.app import make_agent, open_journal
    from greenline.config.settings import load_settings
    from greenline.workspace.snapshot import Snapshot

    root = root_of(arguments.root)
    task = task_of(arguments.request, root)
    settings = load_settings()
    warn(settings.warnings)
    agent = make_agent(settings, open_journal(root))
    with stoppable() as cancellation:
        planned = agent.plan(task, Snapshot((root,)), cancellation)
    if arguments.json:
        print(json.dumps(to_json(planned)))
        return 0 if planned.plan else 1
    if planned.plan is None:
        for question in planned.questions:
            say(f"? {question.text}")
        return 1
    print_plan(planned.plan)
    say(f"run {planned.run_id}")
    return 0


def task_of(request: str, root: str) -> Task:
    """Return a task; raises `InvalidInput` for an empty request."""
    if not request.strip():
        raise InvalidInput(
            "The request is empty.",
            remedy='Say in words what to change, such as "make the failing tests pass".',
        )
    return Task(request.strip(), (root,))


def print_plan(plan: Plan) -> None:
    """Print a plan for people."""
    for entry in plan.entries:
        say(f"  {entry.number}. {entry.intent}")
        for check in entry.checks:
            say(f"       check: {check}")
    if plan.risk:
        say(f"  risk: {plan.risk}")
    if plan.score is not None:
        say(f"  score: {plan.score} of 10")
    for remark in plan.remarks:
        say(f"  critic: {remark}")
