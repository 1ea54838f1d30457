"""Turns a request into a plan, or into the questions that must be answered first."""

from __future__ import annotations

import json
from typing import Any

import attrs

from greenline.agent.control import RunControl
from greenline.agent.dialogue import Dialogue, data
from greenline.agent.executor import CUT_OFF, Calls
from greenline.agent.follow_up import describe_refused
from greenline.agent.limits import CallCounter
from greenline.agent.prompts import prompt
from greenline.agent.record import Recorder
from greenline.agent.services import ToolSession
from greenline.core.agent_port import Question
from greenline.core.error import ModelFailed
from greenline.core.ids import new_id
from greenline.core.port import Completion, ToolSpec
from greenline.core.task import Plan, PlanEntry, RunState, Task
from greenline.tool.place import root_names

_STRINGS = {"type": "array", "items": {"type": "string"}}
SUBMIT_PLAN = ToolSpec(
    "submit_plan",
    "Hand in the plan: entries in the order of work, and the risk in one sentence.",
    {
        "type": "object",
        "properties": {
            "entries": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "intent": {"type": "string", "description": "The step in one sentence."},
                        "files": _STRINGS | {"description": "Files that it touches."},
                        "checks": _STRINGS | {"description": "Ids of tests that must pass afterwards."},
                    },
                    "required": ["intent"],
                },
            },
            "risk": {"type": "string"},
        },
        "required": ["entries"],
    },
)
ASK_USER = ToolSpec(
    "ask_user",
    "Ask the user what only they can decide.",
    {
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "options": _STRINGS},
                    "required": ["text"],
                },
            }
        },
        "required": ["questions"],
    },
)
_NUDGE = "Call `submit_plan` with the plan, or `ask_user` where you cannot plan without an answer."
_MAX_NUDGES = 2
_OWN = {SUBMIT_PLAN.name, ASK_USER.name}


@attrs.frozen
class Draft:
    """What the model handed in: entries, or questions."""

    entries: tuple[PlanEntry, ...] = ()
    risk: str = ""
    questions: tuple[Question, ...] = ()


def describe(task: Task) -> str:
    """Return the task as the first message of a conversation."""
    names = root_names(task.roots)
    if len(names) == 1:
        where = f"The project is the folder {next(iter(names.values()))}; all paths are relative to it."
    else:
        where = (
            f"The workspace has {len(names)} roots: {', '.join(names.values())}. "
            "Every path, and the path in every test id, begins with the name of its root."
        )
    parts = [f"The request:\n{task.request}", where]
    if task.constraints:
        parts.append("Constraints:\n" + "\n".join(f"- {item}" for item in task.constraints))
    if refused := describe_refused(task):
        parts.append(refused)
    place = task.context.range
    if place is not None:
        lines = f"lines {place.start_line + 1} to {place.end_line + 1}"
        parts.append(f"The user points at {place.path}, {lines}.")
    if meant := [names[path] for path in task.context.files if path in names]:
        parts.append("The request is about these roots: " + ", ".join(meant))
    if files := [path for path in task.context.files if path not in names]:
        parts.append("The user names these files: " + ", ".join(files))
    if task.context.attachments:
        images = ", ".join(item.name for item in task.context.attachments)
        parts.append(f"The user attached images, which you see if you can see images: {images}")
    if task.context.diagnostics:
        parts.append(data("diagnostics", "\n".join(task.context.diagnostics)))
    return "\n\n".join(parts)


def describe_plan(plan: Plan) -> str:
    """Return a plan as text for a model."""
    lines = []
    for entry in plan.entries:
        lines.append(f"{entry.number}. {entry.intent}")
        if entry.files:
            lines.append(f"   files: {', '.join(entry.files)}")
        lines += [f"   check: {check}" for check in entry.checks]
    if plan.risk:
        lines.append(f"Risk: {plan.risk}")
    if plan.remarks:
        lines += ["A critic remarked on this plan:", *(f"- {remark}" for remark in plan.remarks)]
    return data("plan", "\n".join(lines))


def draft_plan(
    dialogue: Dialogue,
    first: str,
    session: ToolSession,
    control: RunControl,
    recorder: Recorder,
    max_same_calls: int,
) -> Draft:
    """Let the model read and then hand in a plan; raises `Stopped`, `ModelFailed`, `Cancelled`."""
    dialogue.begin(prompt("plan"), first)
    return continue_draft(dialogue, session, control, recorder, max_same_calls)


def continue_draft(
    dialogue: Dialogue, session: ToolSession, control: RunControl, recorder: Recorder, max_same_calls: int
) -> Draft:
    """Go on with a conversation that `draft_plan` began."""
    tools = (*session.specs(reading_only=True), SUBMIT_PLAN, ASK_USER)
    calls = Calls(dialogue, session, control, recorder, CallCounter(max_same_calls), state=RunState.PLANNING)
    nudges = 0
    while True:
        calls.hold()
        completion = dialogue.next(tools, control.cancellation)
        draft = _handed_in(completion, dialogue)
        if draft is not None:
            return draft
        calls.run([r for r in completion.message.tool_requests if r.name not in _OWN])
        if calls.was_cut_off(completion):
            dialogue.tell(CUT_OFF)
            continue
        if completion.message.tool_requests:
            continue
        nudges += 1
        if nudges > _MAX_NUDGES:
            raise ModelFailed(
                "The model handed in no plan.", remedy="Try again, or name a model that can call tools."
            )
        dialogue.tell(_NUDGE)


def _handed_in(completion: Completion, dialogue: Dialogue) -> Draft | None:
    """Return the draft in an answer, after replying to every call of our own tools."""
    found = None
    for request in completion.message.tool_requests:
        if request.name not in _OWN:
            continue
        if request.problem:
            dialogue.reply(request, request.problem)
            continue
        try:
            found = found or _parse(request.name, request.arguments)
            dialogue.reply(request, "Taken.")
        except (KeyError, TypeError, ValueError) as error:
            dialogue.reply(request, f"This is not in the form that {request.name} asks for: {error!r}.")
    if found is None and not completion.message.tool_requests:
        return _from_text(completion.message.content)
    return found


def _from_text(text: str) -> Draft | None:
    """Read a plan that a model without tool calls wrote as JSON."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1])
        return _parse(ASK_USER.name if "questions" in value else SUBMIT_PLAN.name, value)
    except (KeyError, TypeError, ValueError):
        return None


def _parse(name: str, arguments: dict[str, Any]) -> Draft:
    if name == ASK_USER.name:
        questions = tuple(
            Question(new_id("q"), str(item["text"]), tuple(map(str, item.get("options") or ())))
            for item in arguments["questions"]
        )
        if not questions:
            raise ValueError("questions is empty")
        return Draft(questions=questions)
    entries = tuple(
        PlanEntry(
            number,
            str(item["intent"]),
            tuple(map(str, item.get("files") or ())),
            tuple(map(str, item.get("checks") or ())),
        )
        for number, item in enumerate(arguments["entries"], start=1)
    )
    if not entries:
        raise ValueError("entries is empty")
    return Draft(entries, str(arguments.get("risk") or ""))
