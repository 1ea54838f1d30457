"""Calls in a model's text: found whatever wraps them, and never seen where there are none."""

from __future__ import annotations

import json

import pytest

from greenline.core.port import Message, ToolRequest, ToolSpec
from greenline.model.text_tools import explain, parse, written

CALL = '{"tool": "read_file", "arguments": {"path": "a.py"}}'
READ = ToolRequest("text-0", "read_file", {"path": "a.py"})


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (CALL, ""),
        (f"```json\n{CALL}\n```", ""),
        (f"I will look.\n```\n{CALL}\n```", "I will look."),
        (f"<tool_call>\n{CALL}\n</tool_call>", ""),
        (f"Let me see: {CALL}", "Let me see:"),
        ('{"name": "read_file", "parameters": {"path": "a.py"}}', ""),
    ],
)
def test_a_call_is_found_whatever_wraps_it(text: str, rest: str) -> None:
    assert parse(text) == ((READ,), rest)


@pytest.mark.parametrize(
    "text",
    [
        "All done.",
        '```json\n{"name": "left-pad", "version": "1.0.0"}\n```',
        "if (a) { b(); }",
        CALL[:-2],
        "{",
        "",
    ],
)
def test_what_is_no_call_is_left_alone(text: str) -> None:
    assert parse(text) == ((), text)


def test_content_with_fences_and_braces_stays_whole() -> None:
    content = '# Use\n```json\n{"tool": "x", "arguments": {}}\n```\n'
    call = {"tool": "create_file", "arguments": {"path": "README.md", "content": content}}
    text = f"```json\n{json.dumps(call)}\n```"

    requests, rest = parse(text)

    assert [r.arguments["content"] for r in requests] == [content]
    assert rest == ""


def test_several_calls_keep_their_order_and_read_back() -> None:
    requests = (READ, ToolRequest("text-1", "list_directory", {}))

    assert parse(written(requests)) == (requests, "")


def test_tools_are_explained_with_and_without_a_system_message() -> None:
    tool = ToolSpec("read_file", "Read a file.", {"type": "object"})

    assert "read_file" in explain([], [tool])[0].content
    explained = explain([Message("system", "Be brief."), Message("user", "Hi")], [tool])
    assert [m.role for m in explained] == ["system", "user"]
    assert explained[0].content.startswith("Be brief.")
