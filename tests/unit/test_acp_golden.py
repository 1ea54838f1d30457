"""Every message that the ACP agent sends has a golden file, and a prompt is read as it was meant."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from acp import embedded_text_resource, resource_block, resource_link_block, text_block
from acp.schema import InitializeResponse, SessionInfo
from acp.utils import serialize_params
from hypothesis import given
from hypothesis import strategies as st

import greenline
from greenline.acp import message
from greenline.acp.message import FileDiff
from greenline.acp.request import Asked, read_prompt
from greenline.acp.review import groups
from greenline.acp.teller import Teller
from greenline.core.agent_port import Question
from greenline.core.edit import Hunk, HunkState
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence, Verdict
from greenline.core.task import ContextRange, EntryStatus, Plan, PlanEntry, Proposal, Run, RunState, Task
from greenline.core.wire import to_json

GOLDEN = Path(__file__).parents[1] / "golden" / "acp"
PLAN = Plan(
    2,
    (
        PlanEntry(1, "Compare with >=.", ("ledger/discount.py",), ("tests/test_discount.py::test_a",)),
        PlanEntry(2, "Add a test.", status=EntryStatus.COMPLETED),
        PlanEntry(3, "Document it.", status=EntryStatus.FAILED),
    ),
)
RUN = Run("run-1", Task("make the tests pass", ("/ws",)), RunState.PROPOSED, 1.0)
PERMISSION = Question("q-1", "Run run_command: make", kind="permission")
CHOICE = Question("q-2", "Which one?", ("left", "right"))
OFFER = message.change_offered(
    "h-1",
    "discount.py:10 — verified",
    [FileDiff("/ws/discount.py", 10, "a > b\n", "a >= b\n"), FileDiff("/ws/new.py", 1, None, "x = 1\n")],
    deletes=False,
)
MESSAGES: dict[str, Any] = {
    "greeting": message.greeting(),
    "session_info": message.session_info("session-1", [RUN]),
    "user_said": message.user_said("make the tests pass"),
    "said": message.said("1 of 1 hunks accepted."),
    "thought": message.thought("The comparison is wrong."),
    "plan_update": message.plan_update(PLAN, is_begun=True),
    "commands_update": message.commands_update(),
    "tool_started": message.tool_started("call-1", "read_file", "read", {"path": "ledger/discount.py"}),
    "tool_ended": message.tool_ended("call-1", "not there", failed=True),
    "sandbox_started": message.sandbox_started("run-1/sandbox-2", "Running the tests."),
    "sandbox_goes_on": message.sandbox_goes_on("run-1/sandbox-2", "Running the test that differs again."),
    "change_offered": OFFER,
    "change_asked": message.change_asked(OFFER),
    "change_decided": message.change_decided("h-1", "Rejected.", accepted=False),
    "review_options": message.review_options(more=True, may_accept_rest=True),
    "question_asked": message.question_asked("run-1", PERMISSION),
    "question_options": [*message.question_options(PERMISSION), *message.question_options(CHOICE)],
}


def wire(made: Any) -> Any:
    """Return a message as the SDK puts it on the wire, which leaves more out of requests than of answers."""
    if isinstance(made, InitializeResponse | SessionInfo):
        return made.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_unset=True)
    return serialize_params(made)


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_a_message_is_written_as_its_golden_file(name: str) -> None:
    made = MESSAGES[name]
    value = [wire(item) for item in made] if isinstance(made, list) else wire(made)
    if name == "greeting":
        assert value["agentInfo"].pop("version") == greenline.__version__

    assert value == json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


def test_no_golden_file_is_missing_or_left_over() -> None:
    made_here = {
        name
        for name, function in inspect.getmembers(message, inspect.isfunction)
        if function.__module__ == message.__name__ and not name.startswith("_")
    }
    lists_of_others = {"session_infos"}

    assert MESSAGES.keys() == made_here - lists_of_others
    assert {path.stem for path in GOLDEN.glob("*.json")} == MESSAGES.keys()


def event(seq: int, of: EventKind, **data: Any) -> Event:
    return Event("run-1", seq, 1.0, of, data)


def test_a_run_is_told_in_order_and_each_tool_call_ends() -> None:
    teller = Teller()
    report = {"verdict": "verified", "detail": "3 tests pass."}
    events = [
        event(1, EventKind.STATE, state="planning"),
        event(2, EventKind.COMMAND, text="running the tests"),
        event(3, EventKind.PLAN, plan=to_json(PLAN)),
        event(4, EventKind.STATE, state="awaitingApproval"),
        event(5, EventKind.STATE, state="executing"),
        event(6, EventKind.THOUGHT, text="Hm."),
        event(7, EventKind.TOOL_CALL, callId="c", tool="edit_file", kind="edit", arguments={"path": "a.py"}),
        event(8, EventKind.TOOL_RESULT, callId="c", tool="edit_file", status="denied", text="no"),
        event(9, EventKind.EDIT, nHunks=1),
        event(10, EventKind.COMMAND, text="verifying"),
        event(11, EventKind.COMMAND, text="verifying again"),
        event(12, EventKind.TEST_REPORT, **report),
        event(13, EventKind.USAGE, model="m"),
        event(14, EventKind.STATE, state="proposed"),
    ]

    told = [serialize_params(update) for item in events for update in teller.updates(item)]

    assert [(u["sessionUpdate"], u.get("toolCallId"), u.get("status")) for u in told] == [
        ("tool_call", "run-1/sandbox-2", "in_progress"),
        ("plan", None, None),
        ("tool_call_update", "run-1/sandbox-2", "completed"),
        ("plan", None, None),
        ("agent_thought_chunk", None, None),
        ("tool_call", "c", "in_progress"),
        ("tool_call_update", "c", "failed"),
        ("tool_call", "run-1/sandbox-10", "in_progress"),
        ("tool_call_update", "run-1/sandbox-10", None),
        ("tool_call_update", "run-1/sandbox-10", "completed"),
    ]
    assert told[-1]["content"][0]["content"]["text"] == "verified: 3 tests pass."


@pytest.mark.parametrize(
    ("blocks", "asked"),
    [
        ([text_block("do it")], Asked("do it")),
        ([text_block("fix"), text_block("this")], Asked("fix this")),
        ([text_block("/undo")], Asked("", command="undo")),
        ([text_block("/explain a.py:3")], Asked("a.py:3", command="explain")),
        ([text_block("/etc/passwd is odd")], Asked("/etc/passwd is odd")),
        (
            [text_block("here"), resource_link_block("a", "file:///w/a%20b.py#L3-5")],
            Asked("here", ("/w/a b.py",), ContextRange("/w/a b.py", 2, 4)),
        ),
        (
            [resource_block(embedded_text_resource("file:///w/a.py#L7", "x")), text_block("here")],
            Asked("here", ("/w/a.py",), ContextRange("/w/a.py", 6, 6)),
        ),
        (
            [text_block("see"), resource_block(embedded_text_resource("note://1", "the text"))],
            Asked("see note://1\nthe text"),
        ),
    ],
)
def test_a_prompt_is_read(blocks: list[Any], asked: Asked) -> None:
    assert read_prompt(blocks) == asked


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    """Draw a proposal whose hunks need one another at random."""
    names = [f"h-{n}" for n in range(draw(st.integers(0, 8)))]
    hunks = tuple(
        Hunk(
            name,
            "/ws/a.py",
            "edit",
            number,
            number + 1,
            "a\n",
            "b\n",
            "",
            state=draw(st.sampled_from([HunkState.PENDING, HunkState.PENDING, HunkState.ACCEPTED])),
            needs=tuple(draw(st.lists(st.sampled_from(names), max_size=2))),
        )
        for number, name in enumerate(names)
    )
    return Proposal("prop-1", "run-1", hunks, Evidence(Verdict.VERIFIED, "", ""))


@given(proposals())
def test_hunks_that_need_one_another_are_decided_together(proposal: Proposal) -> None:
    found = groups(proposal)

    place = {hunk.id: number for number, group in enumerate(found) for hunk in group}
    assert sorted(place) == sorted(hunk.id for hunk in proposal.pending())
    for hunk in proposal.pending():
        for needed in hunk.needs:
            assert needed not in place or place[needed] == place[hunk.id]
    assert [group[0].start_line for group in found] == sorted(group[0].start_line for group in found)
