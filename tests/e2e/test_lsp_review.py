"""Review and the plug-in-free forms, with pytest-lsp as three editors' capability sets."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "data" / "lsp" / "script.json"
CALC = "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n"

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Desk:
    """One workspace in one editor."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client, self.root = client, root
        self.opened = 0
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.lie = False
        """Whether to say that an edit was applied without applying it."""
        self.asked: list[str] = []
        self.choice = "Cancel"

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        async def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            return await self.apply(params)

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(_: None) -> None:
            return None

        @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
        async def answer(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
            return await self.answer(params)

    def open(self, text: str = CALC, name: str = "calc.py") -> str:
        uri = (self.root / name).as_uri()
        if uri in self.texts:
            self.client.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
            )
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        if self.lie:
            return types.ApplyWorkspaceEditResult(applied=True)
        for change in params.edit.document_changes or []:
            if isinstance(change, types.CreateFile):
                (self.root / Path(change.uri).name).touch(exist_ok=False)
                self.open("", Path(change.uri).name)
            elif isinstance(change, types.TextDocumentEdit):
                uri = change.text_document.uri
                assert change.text_document.version in (None, self.versions[uri])
                self.type(uri, _edited(self.texts[uri], change.edits))
        return types.ApplyWorkspaceEditResult(applied=True)

    async def answer(self, params: types.ShowMessageRequestParams) -> types.MessageActionItem:
        self.asked.append(params.message)
        return types.MessageActionItem(self.choice)

    async def request(self, method: str, params: Any) -> Any:
        return await self.client.protocol.send_request_async(method, params)

    async def command(self, name: str, argument: Any) -> Any:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(f"greenline.server.{name}", [argument])
        )

    async def propose(self, request: str) -> Any:
        return (await self.request("agent/execute", {"request": request})).proposal


def _edited(text: str, edits: Any) -> str:
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]

    def at(position: types.Position) -> int:
        return starts[position.line] + position.character

    for edit in sorted(edits, key=lambda e: at(e.range.start), reverse=True):
        text = text[: at(edit.range.start)] + edit.new_text + text[at(edit.range.end) :]
    return text


@pytest_lsp.fixture(
    scope="module",
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(
        server_command=[sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT)],
    ),
)
async def client(
    lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[None]:
    root = tmp_path_factory.mktemp("ws")
    lsp_client.desk = Desk(lsp_client, root)  # type: ignore[attr-defined]
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), "ws")],
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def desk(client: LanguageClient) -> Desk:
    found: Desk = client.desk  # type: ignore[attr-defined]
    found.lie, found.choice, found.asked = False, "Cancel", []
    return found


def decisions(proposal: Any, decision: str = "accept") -> list[dict[str, str]]:
    return [{"hunkId": hunk.id, "decision": decision} for hunk in proposal.hunks]


async def test_an_accepted_hunk_lands_in_the_buffer(desk: Desk) -> None:
    uri = desk.open()
    proposal = await desk.propose("make it work")

    review = await desk.request("agent/review", {"proposalId": proposal.id, "decisions": decisions(proposal)})

    assert review.applied == [proposal.hunks[0].id]
    assert desk.texts[uri] == CALC.replace("a - b", "a + b")


async def test_a_hunk_moves_with_the_text_that_the_user_typed(desk: Desk) -> None:
    uri = desk.open()
    proposal = await desk.propose("make it work")
    desk.type(uri, "# typed after the proposal\n" + CALC)

    await desk.command("acceptHunk", {"proposalId": proposal.id, "hunkId": proposal.hunks[0].id})

    assert desk.texts[uri] == "# typed after the proposal\n" + CALC.replace("a - b", "a + b")


async def test_a_hunk_whose_text_is_gone_conflicts_and_nothing_is_applied(desk: Desk) -> None:
    uri = desk.open()
    proposal = await desk.propose("make it work")
    mine = CALC.replace("a - b", "a * b")
    desk.type(uri, mine)

    review = await desk.request("agent/review", {"proposalId": proposal.id, "decisions": decisions(proposal)})

    assert [c.hunkId for c in review.conflicts] == [proposal.hunks[0].id]
    assert desk.texts[uri] == mine
    await desk.command("rejectAll", {"proposalId": proposal.id})


