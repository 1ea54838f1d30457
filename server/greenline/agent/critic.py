"""Lets a model judge a plan before anybody works on it."""

from __future__ import annotations

import attrs

from greenline.agent.dialogue import Dialogue
from greenline.agent.planner import describe, describe_plan
from greenline.agent.prompts import prompt
from greenline.core.cancel import Cancellation
from greenline.core.port import ToolSpec
from greenline.core.task import Plan, Task

GOOD_ENOUGH = 7
SUBMIT_SCORE = ToolSpec(
    "submit_score",
    "Hand in the judgement.",
    {
        "type": "object",
        "properties": {
            "score": {"type": "integer", "minimum": 1, "maximum": 10},
            "problems": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["score"],
    },
)


@attrs.frozen
class Judgement:
    """What the critic thinks of a plan."""

    score: int | None
    """1–10; None where the critic handed in nothing usable."""
    problems: tuple[str, ...] = ()

    @property
    def is_good_enough(self) -> bool:
        """Whether the plan can be worked on; a plan that nobody judged can."""
        return self.score is None or self.score >= GOOD_ENOUGH


def judge(dialogue: Dialogue, task: Task, plan: Plan, cancellation: Cancellation) -> Judgement:
    """Ask for a score; an unusable answer is no score rather than a failed run."""
    dialogue.begin(prompt("critic"), f"{describe(task)}\n\nThe plan:\n{describe_plan(plan)}")
    completion = dialogue.next((SUBMIT_SCORE,), cancellation)
    for request in completion.message.tool_requests:
        if request.name != SUBMIT_SCORE.name:
            continue
        score = request.arguments.get("score")
        problems = request.arguments.get("problems") or ()
        if isinstance(score, int) and 1 <= score <= 10 and isinstance(problems, list | tuple):
            return Judgement(score, tuple(map(str, problems)))
    return Judgement(None)
