"""litellm itself, over HTTP on loopback, against the scripted server."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, ModelFailed
from greenline.core.port import Completion, Image, Message, ToolRequest, ToolSpec
from greenline.model.litellm_model import LitellmModel, import_litellm
from greenline.model.scripted_server import ScriptedServer

pytestmark = [
    # litellm and the libraries below it warn about themselves; that is not ours to mend.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(120),
]
READ = ToolSpec(
    "read_file",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
QUESTION = (Message("system", "Be brief."), Message("user", "What does a.py say?"))


def test_text_is_streamed_and_counted() -> None:
    parts: list[str] = []
    words = "It says hello, and then it says good-bye to everybody."

    answer = _ask([{"content": words, "usage": _usage(11, 7)}], on_text=parts.append)

    assert answer.message.content == words
    assert "".join(parts) == words
    assert len(parts) > 1
    assert (answer.finish_reason, answer.usage.prompt_tokens, answer.usage.completion_tokens) == (
        "stop",
        11,
        7,
    )


@pytest.mark.parametrize("native_tools", [True, False])
def test_an_image_is_sent_as_a_part_of_its_message(native_tools: bool) -> None:
    asked = (Message("user", "What is wrong here?", images=(Image("image/png", b"a picture"),)),)
    data = "data:image/png;base64,YSBwaWN0dXJl"

    with ScriptedServer(
        [{"content": "A typo.", "expect": ["What is wrong here?", data, "image_url"]}]
    ) as server:
        answer = _model(server, native_tools).complete(asked, [], Cancellation())

    assert answer.message.content == "A typo."


def test_whether_a_model_takes_images_is_as_the_table_says() -> None:
    assert LitellmModel("openai/gpt-4o").sees_images(Cancellation())
    assert not LitellmModel("openai/gpt-3.5-turbo").sees_images(Cancellation())
    assert not LitellmModel("openai/nobody-knows-it").sees_images(Cancellation())


def test_tool_calls_arrive_whole_and_their_answers_go_back() -> None:
    turns = [
        {"tool_calls": [{"name": "read_file", "arguments": {"path": "a.py"}}]},
        {"content": "hello", "expect": ["print('hello')"]},
    ]
    with ScriptedServer(turns) as server:
        model = _model(server)
        first = model.complete(QUESTION, [READ], Cancellation())
        request = first.message.tool_requests[0]
        answer = Message("tool", "print('hello')", tool_call_id=request.id)
        second = model.complete([*QUESTION, first.message, answer], [READ], Cancellation())

    assert first.finish_reason == "toolCalls"
    assert (request.name, request.arguments) == ("read_file", {"path": "a.py"})
    assert second.message.content == "hello"
    assert server.requests[1]["messages"][-1]["tool_call_id"] == request.id


def test_a_model_without_tool_calls_writes_them_as_json() -> None:
    text = 'I will look.\n```json\n{"tool": "read_file", "arguments": {"path": "a.py"}}\n```\n'
    with ScriptedServer([{"content": text, "expect": ["read_file"]}]) as server:
        answer = _model(server, native_tools=False).complete(QUESTION, [READ], Cancellation())

    assert "tools" not in server.requests[0]
    assert answer.message.tool_requests == (ToolRequest("text-0", "read_file", {"path": "a.py"}),)
    assert answer.message.content == "I will look."


def test_a_call_that_is_cut_off_is_never_taken() -> None:
    turn = {
        "content": "",
        "tool_calls": [{"name": "read_file", "arguments": '{"path": "a'}],
        "finish_reason": "length",
    }

    answer = _ask([turn])

    assert answer.finish_reason == "length"
    (request,) = answer.message.tool_requests
    assert (request.name, request.arguments) == ("read_file", {})
    assert "output limit" in request.problem


def test_broken_arguments_come_with_what_is_wrong_and_can_be_sent_back() -> None:
    turns = [
        {"tool_calls": [{"name": "read_file", "arguments": '{"path": '}]},
        {"content": "I see.", "expect": ["call it again"]},
    ]
    with ScriptedServer(turns) as server:
        model = _model(server)
        first = model.complete(QUESTION, [READ], Cancellation())
        (request,) = first.message.tool_requests
        told = Message("tool", "call it again", tool_call_id=request.id)
        second = model.complete([*QUESTION, first.message, told], [READ], Cancellation())

    assert (request.name, request.arguments) == ("read_file", {})
    assert "not valid JSON" in request.problem
    assert second.message.content == "I see."


def test_a_busy_server_is_asked_again_when_it_says_so() -> None:
    started = time.monotonic()

    answer = _ask([{"status": 429, "retry_after": 0.3, "error": "slow down"}, {"content": "now"}])

    assert answer.message.content == "now"
    assert time.monotonic() - started >= 0.3


def test_a_second_call_waits_too_where_the_server_asked_for_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="greenline.model.litellm_model")
    with ScriptedServer([{"status": 503, "retry_after": 30}, {"content": "for the second"}]) as server:
        model = _model(server)
        waiting = Cancellation()
        first = threading.Thread(target=_until_cancelled, args=(model, waiting))
        first.start()
        while "again in" not in caplog.text:
            waiting.wait(0.01)
        second = Cancellation()
        threading.Timer(0.2, second.cancel).start()
        with pytest.raises(Cancelled):
            model.complete(QUESTION, [], second)
        waiting.cancel()
        first.join(5)

    assert not first.is_alive()
    assert len(server.requests) == 1


def test_text_arrives_while_the_rest_is_still_being_written() -> None:
    cancellation = Cancellation()
    words = "a" * 200
    heard: list[str] = []

    def on_text(text: str) -> None:
        heard.append(text)
        if len(heard) == 2:
            cancellation.cancel()

    with ScriptedServer([{"content": words, "chunk_delay_s": 0.2}]) as server, pytest.raises(Cancelled):
        _model(server).complete(QUESTION, [], cancellation, on_text)

    assert "".join(heard) == words[:80]


def test_a_refused_key_is_said_once_with_the_remedy() -> None:
    key = "sk-not-a-real-one"
    with ScriptedServer([{"status": 401, "error": f"bad key {key}"}]) as server:
        model = LitellmModel("openai/scripted", api_base=server.address, api_key=key)
        with pytest.raises(ModelFailed) as caught:
            model.complete(QUESTION, [], Cancellation())

    assert len(server.requests) == 1
    assert "GREENLINE_API_KEY" in caught.value.remedy
    assert key not in str(caught.value)


def test_a_key_of_the_providers_own_variable_is_not_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "corpkey-Zq81kkwl20993jfjw9"
    with ScriptedServer([{"status": 401, "error": f"Incorrect API key provided: Bearer {key}"}]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        monkeypatch.setenv("OPENAI_API_BASE", server.address)
        monkeypatch.setenv("GREENLINE_MODEL", "openai/scripted")
        command = [sys.executable, "-P", "-m", "greenline", "plan", "add a function", "--root", str(tmp_path)]
        code = subprocess.run(command, check=False, timeout=120).returncode

    said = capfd.readouterr()
    assert code == 1
    assert "Incorrect API key provided" in said.err
    assert key not in said.err + said.out


def test_a_server_that_is_not_there_is_named() -> None:
    with ScriptedServer([]) as server:
        address = server.address
    model = LitellmModel("openai/scripted", api_base=address, timeout_s=5)

    with pytest.raises(ModelFailed) as caught:
        model.complete(QUESTION, [], Cancellation())

    assert address in str(caught.value)


def test_cancelling_drops_a_call_that_hangs() -> None:
    cancellation = Cancellation()
    with ScriptedServer([{"content": "imported"}, {"delay_s": 60, "content": "late"}]) as server:
        model = _model(server)
        # The import of litellm is behind us then: it takes longer than any call here.
        model.complete(QUESTION, [], Cancellation())
        threading.Timer(0.5, cancellation.cancel).start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            model.complete(QUESTION, [], cancellation)
        waited_s = time.monotonic() - started

    # The limit is the protocol's own: two seconds after the cancel.
    assert waited_s < 0.5 + 2.0


def _until_cancelled(model: LitellmModel, cancellation: Cancellation) -> None:
    with contextlib.suppress(Cancelled):
        model.complete(QUESTION, [], cancellation)


def test_cancelling_does_not_wait_for_the_import(tmp_path: Path) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("import threading\nthreading.Event().wait()\n")
    program = (
        "import threading\n"
        "from greenline.core.cancel import Cancellation\n"
        "from greenline.core.error import Cancelled\n"
        "from greenline.model.litellm_model import LitellmModel\n"
        "cancellation = Cancellation()\n"
        "threading.Timer(0.1, cancellation.cancel).start()\n"
        "try:\n"
        "    LitellmModel('openai/x').complete([], [], cancellation)\n"
        "except Cancelled:\n"
        "    print('cancelled')\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == "cancelled\n"


@pytest.mark.parametrize("style", ["input_excludes_cache", "input_includes_cache"])
def test_tokens_of_the_cache_are_charged_once(style: str) -> None:
    """The case is a reported bug: what went into the cache was charged as input too, nearly twice."""
    case = Path(__file__).parents[1] / "data" / "cases" / "58-cache-write-double"
    asked, expected, table = (
        json.loads((case / f"{name}.json").read_text()) for name in ("usage", "expected", "prices")
    )
    price = {name: value / 1e6 for name, value in table["toy-1"].items() if name != "unit"}
    written, read = asked["cache_creation_input_tokens"], asked["cache_read_input_tokens"]
    cached = written + read if style == "input_includes_cache" else 0
    usage = {
        **_usage(asked["input_tokens"] + cached, asked["output_tokens"]),
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
    }
    import_litellm().register_model(
        {
            "openai/toy-1": {
                "litellm_provider": "openai",
                "mode": "chat",
                "input_cost_per_token": price["input"],
                "output_cost_per_token": price["output"],
                "cache_read_input_token_cost": price["cache_read"],
                "cache_creation_input_token_cost": price["cache_write"],
            }
        }
    )

    with ScriptedServer([{"content": "hello", "usage": usage}]) as server:
        model = LitellmModel("openai/toy-1", api_base=server.address)
        counted = model.complete(QUESTION, [], Cancellation()).usage

    assert counted.cost_usd == pytest.approx(expected["usd"])
    assert (counted.prompt_tokens, counted.cache_write_tokens) == (asked["input_tokens"] + written, written)


def test_tokens_from_the_cache_cost_less() -> None:
    details = {**_usage(12_000, 10), "prompt_tokens_details": {"cached_tokens": 10_000}}

    with ScriptedServer(
        [{"content": "a", "usage": details}, {"content": "b", "usage": _usage(12_000, 10)}]
    ) as server:
        model = LitellmModel("openai/gpt-4o", api_base=server.address)
        cached, fresh = (model.complete(QUESTION, [], Cancellation()).usage for _ in range(2))

    assert cached.cache_read_tokens == 10_000
    assert cached.prompt_tokens == fresh.prompt_tokens
    assert 0 < cached.cost_usd < fresh.cost_usd


def test_litellm_reads_no_env_file() -> None:
    program = (
        "import dotenv\n"
        "dotenv.load_dotenv = lambda *_, **__: print('a .env file was read')\n"
        "from greenline.model.litellm_model import import_litellm\n"
        "print(import_litellm().__name__)\n"
    )

    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=110, check=True
    )

    assert done.stdout == "litellm\n"


def _ask(turns: list[dict[str, Any]], on_text: Any = None) -> Completion:
    with ScriptedServer(turns) as server:
        return _model(server).complete(QUESTION, [READ], Cancellation(), on_text)


def _model(server: ScriptedServer, native_tools: bool | None = None) -> LitellmModel:
    return LitellmModel("openai/scripted", api_base=server.address, native_tools=native_tools)


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
