"""Every `agent/*` message has a golden file; the wire form and the document cannot drift unseen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from greenline.lsp import protocol
from greenline.lsp.command import COMMANDS
from greenline.lsp.wire import make_converter

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
CONVERTER = make_converter()

MESSAGES: dict[str, type] = {
    **{f"{name}.params": params for name, (params, _) in protocol.REQUESTS.items()},
    **{f"{name}.result": result for name, (_, result) in protocol.REQUESTS.items()},
    **{f"{name}.params": params for name, params in protocol.NOTIFICATIONS.items()},
}


def file_of(message: str) -> Path:
    return GOLDEN / f"{message.removeprefix('agent/')}.json"


@pytest.mark.parametrize("message", sorted(MESSAGES))
def test_a_message_is_read_and_written_as_its_golden_file(message: str) -> None:
    golden = json.loads(file_of(message).read_text(encoding="utf-8"))

    value = CONVERTER.structure(golden, MESSAGES[message])
    written: Any = CONVERTER.unstructure(value)

    assert json.loads(json.dumps(written)) == golden


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert {file_of(message) for message in MESSAGES} == set(GOLDEN.glob("*.json"))


def test_the_document_names_the_same_methods_and_commands() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")

    methods = set(re.findall(r"`(agent/\w+)`", text))
    commands = set(re.findall(r"`(greenline\.server\.\w+)`", text))

    assert methods == set(protocol.REQUESTS) | set(protocol.NOTIFICATIONS)
    assert commands == set(COMMANDS)