async def test_the_text_is_believed_and_not_the_client(desk: Desk) -> None:
    desk.open()
    proposal = await desk.propose("make it work")
    desk.lie = True

    review = await desk.request("agent/review", {"proposalId": proposal.id, "decisions": decisions(proposal)})
    run = await desk.request("agent/run", {"runId": proposal.runId})

    assert review.applied == []
    assert len(review.conflicts) == 1
    assert run.run.proposal.hunks[0].state == "pending"
    await desk.command("rejectAll", {"proposalId": proposal.id})


async def test_accept_all_of_what_is_not_verified_asks_first(desk: Desk) -> None:
    uri = desk.open()
    proposal = await desk.propose("two files")

    refused = await desk.command("acceptAll", {"proposalId": proposal.id})
    unchanged = desk.texts[uri]
    desk.choice = "Accept all"
    accepted = await desk.command("acceptAll", {"proposalId": proposal.id})

    assert len(desk.asked) == 2
    assert "not covered" in desk.asked[0]
    assert refused["applied"] == []
    assert unchanged == CALC
    assert len(accepted["applied"]) == len(proposal.hunks)
    assert "return 2 * a" in desk.texts[uri]
    new = desk.root / "new.py"
    assert desk.texts.get(new.as_uri()) == "x = 1\n" or new.read_text() == "x = 1\n"


async def test_accept_all_says_that_nothing_is_left(desk: Desk) -> None:
    desk.open()
    proposal = await desk.propose("make it work")
    await desk.command("rejectAll", {"proposalId": proposal.id})

    for name in ("acceptAll", "rejectAll"):
        with pytest.raises(JsonRpcException) as caught:
            await desk.command(name, {"proposalId": proposal.id})
        assert f"All hunks of {proposal.id!r} are decided already" in str(caught.value)


async def test_hover_lens_action_and_diagnostic_show_a_pending_hunk(desk: Desk) -> None:
    uri = desk.open()
    document = types.TextDocumentIdentifier(uri)
    proposal = await desk.propose("make it work")
    line = types.Range(types.Position(1, 4), types.Position(1, 4))

    hover = await desk.client.text_document_hover_async(types.HoverParams(document, types.Position(1, 4)))
    lenses = await desk.client.text_document_code_lens_async(types.CodeLensParams(document))
    actions = await desk.client.text_document_code_action_async(
        types.CodeActionParams(document, line, types.CodeActionContext([]))
    )
    shown = desk.client.diagnostics[uri]

    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "+    return a + b" in hover.contents.value
    assert "command:" not in hover.contents.value
    assert [lens.command.title for lens in lenses or [] if lens.command] == [
        "Accept",
        "Reject",
        "Accept all",
        "Reject all",
    ]
    titles = [action.title for action in actions or []]
    assert any("ccept" in title for title in titles)
    assert any("tests" in title for title in titles)
    assert [d.severity for d in shown if d.source == "greenline"] == [types.DiagnosticSeverity.Information]
    await desk.command("rejectAll", {"proposalId": proposal.id})

    assert not desk.client.diagnostics[uri]


async def test_a_comment_to_the_agent_offers_to_implement_it(desk: Desk) -> None:
    uri = desk.open("# agent: sort the list\nx = []\n", "todo.py")
    start = types.Position(0, 0)

    actions = await desk.client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri), types.Range(start, start), types.CodeActionContext([])
        )
    )

    assert any("sort the list" in action.title for action in actions or [])


async def test_a_question_is_asked_and_its_answer_goes_on(desk: Desk) -> None:
    desk.open("a\nb\n", "n.txt")
    desk.choice = "left"

    proposal = await desk.propose("ask")
    run = await desk.request("agent/run", {"runId": proposal.runId})

    assert desk.asked == ["Which one?"]
    assert any("left" in str(event.data) for event in run.events)
    assert [event.data.waiting for event in run.events if event.kind == "checkpoint"] == [True]
    assert [event.seq for event in run.events] == list(range(1, len(run.events) + 1))
    await desk.command("rejectAll", {"proposalId": proposal.id})


async def test_an_ambiguous_request_comes_back_as_questions(desk: Desk) -> None:
    planned = await desk.request("agent/plan", {"request": "ambiguous"})

    assert [q.text for q in planned.questions] == ["Which sum?"]
