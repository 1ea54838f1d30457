"""The state of a review against the real server process: links, decisions, restarts, fresh evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsp_desk import Desk, desk
from lsp_driver import LATER
from review_sample import AFTER, BEFORE, proposed

pytestmark = pytest.mark.asyncio

USER = "# typed by the user\n"


async def actions(here: Desk, uri: str, line: int) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    found = await here.server.result("textDocument/codeAction", params)
    return {action["title"]: action for action in found}


def command_of(action: Any) -> dict[str, Any]:
    """Return the command of an action; a client without action literals gets it bare."""
    bare = action if isinstance(action["command"], str) else action["command"]
    return {"command": bare["command"], "arguments": bare["arguments"]}


async def test_a_hunk_that_needs_another_says_so_wherever_it_is_shown(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        brings, uses, alone = proposal["hunks"]

        hover = await here.server.result(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 0}}
        )
        lenses = await here.server.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        titles = [lens["command"]["title"] for lens in lenses]
        shown = here.server.of("textDocument/publishDiagnostics")[-1]["diagnostics"]

        assert [brings["needs"], uses["needs"], alone["needs"]] == [[], [brings["id"]], []]
        assert "Needs a.py:1, not accepted yet" in hover["contents"]["value"]
        assert titles.count("Accept with the 1 that it needs") == 1
        offered = await actions(here, uri, 4)
        assert any(title.endswith("ccept with the 1 that it needs") for title in offered)
        assert ["needs 1 more" in item["message"] for item in shown] == [False, True, False]


async def test_accepting_what_needs_another_is_said_and_takes_nothing_along(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        brings, uses, _ = (hunk["id"] for hunk in proposal["hunks"])

        result = await here.accept(proposal, 1)

        assert result["needs"] == [{"hunkId": uses, "uri": uri, "needs": [brings]}]
        assert await here.states(proposal) == ("partlyAccepted", ["pending", "accepted", "pending"])
        assert here.editor.texts[uri] == BEFORE.replace("3 *", "math.pi *")
        assert (await here.accept(proposal, 0))["needs"] == []


async def test_rejecting_what_an_accepted_hunk_needs_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        brings, uses, alone = (hunk["id"] for hunk in proposal["hunks"])
        await here.accept(proposal, 1)

        free = await here.command("rejectHunk", proposalId=proposal["id"], hunkId=alone)
        needed = await here.command("rejectHunk", proposalId=proposal["id"], hunkId=brings)

        assert free["needs"] == []
        assert needed["needs"] == [{"hunkId": uses, "uri": uri, "needs": [brings]}]
        (said,) = [m["message"] for m in here.server.of("window/showMessage") if m["type"] == 2]
        assert "a.py" in said


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Accept with the 1 that it needs", ["accepted", "accepted", "pending"]),
        ("Accept this one alone", ["pending", "accepted", "pending"]),
        ("Cancel", ["pending", "pending", "pending"]),
        (None, ["pending", "pending", "pending"]),
    ],
)
async def test_the_command_asks_before_it_accepts_what_needs_another(
    tmp_path: Path, answer: str | None, expected: list[str]
) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        _, proposal = await proposed(here)
        asked: list[str] = []

        def choose(params: dict[str, Any]) -> dict[str, str] | None:
            asked.append(params["message"])
            return None if answer is None else {"title": answer}

        here.server.answers["window/showMessageRequest"] = choose

        await here.command("acceptHunk", proposalId=proposal["id"], hunkId=proposal["hunks"][1]["id"])

        assert len(asked) == 1
        assert asked[0] == "This change makes no sense without a.py:1 (pending). Accept it anyway?"
        assert (await here.states(proposal))[1] == expected


async def test_accepting_the_rest_asks_where_it_was_not_measured_so(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        asked: list[str] = []

        def choose(params: dict[str, Any]) -> dict[str, str] | None:
            asked.append(params["message"])
            return {"title": "Accept all"} if len(asked) > 1 else None

        here.server.answers["window/showMessageRequest"] = choose
        brings = proposal["hunks"][0]["id"]
        await here.command("rejectHunk", proposalId=proposal["id"], hunkId=brings)

        refused = await here.command("acceptAll", proposalId=proposal["id"])
        accepted = await here.command("acceptFile", proposalId=proposal["id"], uri=uri)

        assert asked[0] == (
            "The tests ran with other changes or lines: some were rejected or edited since. "
            "What waits makes no sense without a.py:1 (rejected). Accept all of it anyway?"
        )
        assert asked == asked[:1] * 2
        assert (refused["applied"], len(accepted["applied"])) == ([], 2)


@pytest.mark.parametrize("is_edited", [False, True])
async def test_accepting_the_rest_asks_where_accepted_lines_were_edited(
    tmp_path: Path, is_edited: bool
) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        asked: list[str] = []
        here.server.answers["window/showMessageRequest"] = lambda params: asked.append(params["message"])
        await here.accept(proposal, 2)
        if is_edited:
            here.editor.type(uri, here.editor.texts[uri].replace("return 1", "return 2"))

        await here.command("acceptAll", proposalId=proposal["id"])

        assert len(asked) == is_edited
        states = (await here.states(proposal))[1]
        assert states == (["pending", "pending", "accepted"] if is_edited else ["accepted"] * 3)


async def test_a_hunk_is_accepted_with_what_it_needs_in_one_edit(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        offered = await actions(here, uri, 4)
        (title,) = (title for title in offered if "that it needs" in title)

        await here.server.result("workspace/executeCommand", command_of(offered[title]))

        assert (await here.states(proposal))[1] == ["accepted", "accepted", "pending"]
        assert len(here.editor.edits) == 1
        assert here.editor.texts[uri] == AFTER.replace("return 1", "return 0")


async def test_hunks_are_decided_by_file(tmp_path: Path) -> None:
    files: dict[str, str | None] = {"a.py": AFTER, "b.txt": "B\nx\nC\n"}
    async with desk(tmp_path, files) as here:
        other = here.editor.open(here.root / "b.txt", "b\nx\nc\n")
        uri, proposal = await proposed(here)

        offered = " ".join(await actions(here, other, 0))
        accepted = await here.command("acceptFile", proposalId=proposal["id"], uri=other)
        rejected = await here.command("rejectFile", proposalId=proposal["id"], uri=uri, comment="not so")

        assert "ccept all 2 in this file" in offered
        assert "eject all 2 in this file" in offered
        assert (len(accepted["applied"]), len(rejected["rejected"])) == (2, 3)
        assert here.editor.texts == {uri: BEFORE, other: "B\nx\nC\n"}
        assert {hunk["comment"] for hunk in await here.hunks(proposal)} == {"", "not so"}


async def test_what_the_user_types_while_the_run_works_moves_its_hunks(tmp_path: Path) -> None:
    ask = {"do": "ask", "text": "Which one?", "options": ["left", "right"]}
    async with desk(tmp_path, {"a.py": AFTER}, first=(ask,)) as here:
        uri = here.editor.open(here.root / "a.py", BEFORE)
        now = BEFORE.replace("import os\n", "import os\n" + USER).replace("return 0", "return 0  # mine")

        def type_and_answer(_: dict[str, Any]) -> dict[str, str]:
            here.editor.type(uri, now)
            return {"title": "left"}

        here.server.answers["window/showMessageRequest"] = type_and_answer
        proposal = await here.propose()

        shown = proposal["hunks"]
        assert [hunk["baseVersion"] for hunk in shown] == [1, 1, 1]
        assert [hunk["state"] for hunk in shown] == ["pending", "pending", "conflicted"]
        assert shown[1]["range"]["start"]["line"] == 5
        await here.accept(proposal, 0, 1)
        assert here.editor.texts[uri] == "import math\n" + now.replace("3 *", "math.pi *")


async def test_a_killed_server_leaves_what_waits_and_decides_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        await here.accept(proposal, 0)
        left = here.editor.texts[uri]
        here.server.process.kill()
        await here.server.process.wait()
    # The user goes on without a server: a line above everything, and one between two hunks.
    now = USER + left.replace("def name", USER + "def name")
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri = here.editor.open(here.root / "a.py", now)
        shown = await here.hunks(proposal)

        assert [hunk["state"] for hunk in shown] == ["accepted", "pending", "pending"]
        rows = [hunk["range"]["start"]["line"] for hunk in shown[1:]]
        assert [now.split("\n")[row] for row in rows] == ["    return 3 * r * r", "    return 0"]
        await here.accept(proposal, 1, 2)
        assert here.editor.texts[uri].replace(USER, "") == AFTER
        assert here.editor.texts[uri].count(USER) == 2


async def test_after_a_restart_a_hunk_finds_its_place_among_lines_that_are_alike(tmp_path: Path) -> None:
    before = "x = 1\n\n" * 6
    rows = before.split("\n")
    rows[6] = "x = 2"
    async with desk(tmp_path, {"a.py": "\n".join(rows)}) as here:
        path = here.root / "a.py"
        path.write_text(before)
        proposal = await here.propose()
        here.server.process.kill()
        await here.server.process.wait()
    async with desk(tmp_path, {}) as here:
        uri = here.editor.open(path, "y = 0\n" + before)

        await here.accept(proposal)

        assert here.editor.texts[uri] == "y = 0\n" + "\n".join(rows)


async def test_a_hunk_whose_lines_are_gone_says_so_and_comes_back_with_them(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        states = []
        for text in (BEFORE.replace("3 *", "4 *"), BEFORE.replace("import os\n", "import os\n" + USER)):
            here.editor.type(uri, text)
            states.append([hunk["state"] for hunk in await here.hunks(proposal)])
        told = [p["proposal"]["hunks"] for p in here.server.of("agent/proposalChanged")]

        assert states == [["pending", "conflicted", "pending"], ["pending", "pending", "pending"]]
        assert [[h["state"] for h in hunks] for hunks in told[-2:]] == states
        assert [h["range"]["start"]["line"] for h in told[-1]] == [0, 5, 13]


async def test_a_hunk_whose_lines_are_gone_is_shown_where_they_were(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        (line,) = [row for row, text in enumerate(BEFORE.splitlines()) if "3 *" in text]
        changed = BEFORE.replace("3 *", "4 *")
        starts = []
        for text in (changed, "# above\n" + changed, "# above\n# more\n" + changed, "# above\n" + BEFORE):
            here.editor.type(uri, text)
            hunk = (await here.hunks(proposal))[1]
            starts.append((hunk["state"], hunk["range"]["start"]["line"] - line))
        told = here.server.of("agent/proposalChanged")

        assert starts == [("conflicted", 0), ("conflicted", 1), ("conflicted", 2), ("pending", 1)]
        assert told[-2]["proposal"]["hunks"][1]["range"]["start"]["line"] == line + 2


async def test_typing_that_moves_no_hunk_sends_no_proposal(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        n_told = len(here.server.of("agent/proposalChanged"))

        here.editor.type(uri, BEFORE.replace("os.name", "os.name + ''"))
        await here.hunks(proposal)

        assert len(here.server.of("agent/proposalChanged")) == n_told


async def test_evidence_is_partial_after_a_partial_accept_and_fresh_after_one_action(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        assert proposal["evidence"]["currency"] == "current"
        assert not any("again" in title for title in await actions(here, uri, 0))
        await here.accept(proposal, 0, 1)
        partial = here.server.of("agent/proposalChanged")[-1]["proposal"]
        here.editor.type(uri, here.editor.texts[uri] + USER)

        offered = await actions(here, uri, 0)
        (title,) = (title for title in offered if "again" in title)
        fresh = (await here.server.result("workspace/executeCommand", command_of(offered[title])))["proposal"]

        assert partial["evidence"]["currency"] == "partial"
        assert fresh["evidence"]["currency"] == "current"
        assert fresh["evidence"]["detail"] == f"lines of a.py: {len((AFTER + USER).splitlines())}"
        assert sorted(fresh["evidence"]["measured"]) == sorted(h["id"] for h in proposal["hunks"][:2])
        await here.accept(proposal, 2)
        assert here.server.of("agent/proposalChanged")[-1]["proposal"]["evidence"]["currency"] == "partial"
        again = (await here.server.result("agent/verify", {"proposalId": proposal["id"]}))["proposal"]
        assert again["evidence"]["currency"] == "current"


async def test_evidence_is_partial_while_accepted_lines_are_not_as_they_were_measured(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        await here.accept(proposal)

        async def currency(text: str) -> tuple[str, bool]:
            here.editor.type(uri, text)
            run = (await here.server.result("agent/run", {"runId": proposal["runId"]}))["run"]
            is_offered = any("again" in title for title in await actions(here, uri, 0))
            return run["proposal"]["evidence"]["currency"], is_offered

        broken = AFTER.replace("math.pi *", "math.tau *")
        found = [await currency(text) for text in (AFTER, AFTER + USER, USER + broken, USER + AFTER, broken)]
        told = [one["proposal"]["evidence"]["currency"] for one in here.server.of("agent/proposalChanged")]
        fresh = (await here.server.result("agent/verify", {"proposalId": proposal["id"]}))["proposal"]
        after = [await currency(text) for text in (broken, USER + broken, AFTER)]

        assert [one for one, _ in found] == ["current", "current", "partial", "current", "partial"]
        assert [offered for _, offered in found] == [False, False, True, False, True]
        assert told[-3:] == ["partial", "current", "partial"]
        assert fresh["evidence"]["currency"] == "current"
        assert [one for one, _ in after] == ["current", "current", "partial"]


async def test_nothing_is_measured_where_nothing_is_left_of_a_proposal(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        _, proposal = await proposed(here)
        await here.command("rejectAll", proposalId=proposal["id"])

        answer = await here.server.request("agent/verify", {"proposalId": proposal["id"]})
        missing = await here.server.request("agent/verify", {"proposalId": "nothing"})

        assert answer["error"]["data"]["code"] == "wrongState"
        assert missing["error"]["data"]["code"] == "notFound"


async def test_an_edit_that_the_editor_made_and_denies_is_applied(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        here.server.answers["workspace/applyEdit"] = lambda params: {
            **here.editor.apply(params),
            "applied": False,
        }
        answer = await here.accept(proposal)
        assert here.editor.texts[uri] == AFTER
        assert answer["conflicts"] == []
        assert len(answer["applied"]) == 3


async def test_an_edit_that_the_editor_makes_after_its_review_was_cancelled_is_seen(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        here.server.answers["workspace/applyEdit"] = lambda _: LATER
        decision = {"hunkId": proposal["hunks"][2]["id"], "decision": "accept"}
        review = {"proposalId": proposal["id"], "decisions": [decision]}
        number = here.server.start_request("agent/review", review)
        asked = await here.server.wait_for(lambda m: m.get("method") == "workspace/applyEdit")

        here.server.notify("$/cancelRequest", {"id": number})
        answer = await here.server.answer(number)
        applied = here.editor.apply(asked["params"])
        here.server.send({"id": asked["id"], "result": applied}, {"id": asked["id"], "result": applied})
        await here.server.wait_for(lambda m: m.get("params", {}).get("kind") == "checkpoint")

        assert answer["error"]["code"] == -32800
        assert await here.states(proposal) == ("partlyAccepted", ["pending", "pending", "accepted"])
        here.server.answers["workspace/applyEdit"] = here.editor.apply
        assert (await here.undo())["restored"] == [uri]
        assert here.editor.texts[uri] == BEFORE
        assert await here.server.end() == 0


async def test_a_refused_accept_names_the_place_and_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri, proposal = await proposed(here)
        here.editor.type(uri, BEFORE.replace("    return 0\n", "    return 7\n"))

        await here.command("acceptHunk", proposalId=proposal["id"], hunkId=proposal["hunks"][2]["id"])

        (said,) = [m["message"] for m in here.server.of("window/showMessage") if m["type"] == 2]
        assert said.startswith(
            "Nothing was applied: a.py:13: The text that it replaces is gone: reject it, or"
        )
        assert str(tmp_path) not in said
