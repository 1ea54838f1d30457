"""What the editor offers at a place: code actions for the agent, and decisions about pending hunks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.core.error import GreenlineError
from greenline.edit.text import split_lines
from greenline.lsp.convert import to_uri

if TYPE_CHECKING:
    from greenline.lsp.session import Session
    from greenline.lsp.shelf import PlacedHunk

PREFIX = "greenline.server."

OFFERED_KINDS = [
    types.CodeActionKind.QuickFix,
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.Source,
]

_ASK = re.compile(
    r"^\s*(?:#|//|--|;+|%|\*|<!--|/\*)\s*agent:\s*(?P<request>.*?)\s*(?:-->|\*/)?\s*$", re.IGNORECASE
)
_TEST = re.compile(r"^(?P<indent>\s*)(?:async\s+)?def\s+(?P<name>test\w*)\s*\(")
_TEST_CLASS = re.compile(r"^class\s+(?P<name>\w+)")


def review_commands(item: PlacedHunk) -> list[types.Command]:
    """Return the decisions about a pending hunk."""
    one = [{"proposalId": item.proposal.id, "hunkId": item.hunk.id}]
    all_of_it = [{"proposalId": item.proposal.id}]
    commands = [
        types.Command("Reject", PREFIX + "rejectHunk", arguments=one),
        types.Command("Accept all", PREFIX + "acceptAll", arguments=all_of_it),
        types.Command("Reject all", PREFIX + "rejectAll", arguments=all_of_it),
    ]
    if item.placed is None:
        return commands
    if needed := item.needed():
        with_them = [{**one[0], "withNeeded": True}]
        title = with_needed_title(len(needed))
        commands = [types.Command(title, PREFIX + "acceptHunk", arguments=with_them), *commands]
    return [types.Command("Accept", PREFIX + "acceptHunk", arguments=one), *commands]


def with_needed_title(n_needed: int) -> str:
    """Return what accepting a hunk along with those that it needs is called."""
    return f"Accept with the {n_needed} that it needs"


def file_commands(path: str, items: list[PlacedHunk]) -> list[types.Command]:
    """Return the decisions about all hunks of a file, where they are not all of a proposal."""
    commands = []
    for proposal in {item.proposal.id: item.proposal for item in items}.values():
        here = sum(hunk.path == path for hunk in proposal.pending())
        if 1 < here < len(proposal.pending()):
            where = [{"proposalId": proposal.id, "uri": to_uri(path)}]
            commands += [
                types.Command(f"{word} all {here} in this file", PREFIX + name, arguments=where)
                for word, name in (("Accept", "acceptFile"), ("Reject", "rejectFile"))
            ]
    return commands


def measure_commands(session: Session, path: str) -> list[types.Command]:
    """Return the way to fresh evidence, for each proposal of which a part was accepted in a file."""
    return [
        types.Command(
            f"Verify “{_short(proposal.summary or 'what was accepted')}” again, as the text is now",
            PREFIX + "verify",
            arguments=[{"proposalId": proposal.id}],
        )
        for proposal in session.partly_measured(path)
    ]


def code_actions(session: Session, path: str, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions for a range, those about pending hunks first."""
    first, last = params.range.start.line, params.range.end.line
    items = session.pending_at(path, first, last)
    commands = [command for item in items for command in review_commands(item)]
    commands += file_commands(path, items) + measure_commands(session, path)
    actions = [
        types.CodeAction(
            title=f"Agent: {command.title[0].lower()}{command.title[1:]}",
            kind=types.CodeActionKind.QuickFix,
            command=command,
            is_preferred=command.title == "Accept",
        )
        for command in commands
    ]
    if session.roots:
        actions += _asking(session, path, params)
    wanted = params.context.only
    if not wanted:
        return actions
    return [a for a in actions if a.kind and any(_is_kind(a.kind, kind) for kind in wanted)]


def _is_kind(kind: str, wanted: str) -> bool:
    name, parent = str(getattr(kind, "value", kind)), str(getattr(wanted, "value", wanted))
    return parent in ("", name) or name.startswith(parent + ".")


def _asking(session: Session, path: str, params: types.CodeActionParams) -> list[types.CodeAction]:
    try:
        lines = split_lines(session.require_text(path))
    except GreenlineError:
        return []
    uri, place = to_uri(path), params.range
    actions: list[types.CodeAction] = []
    for diagnostic in params.context.diagnostics:
        if diagnostic.source != "greenline":
            where = {"uri": uri, "range": diagnostic.range, "message": diagnostic.message}
            actions.append(
                _action(
                    f"Agent: fix “{_short(diagnostic.message)}”", types.CodeActionKind.QuickFix, "fix", where
                )
            )
            actions[-1].diagnostics = [diagnostic]
    if (test := test_at(lines, place.start.line)) is not None:
        where = {"uri": uri, "range": place, "test": test}
        actions.append(_action(f"Agent: fix {test}", types.CodeActionKind.QuickFix, "fix", where))
    here = {"uri": uri, "range": place}
    line = lines[place.start.line] if place.start.line < len(lines) else ""
    if (match := _ASK.match(line)) is not None and match["request"]:
        request = match["request"]
        actions.append(
            _action(
                f"Agent: implement “{_short(request)}”",
                types.CodeActionKind.RefactorRewrite,
                "implement",
                {**here, "request": request},
            )
        )
    elif place.start != place.end:
        actions.append(
            _action("Agent: implement the selection", types.CodeActionKind.RefactorRewrite, "implement", here)
        )
    actions.append(_action("Agent: write tests", types.CodeActionKind.RefactorRewrite, "tests", here))
    actions.append(_action("Agent: explain", types.CodeActionKind.Source, "explain", here))
    return actions


def _action(title: str, kind: types.CodeActionKind, command: str, argument: object) -> types.CodeAction:
    return types.CodeAction(
        title, kind=kind, command=types.Command(title, PREFIX + command, arguments=[argument])
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


def test_at(lines: list[str], line: int) -> str | None:
    """Return the test that a line belongs to, as `test_name` or `Class::test_name`."""
    for number in range(min(line, len(lines) - 1), -1, -1):
        match = _TEST.match(lines[number])
        if match is None:
            if lines[number][:1].strip() and number != line and not lines[number].startswith(("#", "@", ")")):
                return None
            continue
        if not match["indent"]:
            return match["name"]
        owner = next((m for n in range(number, -1, -1) if (m := _TEST_CLASS.match(lines[n]))), None)
        return f"{owner['name']}::{match['name']}" if owner else match["name"]
    return None


test_at.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever its name
