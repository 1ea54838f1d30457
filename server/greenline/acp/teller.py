"""Tells a run as it happens, or as it happened: each event of the journal becomes updates of a session."""

from __future__ import annotations

from collections.abc import Iterator

from greenline.acp import message
from greenline.acp.message import Update
from greenline.core.event import Event, EventKind
from greenline.core.task import Plan, RunState
from greenline.core.wire import from_json

_BEGUN = {RunState.EXECUTING, RunState.VERIFYING}


class Teller:
    """Remembers of one run what the next update needs; its events come in order."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._is_begun = False
        self._sandbox_id = ""
        """The tool call that shows what runs in the sandbox; empty where nothing does."""

    def updates(self, event: Event) -> Iterator[Update]:
        """Yield what an event means for the client."""
        data = event.data
        if event.kind is EventKind.THOUGHT:
            yield message.thought(data["text"])
        elif event.kind is EventKind.PLAN:
            self._plan = from_json(data["plan"], Plan)
            yield message.plan_update(self._plan, is_begun=self._is_begun)
        elif event.kind is EventKind.STATE:
            yield from self._state(RunState(data["state"]))
        elif event.kind is EventKind.TOOL_CALL:
            yield message.tool_started(data["callId"], data["tool"], data["kind"], data["arguments"])
        elif event.kind is EventKind.TOOL_RESULT:
            yield message.tool_ended(data["callId"], data["text"], failed=data["status"] != "completed")
        elif event.kind is EventKind.COMMAND:
            yield from self._command(event)
        elif event.kind is EventKind.TEST_REPORT:
            yield from self._end_sandbox(f"{data['verdict']}: {data['detail']}".rstrip(": "))

    def _state(self, state: RunState) -> Iterator[Update]:
        if state in _BEGUN:
            if self._plan is not None and not self._is_begun:
                yield message.plan_update(self._plan, is_begun=True)
            self._is_begun = True
        elif state is not RunState.PLANNING:
            yield from self._end_sandbox("")

    def _command(self, event: Event) -> Iterator[Update]:
        text = str(event.data["text"])
        if self._sandbox_id:
            yield message.sandbox_goes_on(self._sandbox_id, text)
            return
        self._sandbox_id = f"{event.run_id}/sandbox-{event.seq}"
        yield message.sandbox_started(self._sandbox_id, text)

    def _end_sandbox(self, words: str) -> Iterator[Update]:
        if self._sandbox_id:
            yield message.tool_ended(self._sandbox_id, words, failed=False)
            self._sandbox_id = ""
