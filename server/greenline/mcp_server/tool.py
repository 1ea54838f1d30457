"""The tools as another agent sees them: names, what they are for, and what may be handed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from greenline.core.error import InvalidInput
from greenline.core.port import ToolSpec
from greenline.index.retrieve.hit import KINDS
from greenline.index.retrieve.retriever import MAX_LIMIT
from greenline.tool.definition import check_arguments


@attrs.frozen
class Offer:
    """One tool, with what a client may say of it to its user."""

    title: str
    spec: ToolSpec
    is_idempotent: bool
    """Whether asking again changes nothing, in the files and in the records."""


def _schema(required: tuple[str, ...] = (), **properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


VERIFY = Offer(
    "Verify a patch",
    ToolSpec(
        "verify",
        "Measure a unified diff, whoever wrote it: the project's tests run without and with it in fresh"
        " containers, and the verdict says what the runner reported (verified, regressed, notCovered, …)."
        " Nothing is written to the project. Give the diff as text or as the path of a file.",
        _schema(
            patch={"type": "string", "description": "The unified diff, with paths relative to the project."},
            patchPath={
                "type": "string",
                "description": "Path of a file that holds the diff, absolute or relative to the project.",
            },
        ),
    ),
    is_idempotent=True,
)
SEARCH = Offer(
    "Search the code",
    ToolSpec(
        "search",
        "Find code by a question, a task, a name, a stack trace or a place. Hits come best first, each with"
        " its lines (1-based) and what speaks for it.",
        _schema(
            ("query",),
            query={"type": "string", "description": "What to find, in words or as a name or a place."},
            limit={
                "type": "integer",
                "description": "How many hits to return; 10 where it is left out.",
                "minimum": 1,
                "maximum": MAX_LIMIT,
            },
            kinds={
                "type": "array",
                "items": {"type": "string", "enum": list(KINDS)},
                "description": "Only parts of these kinds; all where it is left out.",
            },
            path={"type": "string", "description": "Only files that fit this glob, as in .gitignore."},
        ),
    ),
    is_idempotent=True,
)
REPAIR = Offer(
    "Repair failing tests",
    ToolSpec(
        "repair",
        "Let the repair engine look for an edit that makes the failing tests pass with the whole suite green."
        " Returns a proposed diff with the evidence that was measured for it; nothing is written to the"
        " project. It uses no language model, and takes up to a few minutes.",
        _schema(
            tests={
                "type": "array",
                "items": {"type": "string"},
                "description": "Ids or names of the failing tests to mend, tests/test_a.py::test_b;"
                " all that fail where it is left out.",
            },
        ),
    ),
    is_idempotent=False,
)
EXPLAIN = Offer(
    "Explain a line",
    ToolSpec(
        "explain",
        "Say what Greenline knows about a line of a file: the change that is proposed there, why, and the"
        " evidence that was measured for it.",
        _schema(
            ("path", "line"),
            path={"type": "string", "description": "The file, absolute or relative to the project."},
            line={"type": "integer", "description": "The line, 1-based.", "minimum": 1},
        ),
    ),
    is_idempotent=True,
)
OFFERS: Mapping[str, Offer] = {offer.spec.name: offer for offer in (VERIFY, SEARCH, REPAIR, EXPLAIN)}


def check(offer: Offer, arguments: Mapping[str, Any]) -> None:
    """Raise `InvalidInput`, naming the argument, where a call does not fit its tool's schema."""
    check_arguments(offer.spec, arguments)
    properties = offer.spec.parameters["properties"]
    for name, value in arguments.items():
        schema = properties[name]
        if schema["type"] == "array" and not all(isinstance(item, str) for item in value):
            raise InvalidInput(f"{name} of {offer.spec.name} must hold texts only.", remedy="Call it again.")
        if schema["type"] == "integer":
            _check_bounds(f"{name} of {offer.spec.name}", value, schema)


def _check_bounds(label: str, value: int, schema: Mapping[str, Any]) -> None:
    if value < schema["minimum"]:
        raise InvalidInput(f"{label} is {value}.", remedy=f"Give a number from {schema['minimum']} on.")
    if value > schema.get("maximum", value):
        raise InvalidInput(f"{label} is {value}.", remedy=f"Give at most {schema['maximum']}.")
