"""`agent/undo` against the real server process: accept, type, undo, undo the undo."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from lsp_desk import desk

from greenline.app import open_checkpoints, open_journal
from greenline.cli import main
from greenline.config.settings import Settings
from greenline.core.edit import FileChange
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.checkpoint import Draft, FileVersions
from greenline.workspace.encoding import decode, encode
from greenline.workspace.state import state_folder

pytestmark = pytest.mark.asyncio

HERE = Path(__file__).parent
CASES = HERE.parent / "data" / "lsp"
BASE = "one\ntwo\nthree\nfour\nfive\nsix\n"
AFTER = "ONE\ntwo\nthree\nfour\nfive\nSIX\n"


def read(case: Path, name: str) -> str:
    return (case / name).read_bytes().decode()


@pytest.mark.parametrize("name", sorted(path.parent.name for path in CASES.glob("*/scenario.json")))
async def test_a_change_is_taken_back_around_what_the_user_typed(tmp_path: Path, name: str) -> None:
    case = CASES / name
    scenario = json.loads(read(case, "scenario.json"))
    path = tmp_path / "ws" / json.loads(read(case, "meta.json"))["path"]
    async with desk(tmp_path, {path.name: read(case, "after_agent.txt")}) as here:
        uri = here.editor.open(path, read(case, "before.txt"))
        proposal = await here.propose()
        await here.accept(proposal)
        assert here.editor.texts[uri] == read(case, "after_agent.txt")
        here.editor.type(uri, read(case, "after_user.txt"))

        undone = await here.undo(proposalId=proposal["id"])

        conflicts = scenario.get("conflicts", [])
        assert here.editor.texts[uri] == read(case, "expected.txt")
        assert [c["line"] for c in undone["conflicts"]] == conflicts
        assert len(here.editor.edits) == (2 if undone["restored"] else 1)
        if undone["restored"]:
            await here.undo(checkpointId=undone["checkpointId"])
        assert here.editor.texts[uri] == read(case, "after_user.txt")
        assert not path.exists()


async def test_the_open_buffer_is_the_base_and_the_disk_is_not_written(tmp_path: Path) -> None:
    case = CASES / "25-dirty-buffer"
    path = tmp_path / "ws" / json.loads(read(case, "meta.json"))["path"]
    async with desk(tmp_path, {path.name: read(case, "expected.txt")}) as here:
        path.write_bytes((case / "disk.txt").read_bytes())
        uri = here.editor.open(path, read(case, "before.txt"), version=5)

        await here.accept(await here.propose())

        (change,) = here.editor.edits[0]["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 5}
        assert here.editor.texts[uri] == read(case, "expected.txt")
        await here.undo()
        assert here.editor.texts[uri] == read(case, "before.txt")
        assert path.read_bytes() == (case / "disk.txt").read_bytes()


async def test_hunks_that_were_taken_back_wait_again_and_can_be_accepted(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        accepted = await here.accept(proposal)
        here.editor.type(uri, AFTER.replace("three", "three user"))

        await here.undo(checkpointId=accepted["checkpointId"])
        waiting = await here.states(proposal)
        await here.accept(proposal)

        assert waiting == ("proposed", ["pending", "pending"])
        assert await here.states(proposal) == ("accepted", ["accepted", "accepted"])
        assert here.editor.texts[uri] == AFTER.replace("three", "three user")
        events = here.server.of("agent/event")
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        changes = [event["data"]["change"] for event in events if event["kind"] == "checkpoint"]
        assert changes == ["accept", "undo", "accept"]


async def test_several_accepts_of_a_proposal_go_back_in_one_edit(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        await here.accept(proposal, 1)
        here.editor.type(uri, "top\n" + here.editor.texts[uri])
        await here.accept(proposal, 0)

        undone = await here.undo(proposalId=proposal["id"])
        back = here.editor.texts[uri]
        await here.undo(checkpointId=undone["checkpointId"])

        assert back == "top\n" + BASE
        assert here.editor.texts[uri] == "top\n" + AFTER
        assert len(here.editor.edits) == 4


async def test_a_hunk_on_an_edited_line_stays_accepted(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        await here.accept(proposal)
        here.editor.type(uri, AFTER.replace("SIX", "SIX user"))

        undone = await here.undo(proposalId=proposal["id"])

        assert [(c["uri"], c["line"]) for c in undone["conflicts"]] == [(uri, 5)]
        assert here.editor.texts[uri] == BASE.replace("six", "SIX user")
        assert await here.states(proposal) == ("partlyAccepted", ["pending", "accepted"])


@pytest.mark.parametrize("operations", [["create", "delete"], []])
async def test_created_and_deleted_files_go_back(tmp_path: Path, operations: list[str]) -> None:
    edits = {"documentChanges": True, "resourceOperations": operations}
    capabilities = {"workspace": {"applyEdit": True, "workspaceEdit": edits}}
    async with desk(tmp_path, {"new.txt": "new\n", "old.txt": None}, capabilities) as here:
        old, new = here.root / "old.txt", here.root / "new.txt"
        old.write_bytes(b"old\n")
        await here.accept(await here.propose())
        # An editor that makes a file holds its text in a buffer until it is saved.
        if new.as_uri() in here.editor.texts:
            new.write_text(here.editor.texts[new.as_uri()])
        assert new.read_text() == "new\n"
        assert not old.exists()

        undone = await here.undo()

        assert sorted(undone["restored"]) == [new.as_uri(), old.as_uri()]
        assert not new.exists()
        assert here.editor.texts.get(old.as_uri(), "") == "old\n" or old.read_text() == "old\n"


async def test_the_text_is_believed_and_not_the_client(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        await here.accept(proposal)
        here.editor.lies = True

        undone = await here.undo()
        states = await here.states(proposal)
        here.editor.lies = False
        again = await here.undo()

        assert undone["restored"] == []
        assert [c["uri"] for c in undone["conflicts"]] == [uri]
        assert states == ("accepted", ["accepted", "accepted"])
        assert again["restored"] == [uri]
        assert here.editor.texts[uri] == BASE


async def test_an_edit_that_never_came_into_the_text_does_not_stand_before_older_ones(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        await here.accept(proposal, 0)
        journal = open_journal(str(here.root))
        store = open_checkpoints(str(here.root), journal, Settings())
        text = here.editor.texts[uri].encode()
        path = str(here.root / "a.txt")
        versions = FileVersions(path, text, text.replace(b"six", b"SIX"), encoding="utf-8")
        lost = store.begin(Draft("accept", "editor", "accept", (versions,), (str(here.root),)))
        store.unconfirmed(lost, "The server ended before the editor had answered.")
        journal.close()

        undone = await here.undo()

        assert undone["restored"] == [uri]
        assert here.editor.texts[uri] == BASE


async def test_a_corrupt_content_is_named_and_the_other_file_goes_back(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": "A\n", "b.txt": "B\n"}) as here:
        uris = [here.editor.open(here.root / name, f"{name}\n") for name in ("a.txt", "b.txt")]
        await here.accept(await here.propose())
        blobs = state_folder(str(here.root)) / "blobs"
        (damaged,) = (p for p in blobs.rglob("*") if p.is_file() and p.read_bytes() == b"a.txt\n")
        damaged.write_bytes(b"a.txX\n")

        undone = await here.undo()

        assert undone["restored"] == [uris[1]]
        assert str(damaged) in undone["conflicts"][0]["reason"]
        assert [here.editor.texts[uri] for uri in uris] == ["A\n", "b.txt\n"]


@pytest.mark.parametrize(
    "data",
    [b"caf\xe9\r\none\r\n", b"\xef\xbb\xbfone\r\ntwo\n", "one\n\u20ac\n".encode("utf-16"), b"one\ntwo"],
)
async def test_an_accept_in_the_editor_is_undone_on_the_disk_byte_for_byte(
    tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    form = decode(data)
    after = form.text.replace("one", "ONE")
    async with desk(tmp_path, {"a.txt": after}) as here:
        path = here.root / "a.txt"
        path.write_bytes(data)
        path.chmod(0o640)
        uri = here.editor.open(path, form.text)
        await here.accept(await here.propose())
        path.write_bytes(encode(attrs.evolve(form, text=here.editor.texts[uri])))

        code = main(["undo", "--root", str(here.root)])

        assert code == 0
        assert capsys.readouterr().err == ""
        assert path.read_bytes() == data
        assert path.stat().st_mode & 0o777 == 0o640


async def test_a_restarted_server_takes_back_what_the_last_one_applied(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        await here.accept(proposal)
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", AFTER + "user\n")

        await here.undo(proposalId=proposal["id"])
        shown = await here.server.wait_for(lambda m: m.get("method") == "agent/proposalChanged")

        assert here.editor.texts[uri] == BASE + "user\n"
        assert [h["state"] for h in shown["params"]["proposal"]["hunks"]] == ["pending", "pending"]


async def test_what_was_undone_cannot_be_undone_again(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        here.editor.open(here.root / "a.txt", BASE)
        proposal = await here.propose()
        accepted = await here.accept(proposal)
        undone = await here.undo()

        for what in ({"checkpointId": accepted["checkpointId"]}, {"proposalId": proposal["id"]}):
            answer = await here.server.request("agent/undo", what)
            assert answer["error"]["data"]["code"] == "wrongState"
        both = {"checkpointId": undone["checkpointId"], "proposalId": proposal["id"]}
        answer = await here.server.request("agent/undo", both)
        assert answer["error"]["data"]["code"] == "invalidInput"


async def test_the_command_says_what_stayed(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        uri = here.editor.open(here.root / "a.txt", BASE)
        await here.accept(await here.propose())
        here.editor.type(uri, AFTER.replace("SIX", "SIX user"))

        result = await here.server.result(
            "workspace/executeCommand", {"command": "greenline.server.undo", "arguments": [{}]}
        )
        message = await here.server.wait_for(
            lambda m: m.get("method") == "window/showMessage" and "Not undone" in m["params"]["message"]
        )

        assert result["restored"] == [uri]
        assert "a.txt" in message["params"]["message"]


async def test_what_the_command_line_applied_is_undone_in_the_open_buffer(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "ws").symlink_to("real")
    async with desk(tmp_path, {"a.txt": AFTER}) as here:
        path = here.root / "a.txt"
        path.write_text(BASE)
        root = str(here.root.resolve())
        journal = open_journal(root)
        change = FileChange(str(path.resolve()), BASE.encode(), AFTER.encode())
        apply_changes([change], (root,), open_checkpoints(root, journal, Settings()), Occasion("applied"))
        journal.close()
        uri = here.editor.open(path, AFTER + "user\n")

        undone = await here.undo()

        assert undone["conflicts"] == []
        assert list(here.editor.texts.values()) == [BASE + "user\n"]
        assert here.editor.edits[0]["edit"]["documentChanges"][0]["textDocument"] == {
            "uri": uri,
            "version": 1,
        }
        assert path.read_text() == AFTER


async def test_hunks_that_the_user_took_back_wait_again_after_an_undo(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": "new\n"}) as here:
        (here.root / "a.txt").write_text("old\n")
        uri = here.editor.open(here.root / "a.txt", "old\n")
        proposal = await here.propose()
        accepted = await here.accept(proposal)
        here.editor.type(uri, "old\n")

        undone = await here.undo()

        assert (undone["restored"], undone["conflicts"]) == ([], [])
        assert undone["byHand"] == [accepted["checkpointId"]]
        assert await here.states(proposal) == ("proposed", ["pending"])
        await here.accept(proposal)
        assert here.editor.texts[uri] == "new\n"


async def test_the_command_says_that_a_change_was_taken_back_already(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.txt": "new\n"}) as here:
        uri = here.editor.open(here.root / "a.txt", "old\n")
        await here.accept(await here.propose())
        here.editor.type(uri, "old\n")

        await here.command("undo")
        message = await here.server.wait_for(
            lambda m: m.get("method") == "window/showMessage" and "taken back" in m["params"]["message"]
        )

        assert "waits for a review again" in message["params"]["message"]
