"""Tool calls for models that have none: a JSON object in the text of the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from greenline.core.port import Message, ToolRequest, ToolSpec

_DECODER = json.JSONDecoder(strict=False)
_WRAPPING = re.compile(r"```\w*\s*```|<tool_call>\s*</tool_call>")
"""What is left around a call once it is taken out."""
_HOW = """You can call tools. To call one, answer with nothing but a JSON object in a fence:
```json
{"tool": "NAME", "arguments": {"NAME OF ARGUMENT": "VALUE"}}
```
Use one fence for each call. You then get each tool's answer in the next message. The tools are:
"""


def explain(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return the conversation with the tools described in its system message."""
    listed = "\n".join(f"- {t.name}: {t.description} Arguments: {json.dumps(t.parameters)}" for t in tools)
    has_system = bool(messages) and messages[0].role == "system"
    head, rest = (messages[0], messages[1:]) if has_system else (None, messages)
    system = f"{head.content}\n\n{_HOW}{listed}" if head else _HOW + listed
    return [Message("system", system), *rest]


def written(requests: Sequence[ToolRequest]) -> str:
    """Return calls in the form that `parse` reads, for the conversation so far."""
    return "\n".join(
        f"```json\n{json.dumps({'tool': r.name, 'arguments': r.arguments})}\n```" for r in requests
    )


def parse(text: str) -> tuple[tuple[ToolRequest, ...], str]:
    """Return the calls in an answer, and the text without them; text that is no call is left alone."""
    found: list[ToolRequest] = []
    kept: list[str] = []
    position = 0
    for start, end, value in _objects(text):
        request = _request(value, len(found))
        if request is not None:
            found.append(request)
            kept.append(text[position:start])
            position = end
    if not found:
        return (), text
    kept.append(text[position:])
    return tuple(found), _WRAPPING.sub("", "".join(kept)).strip()


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield each JSON object with its place; what lies inside one is not looked at again."""
    start = text.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except ValueError:
            end = start + 1
        else:
            yield start, end, value
        start = text.find("{", end)


def _request(value: Any, number: int) -> ToolRequest | None:
    if not isinstance(value, dict):
        return None
    name = value.get("tool", value.get("name"))
    # Without arguments of its own an object with a name is data, `package.json` for one.
    arguments = value.get("arguments", value.get("parameters", {} if "tool" in value else None))
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolRequest(f"text-{number}", name, arguments)
