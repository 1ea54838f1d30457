"""Every message that the agent sends of itself, made from domain values. Pure.

`tests/golden/acp/` holds one example of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
from acp import PROTOCOL_VERSION
from acp.helpers import (
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
    update_user_message_text,
)
from acp.schema import (
    AgentCapabilities,
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    Implementation,
    InitializeResponse,
    PermissionOption,
    PlanEntry,
    PlanEntryStatus,
    PromptCapabilities,
    SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    ToolKind,
    UnstructuredCommandInput,
    UserMessageChunk,
)

import greenline
from greenline.core.agent_port import Question
from greenline.core.task import EntryStatus, Plan, Run

Update = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | AgentPlanUpdate
    | ToolCallStart
    | ToolCallProgress
    | AvailableCommandsUpdate
)
COMMANDS = {
    "fix": ("Make the failing tests pass", "tests to mend; all that fail where it is left out"),
    "review": ("Show again what waits for a decision", ""),
    "undo": ("Take the newest change back", ""),
    "resume": ("Take up the last run that was cut short", ""),
    "explain": ("Say what is known about a line", "file:line"),
}
"""Name → what it is for, and what may stand behind it."""
_STATUS: dict[EntryStatus, PlanEntryStatus] = {
    EntryStatus.PENDING: "pending",
    EntryStatus.IN_PROGRESS: "in_progress",
    EntryStatus.COMPLETED: "completed",
    EntryStatus.FAILED: "pending",
}
_KINDS: frozenset[ToolKind] = frozenset(
    ("read", "edit", "delete", "move", "search", "execute", "think", "fetch")
)


def greeting() -> InitializeResponse:
    """Return what the agent is and can do."""
    return InitializeResponse(
        protocol_version=PROTOCOL_VERSION,
        agent_info=Implementation(name="greenline", title="Greenline", version=greenline.__version__),
        agent_capabilities=AgentCapabilities(
            load_session=True,
            prompt_capabilities=PromptCapabilities(embedded_context=True),
            session_capabilities=SessionCapabilities(
                list=SessionListCapabilities(),
                resume=SessionResumeCapabilities(),
                additional_directories=SessionAdditionalDirectoriesCapabilities(),
            ),
        ),
        auth_methods=[],
    )


def session_info(session_id: str, runs: Sequence[Run]) -> SessionInfo:
    """Return one line of the list of sessions; it is named after what was asked first."""
    first = runs[0].task
    return SessionInfo(session_id=session_id, cwd=first.roots[0], title=first.request[:100])


def user_said(text: str) -> UserMessageChunk:
    """Return what the user said, for a session that is loaded."""
    return update_user_message_text(text)


def said(text: str) -> AgentMessageChunk:
    """Return a paragraph for the user."""
    return update_agent_message_text(f"{text}\n\n")


def thought(text: str) -> AgentThoughtChunk:
    """Return what the model said on its way."""
    return update_agent_thought_text(f"{text}\n\n")


def plan_update(plan: Plan, *, is_begun: bool) -> AgentPlanUpdate:
    """Return a plan; what is pending is in progress once its run has begun."""
    entries = []
    for entry in plan.entries:
        status = _STATUS[entry.status]
        if entry.status is EntryStatus.PENDING and is_begun:
            status = "in_progress"
        content = f"{entry.intent} (its checks fail)" if entry.status is EntryStatus.FAILED else entry.intent
        entries.append(PlanEntry(content=content, priority="medium", status=status))
    return AgentPlanUpdate(session_update="plan", entries=entries)


def commands_update() -> AvailableCommandsUpdate:
    """Return what can be said with a slash."""
    return AvailableCommandsUpdate(
        session_update="available_commands_update",
        available_commands=[
            AvailableCommand(
                name=name,
                description=description,
                input=AvailableCommandInput(UnstructuredCommandInput(hint=hint)) if hint else None,
            )
            for name, (description, hint) in COMMANDS.items()
        ],
    )


def tool_started(call_id: str, tool: str, kind: str, arguments: dict[str, Any]) -> ToolCallStart:
    """Return that the model calls a tool."""
    path = arguments.get("path")
    known: ToolKind = next((name for name in _KINDS if name == kind), "other")
    title = f"{tool} {path}" if isinstance(path, str) else tool
    return start_tool_call(call_id, title, kind=known, status="in_progress", raw_input=arguments)


def tool_ended(call_id: str, text: str, *, failed: bool) -> ToolCallProgress:
    """Return what a tool's call came to."""
    content = [tool_content(text_block(text))] if text else None
    return update_tool_call(call_id, status="failed" if failed else "completed", content=content)


