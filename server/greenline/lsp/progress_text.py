"""What a run's event says in a line of progress; nothing where it is for the log only."""

from __future__ import annotations

from pathlib import PurePath

from greenline.core.event import RESUMED, Event, EventKind

_MAX_LENGTH = 160
_STATES = {
    # The progress itself begins with these words.
    "planning": "",
    "executing": "",
    "awaitingApproval": "the plan waits for you",
    "needsInput": "waits for your answer",
    "partlyAccepted": "partly accepted",
}
_ARGUMENTS = ("path", "pattern", "query", "name", "command", "question")
"""Which argument of a tool call says what it is about."""


def progress_text(event: Event) -> str:
    """Return one line of at most 160 characters; tool output and code are not in it."""
    data = event.data
    match event.kind:
        case EventKind.STATE if data.get("note") == RESUMED:
            text = "goes on"
        case EventKind.STATE:
            text = _STATES.get(str(data.get("state", "")), str(data.get("state", "")))
        case EventKind.TOOL_CALL:
            text = _call(data.get("tool"), data.get("arguments"))
        case EventKind.TOOL_RESULT:
            failed = data.get("status") in ("failed", "denied")
            text = f"{data.get('tool')} {data.get('status')}: {data.get('text')}" if failed else ""
        case EventKind.EDIT:
            names = [PurePath(str(path)).name for path in data.get("paths") or ()]
            n_hunks = data.get("nHunks")
            hunks = "1 hunk" if n_hunks == 1 else f"{n_hunks} hunks"
            text = f"staged {hunks} in {', '.join(names)}" if names else ""
        case EventKind.TEST_REPORT:
            text = f"{data.get('verdict')}: {data.get('detail')}"
        case EventKind.THOUGHT | EventKind.COMMAND | EventKind.ERROR:
            text = str(data.get("text") or data.get("message") or "")
        case _:
            text = ""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"


def _call(tool: object, arguments: object) -> str:
    about = ""
    if isinstance(arguments, dict):
        about = next((str(arguments[name]) for name in _ARGUMENTS if arguments.get(name)), "")
    return f"{tool} {about}".strip()
