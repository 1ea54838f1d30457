"""A conversation over ACP: what is asked, what is shown, and what is written; the agent plays a script."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, image_block, resource_link_block, text_block
from acp_desk import NO_FILES, Client, Desk, desk, open_session

from greenline.acp.agent import GreenlineAgent
from greenline.acp.files import ClientFiles
from greenline.acp.link import Abilities, Link
from greenline.agent.client import WorkerClient
from greenline.agent.scripted_agent import Step
from greenline.core.edit import HunkState
from greenline.core.evidence import Evidence, Verdict
from greenline.core.task import RunState, Task
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.review import FileEdit
from greenline.lsp.session import Listener, Session

pytestmark = pytest.mark.asyncio
OLD = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\ni = 9\n"
TWO = OLD.replace("a = 1", "a = 10").replace("i = 9", "i = 90")
ONE = OLD.replace("a = 1", "a = 10")


def propose(**files: str | None) -> Step:
    return Step("propose", files={f"{name}.py": text for name, text in files.items()}, why="Asked for.")


def write(folder: Path, name: str = "a.py", text: str = OLD) -> Path:
    path = folder / "ws" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def states(on: Desk) -> list[HunkState]:
    proposal = on.run().proposal
    assert proposal is not None
    return [hunk.state for hunk in proposal.hunks]


async def test_a_file_is_written_by_the_client_and_only_once_it_is_allowed(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        seen: list[tuple[str, list[str]]] = []
        on.client.while_asked = lambda: seen.append((path.read_text(), list(on.client.written)))

        assert await on.say("change") == "end_turn"

        assert seen == [(OLD, [])]
        assert on.client.written == [str(path)]
        assert path.read_text() == ONE
        assert states(on) == [HunkState.ACCEPTED]
        assert on.run().state is RunState.ACCEPTED
        (call, options) = on.client.asked[0]
        assert [option.kind for option in options] == ["allow_once", "reject_once"]
        assert "verified" in str(call.title)
        (offered,) = on.client.of("tool_call")
        (diff,) = offered["content"]
        assert (diff["type"], diff["path"]) == ("diff", str(path))
        assert (diff["oldText"], diff["newText"]) == (OLD, ONE)
        assert offered["locations"] == [{"path": str(path), "line": 1}]
        assert on.client.of("tool_call_update")[-1]["status"] == "completed"
        assert "1 of 1 hunks accepted" in on.client.words()


async def test_the_plan_is_told_as_it_goes_on(tmp_path: Path) -> None:
    write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        await on.say("change")

        told = [update["entries"][0] for update in on.client.of("plan")]
        assert [entry["content"] for entry in told] == ["Change it"] * len(told)
        assert [entry["status"] for entry in told] == ["pending", "in_progress"]


async def test_unsaved_changes_of_the_client_are_the_truth(tmp_path: Path) -> None:
    path = write(tmp_path)
    typed = "# mine\n" + OLD
    async with desk(tmp_path, propose(a=typed.replace("a = 1", "a = 10"))) as on:
        on.client.buffers[str(path)] = typed

        await on.say("change")

        (diff,) = on.client.of("tool_call")[0]["content"]
        assert diff["oldText"] == typed
        assert path.read_text() == "# mine\n" + ONE
        assert await on.say("/undo") == "end_turn"
        assert path.read_text() == typed
        assert states(on) == [HunkState.PENDING]


async def test_a_file_of_which_the_client_tells_nothing_is_not_written(tmp_path: Path) -> None:
    """It may hold unsaved changes; nothing is written over them, and the hunk waits on."""
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.while_asked = lambda: on.client.unread.add(str(path))

        await on.say("change")

        assert path.read_text() == OLD
        assert on.client.written == []
        assert states(on) == [HunkState.PENDING]
        told = on.client.of("tool_call_update")[-1]["content"][0]["content"]["text"]
        assert "does not tell whether" in told

        on.client.unread.clear()
        on.client.while_asked = lambda: None
        await on.say("/review")

        assert path.read_text() == ONE


async def test_hunks_are_decided_one_by_one(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=TWO)) as on:
        on.client.choices = ["reject", "accept"]

        await on.say("change")

        assert path.read_text() == OLD.replace("i = 9", "i = 90")
        assert states(on) == [HunkState.REJECTED, HunkState.ACCEPTED]
        assert on.run().state is RunState.PARTLY_ACCEPTED
        ended = {u["toolCallId"]: u["status"] for u in on.client.of("tool_call_update")}
        assert list(ended.values()) == ["failed", "completed"]


@pytest.mark.parametrize(
    ("choice", "text", "state"),
    [("acceptRest", TWO, HunkState.ACCEPTED), ("rejectRest", OLD, HunkState.REJECTED)],
)
async def test_all_that_remain_are_decided_at_once(
    choice: str, text: str, state: HunkState, tmp_path: Path
) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=TWO)) as on:
        on.client.choices = [choice]

        await on.say("change")

        assert len(on.client.asked) == 1
        begun = [call["toolCallId"] for call in on.client.of("tool_call")]
        assert begun == [call["toolCallId"] for call in on.client.of("tool_call_update")]
        assert len(begun) == 2
        assert path.read_text() == text
        assert states(on) == [state, state]


async def test_what_is_not_verified_is_never_accepted_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path)
    broken = Evidence(Verdict.REGRESSED, "lost", "test_b is lost.")
    async with desk(tmp_path, Step("propose", files={"a.py": TWO}, evidence=broken)) as on:
        on.client.choices = ["reject", "reject"]

        await on.say("change")

        offered = [[option.option_id for option in options] for _, options in on.client.asked]
        assert offered == [["accept", "reject", "rejectRest"], ["accept", "reject"]]
        assert all("breaks a test" in str(call.title) for call, _ in on.client.asked)


async def test_text_that_changes_while_the_user_is_asked_moves_the_hunk_along(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.while_asked = lambda: on.client.buffers.update({str(path): "# typed meanwhile\n" + OLD})

        await on.say("change")

        assert path.read_text() == "# typed meanwhile\n" + ONE


async def test_text_that_is_gone_is_a_conflict_and_nothing_is_written(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.while_asked = lambda: on.client.buffers.update({str(path): "all other\n"})

        await on.say("change")

        last = on.client.of("tool_call_update")[-1]
        assert last["status"] == "failed"
        assert "gone" in last["content"][0]["content"]["text"]
        assert on.client.written == []
        assert states(on) == [HunkState.PENDING]


async def test_a_file_that_cannot_be_written_takes_the_others_back(tmp_path: Path) -> None:
    first, second = write(tmp_path), write(tmp_path, "b.py")
    async with desk(tmp_path, propose(a=ONE, b=ONE, c="new\n")) as on:
        on.client.refused = {str(second)}
        on.client.choices = ["acceptRest"]

        await on.say("change")

        assert first.read_text() == second.read_text() == OLD
        assert not (tmp_path / "ws" / "c.py").exists()
        assert set(states(on)) == {HunkState.PENDING}
        assert "did not write" in on.client.of("tool_call_update")[-1]["content"][0]["content"]["text"]


async def test_a_client_without_files_gets_them_written_here(tmp_path: Path) -> None:
    path, other = write(tmp_path), write(tmp_path, "old.py")
    path.write_bytes(OLD.replace("\n", "\r\n").encode())
    path.chmod(0o750)
    after = ONE.replace("\n", "\r\n")
    async with desk(tmp_path, propose(a=after, b="new\n", old=None), capabilities=NO_FILES) as on:
        on.client.choices = ["acceptRest"]

        await on.say("change")

        assert on.client.read == on.client.written == []
        assert set(states(on)) == {HunkState.ACCEPTED}
    assert path.read_bytes() == after.encode()
    assert path.stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "ws" / "b.py").read_text() == "new\n"
    assert not other.exists()


async def test_a_file_in_another_encoding_keeps_its_bytes(tmp_path: Path) -> None:
    path = write(tmp_path)
    before, after = "# coding: latin-1\r\nname = 'é'\r\n", "# coding: latin-1\r\ntitle = 'é'\r\n"
    path.write_bytes(before.encode("latin-1"))
    async with desk(tmp_path) as on:
        link = Link(on.client, on.session_id, Abilities(can_read=False, can_write=True))
        files = ClientFiles(link, open_session(tmp_path, on.journal))

        assert await files.apply("Rename", (FileEdit(str(path), "edit", before, after, None),)) == ""
        unwritable = FileEdit(str(path), "edit", after, after + "# ✓\r\n", None)
        assert "U+2713" in await files.apply("Tick", (unwritable,))

        assert on.client.written == []
    assert path.read_bytes() == after.encode("latin-1")
    assert [item.name for item in path.parent.iterdir()] == ["a.py"]


async def test_what_was_typed_after_the_client_was_asked_is_not_overwritten(tmp_path: Path) -> None:
    path, other = write(tmp_path), write(tmp_path, "b.py")
    async with desk(tmp_path) as on:
        link = Link(on.client, on.session_id, Abilities(can_read=True, can_write=True))
        files = ClientFiles(link, open_session(tmp_path, on.journal))
        await files.refresh([str(path), str(other)])
        on.client.buffers[str(path)] = OLD + "typed = 1\n"

        edits = tuple(FileEdit(str(file), "edit", OLD, ONE, None) for file in (other, path))
        assert "a.py was changed in the client meanwhile" in await files.apply("Change it", edits)

        assert on.client.buffers[str(path)] == OLD + "typed = 1\n"
    assert (path.read_text(), other.read_text()) == (OLD, OLD)


async def test_a_permission_is_answered_by_the_users_choice(tmp_path: Path) -> None:
    write(tmp_path)
    ask = Step("ask", text="Run run_command: make", options=(), permission=True)
    async with desk(tmp_path, ask, propose(a=ONE)) as on:
        on.client.choices = ["allowAlways", "accept"]

        await on.say("change")

        (call, options) = on.client.asked[0]
        assert call.title == "Run run_command: make"
        assert {option.option_id: option.kind for option in options} == {
            "allowOnce": "allow_once",
            "allowAlways": "allow_always",
            "rejectOnce": "reject_once",
            "rejectAlways": "reject_always",
        }
        thoughts = [update["content"]["text"].strip() for update in on.client.of("agent_thought_chunk")]
        assert thoughts == ["answered: allowAlways"]


async def test_a_question_with_answers_is_a_choice(tmp_path: Path) -> None:
    write(tmp_path)
    ask = Step("ask", text="Which one?", options=("left", "right"))
    async with desk(tmp_path, ask, propose(a=ONE)) as on:
        on.client.choices = ["right", "accept"]

        await on.say("change")

        assert on.client.of("agent_thought_chunk")[0]["content"]["text"].strip() == "answered: right"


async def test_a_question_in_words_ends_the_turn_and_the_next_prompt_answers_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, Step("ask", text="How many?"), propose(a=ONE)) as on:
        assert await on.say("change") == "end_turn"
        assert "How many?" in on.client.words()
        assert on.run().state is RunState.NEEDS_INPUT

        assert await on.say("seven") == "end_turn"

        assert on.client.of("agent_thought_chunk")[0]["content"]["text"].strip() == "answered: seven"
        assert path.read_text() == ONE
        assert len(on.journal.runs_of(on.session_id)) == 1


async def test_words_after_a_cancelled_question_are_a_request_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, Step("ask", text="How many?"), propose(a=ONE)) as on:
        await on.say("change")
        await on.agent.cancel(session_id=on.session_id)

        await on.say("change")
        await on.say("seven")

        cancelled, done = on.journal.runs_of(on.session_id)
        assert (cancelled.state, done.state) == (RunState.CANCELLED, RunState.ACCEPTED)
        assert path.read_text() == ONE


@pytest.mark.parametrize("name", ["../outside.py", "link.py", "{outside}"])
async def test_a_plan_that_names_a_file_outside_is_carried_out_without_it(name: str, tmp_path: Path) -> None:
    path = write(tmp_path)
    outside = write(tmp_path, "../outside.py")
    (path.parent / "link.py").symlink_to(outside)
    async with desk(tmp_path, propose(a=ONE), files=(name.format(outside=outside), "a.py")) as on:
        await on.say("change")

        assert path.read_text() == ONE
        assert set(on.client.read) == {str(path)}


async def test_sessions_that_begin_at_once_share_one_front_and_one_is_taken_up_once(tmp_path: Path) -> None:
    root = str(write(tmp_path).parent)
    state, client = tmp_path / "state", Client()
    journal = SqliteJournal(state / "journal.db")
    opened: list[Session] = []

    def open_one(roots: tuple[str, ...], listener: Listener) -> Session:
        # The worker is never needed, so that it is never started.
        worker = WorkerClient((), journal, state / "worker.log", is_warmed=False)
        store = CheckpointStore(journal, BlobStore(state / "blobs"))
        opened.append(Session(roots, journal, worker, listener, state, store))
        return opened[-1]

    journal.create_run(Task("change", (root,), session="session-old"))
    agent = GreenlineAgent(open_one, lambda _: journal)
    agent.on_connect(client)
    old = [agent.load_session(cwd=root, session_id="session-old") for _ in range(2)]
    await asyncio.gather(*old)
    told = len(client.of("available_commands_update"))
    new = [agent.new_session(cwd=str(tmp_path)) for _ in range(2)]
    begun = await asyncio.gather(*new)
    await agent.stop()
    journal.close()

    assert told == 1
    assert [session.roots for session in opened] == [(root,), (str(tmp_path),)]
    assert len({made.session_id for made in begun}) == 2


async def test_a_cancelled_turn_says_so_and_its_run_is_cancelled(tmp_path: Path) -> None:
    write(tmp_path)
    thinking = Step("event", data={"author": "model", "text": "Looking."})
    async with desk(tmp_path, thinking, Step("wait")) as on:
        turn = asyncio.get_running_loop().create_task(on.say("change"))
        await on.client.until(lambda: bool(on.client.of("agent_thought_chunk")))

        with pytest.raises(RequestError, match="still being worked on"):
            await on.say("change")
        await on.agent.cancel(session_id=on.session_id)

        assert await turn == "cancelled"
        assert on.run().state is RunState.CANCELLED


async def test_hunks_whose_question_is_taken_back_wait_for_a_review(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.choices = [None]
        await on.say("change")
        assert states(on) == [HunkState.PENDING]
        assert path.read_text() == OLD

        await on.say("/review")

        assert path.read_text() == ONE
        await on.say("/review")
        assert "Nothing waits" in on.client.words()


async def test_a_session_is_loaded_with_all_that_happened(tmp_path: Path) -> None:
    write(tmp_path)
    async with desk(tmp_path, propose(a=TWO)) as on:
        on.client.choices = ["accept", None]
        await on.say("change")
        session_id = on.session_id
        listed = (await on.agent.list_sessions(cwd=str(on.root))).sessions
        assert [(item.session_id, item.title) for item in listed] == [(session_id, "change")]

    async with desk(tmp_path, propose(a=TWO), session_id=session_id) as on:
        assert {update["sessionUpdate"] for update in on.client.updates} <= {"available_commands_update"}

    async with desk(tmp_path, propose(a=TWO)) as on:
        await on.agent.load_session(cwd=str(on.root), session_id=session_id, mcp_servers=[])
        assert on.client.of("user_message_chunk")[0]["content"]["text"] == "change"
        calls = on.client.of("tool_call")
        assert len(calls) == 2
        ended = on.client.of("tool_call_update")
        assert [(u["toolCallId"], u["status"]) for u in ended] == [(calls[0]["toolCallId"], "completed")]
        again = await on.agent.prompt(session_id=session_id, prompt=[text_block("/review")])
        assert again.stop_reason == "end_turn"
        assert (on.root / "a.py").read_text() == TWO


async def test_a_run_that_was_cut_short_is_taken_up_again(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, Step("die")) as on:
        await on.say("change")
        assert "The agent ended" in on.client.words()
        assert on.run().state is RunState.INTERRUPTED
        session_id = on.session_id

    async with desk(tmp_path, propose(a=ONE), session_id=session_id) as on:
        assert await on.say("/resume") == "end_turn"

        assert path.read_text() == ONE
        assert len(on.journal.runs_of(session_id)) == 1


async def test_a_line_is_explained(tmp_path: Path) -> None:
    write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.choices = [None]
        await on.say("change")

        await on.say("/explain a.py:1")
        assert "Asked for" in on.client.words()
        await on.say("/explain a.py")
        assert "'a.py' names no line" in on.client.words()


async def test_files_that_come_with_a_prompt_are_read_from_the_client(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with desk(tmp_path, propose(a=ONE)) as on:
        on.client.buffers[str(path)] = OLD + "# typed\n"
        link = resource_link_block("a.py", path.as_uri() + "#L2-3")

        await on.agent.prompt(session_id=on.session_id, prompt=[text_block("change"), link])

        context = on.run().task.context
        assert context.files == (str(path),)
        assert context.range is not None
        assert (context.range.start_line, context.range.end_line) == (1, 2)
        assert on.client.read[0] == str(path)


async def test_bad_requests_are_told_with_their_remedy(tmp_path: Path) -> None:
    write(tmp_path)
    async with desk(tmp_path) as on:
        agent, here = on.agent, str(on.root)
        bad: list[tuple[Any, str]] = [
            (agent.new_session(cwd="relative", mcp_servers=[]), "relative is no folder"),
            (agent.new_session(cwd=f"{here}/none", mcp_servers=[]), "none is no folder"),
            (agent.load_session(cwd=here, session_id="session-0", mcp_servers=[]), "no session 'session-0'"),
            (agent.resume_session(cwd=here, session_id="session-0"), "no session 'session-0'"),
            (agent.prompt(session_id="session-0", prompt=[text_block("x")]), "no session 'session-0'"),
            (
                agent.prompt(session_id=on.session_id, prompt=[image_block("aGk=", "image/png")]),
                "type image",
            ),
        ]
        for request, words in bad:
            with pytest.raises(RequestError, match=words) as caught:
                await request
            assert caught.value.code == -32602
            assert caught.value.data["remedy"]

        await on.say("/fix")
        assert "No model is configured" in on.client.words()
        await on.say(" ")
        assert "The request is empty" in on.client.words()