def sandbox_started(call_id: str, text: str) -> ToolCallStart:
    """Return that something runs in the sandbox."""
    return start_tool_call(call_id, text, kind="execute", status="in_progress")


def sandbox_goes_on(call_id: str, text: str) -> ToolCallProgress:
    """Return what runs in the sandbox now."""
    return update_tool_call(call_id, title=text)


@attrs.frozen
class FileDiff:
    """What becomes of one file."""

    path: str
    line: int
    """First line that changes, 1-based."""
    old: str | None
    """None where the file is created."""
    new: str


def change_offered(call_id: str, title: str, diffs: Sequence[FileDiff], *, deletes: bool) -> ToolCallStart:
    """Return a change that waits for the user."""
    return start_tool_call(
        call_id,
        title,
        kind="delete" if deletes else "edit",
        status="pending",
        content=[tool_diff_content(diff.path, diff.new, diff.old) for diff in diffs],
        locations=[ToolCallLocation(path=diff.path, line=diff.line) for diff in diffs],
    )


def change_asked(offered: ToolCallStart) -> ToolCallUpdate:
    """Return a change as a request for permission shows it."""
    return ToolCallUpdate(
        tool_call_id=offered.tool_call_id,
        title=offered.title,
        kind=offered.kind,
        status=offered.status,
        content=offered.content,
        locations=offered.locations,
    )


def change_decided(call_id: str, words: str, *, accepted: bool) -> ToolCallProgress:
    """Return what became of a change; its diff stays where nothing needs to be said."""
    content = None if accepted else [tool_content(text_block(words))]
    return update_tool_call(call_id, status="completed" if accepted else "failed", content=content)


ACCEPT, ACCEPT_REST, REJECT, REJECT_REST = "accept", "acceptRest", "reject", "rejectRest"


def review_options(*, more: bool, may_accept_rest: bool) -> list[PermissionOption]:
    """Return the decisions about a change; those about all of the rest where there is more of it."""
    options = [
        PermissionOption(option_id=ACCEPT, name="Accept", kind="allow_once"),
        PermissionOption(option_id=REJECT, name="Reject", kind="reject_once"),
    ]
    if more and may_accept_rest:
        options.insert(
            1, PermissionOption(option_id=ACCEPT_REST, name="Accept all that remain", kind="allow_always")
        )
    if more:
        options.append(
            PermissionOption(option_id=REJECT_REST, name="Reject all that remain", kind="reject_always")
        )
    return options


_PERMISSIONS = (
    ("allowOnce", "Allow once", "allow_once"),
    ("allowAlways", "Allow always", "allow_always"),
    ("rejectOnce", "Reject once", "reject_once"),
    ("rejectAlways", "Reject always", "reject_always"),
)


def question_asked(run_id: str, question: Question) -> ToolCallUpdate:
    """Return a question of a run as a request for permission shows it."""
    kind: ToolKind = "execute" if question.kind == "permission" else "think"
    return ToolCallUpdate(
        tool_call_id=f"{run_id}/{question.id}", title=question.text, kind=kind, status="pending"
    )


def question_options(question: Question) -> list[PermissionOption]:
    """Return the answers to choose from: the four of `agent/respond`, or those of the question."""
    if question.kind == "permission":
        return [PermissionOption(option_id=i, name=n, kind=k) for i, n, k in _PERMISSIONS]  # type: ignore[arg-type]
    return [PermissionOption(option_id=text, name=text, kind="allow_once") for text in question.options]


def session_infos(by_session: Iterable[tuple[str, Sequence[Run]]]) -> list[SessionInfo]:
    """Return the list of sessions."""
    return [session_info(session_id, runs) for session_id, runs in by_session]
