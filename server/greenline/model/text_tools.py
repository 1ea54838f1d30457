"""Tool calls for models that have none: a JSON object in the text of the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from greenline.core.port import Message, ToolRequest, ToolSpec

_FENCED = re.compile(r"```(?:json|tool_call|tool)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_HOW = """You can call tools. To call one, answer with nothing but a JSON object in a fence:
```json
{"tool": "NAME", "arguments": {"NAME OF ARGUMENT": "VALUE"}}
```
Use one fence for each call. You then get each tool's answer in the next message. The tools are:
"""


def explain(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return the conversation with the tools described in its system message."""
    listed = "\n".join(f"- {t.name}: {t.description} Arguments: {json.dumps(t.parameters)}" for t in tools)
    head, rest = (messages[0], messages[1:]) if messages[0].role == "system" else (None, messages)
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
    rest = text
    for whole, inner in _pieces(text):
        request = _request(inner, len(found))
        if request is not None:
            found.append(request)
            rest = rest.replace(whole, "", 1)
    return tuple(found), rest.strip() if found else text


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    matches = [*_TAGGED.finditer(text), *_FENCED.finditer(text)]
    for match in sorted(matches, key=lambda m: m.start()):
        yield match.group(0), match.group(1)
    if not matches:
        bare = text.strip()
        yield bare, bare


def _request(text: str, number: int) -> ToolRequest | None:
    try:
        value: Any = json.loads(text, strict=False)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    name = value.get("tool") or value.get("name")
    arguments = value.get("arguments", value.get("parameters", {}))
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolRequest(f"text-{number}", name, arguments)
