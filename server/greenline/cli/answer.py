"""Answers what a run asks: by the user where there is a terminal, and at once where there is none.

Invariant: no run waits for an answer that nobody can give.
"""

from __future__ import annotations

import os
import sys
import threading

from greenline.agent.agent import Agent
from greenline.agent.control import Answer
from greenline.core.agent_port import Question
from greenline.core.error import NotFound
from greenline.core.event import Event, EventKind
from greenline.core.visible import visible
from greenline.core.wire import from_json

NOBODY = "Nobody can be asked here: decide yourself, and name what you assumed."


def answer_questions(agent: Agent) -> None:
    """Answer every question of the agent's runs from now on."""
    asking = threading.Lock()

    def on_event(event: Event) -> None:
        if event.kind is EventKind.CHECKPOINT and event.data.get("waiting"):
            question = from_json(event.data["question"], Question)
            # The journal's listener must not block.
            threading.Thread(
                target=_answer, args=(agent, asking, event.run_id, question), name="answer", daemon=True
            ).start()

    agent.services.journal.on_event = on_event


def _answer(agent: Agent, asking: threading.Lock, run_id: str, question: Question) -> None:
    with asking:
        answer = _asked(question) if _somebody_is_there() else _unasked(question)
    try:
        agent.answer(run_id, question.id, answer)
    except NotFound:
        # The run was cancelled meanwhile.
        return


def _somebody_is_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _unasked(question: Question) -> Answer:
    print(f"greenline: not asked: {visible(question.text)}", file=sys.stderr)
    return Answer("rejectOnce") if question.kind == "permission" else Answer(NOBODY)


def _asked(question: Question) -> Answer:
    """Show a question and read a line: the number of an option, or any text."""
    print(f"? {visible(question.text)}", file=sys.stderr)
    for number, option in enumerate(question.options, 1):
        print(f"  {number}. {visible(option)}", file=sys.stderr)
    print("> ", end="", file=sys.stderr, flush=True)
    line = _line()
    if not line.strip():
        return _unasked(question)
    text = line.strip()
    if text.isdecimal() and 1 <= int(text) <= len(question.options):
        return Answer(question.options[int(text) - 1])
    return Answer(text)


def _line() -> str:
    """Read a line from the terminal without Python's buffer.

    A thread that waits in the buffer holds its lock, and a process that was stopped could not end then.
    """
    data = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        data += byte
    return data.decode("utf-8", "replace")
