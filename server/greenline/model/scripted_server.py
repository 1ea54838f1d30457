"""An OpenAI-compatible chat server on loopback that plays a script: for tests, demos and bug reports.

    python -m greenline.model.scripted_server SCRIPT [--port N]

SCRIPT is a JSON list of turns, played in order, one for each request:

    {"content": "text", "tool_calls": [{"name": "read_file", "arguments": {"path": "a.py"}}]}
    {"content": "cut in the mid", "finish_reason": "length"}
    {"status": 429, "retry_after": 0.2, "error": "slow down"}
    {"delay_s": 30, "content": "late"}

A stream is sent event by event; `chunk_delay_s` waits before each event after the first.
`retry_after` is sent as it is: seconds, or a text such as an HTTP date.
`arguments` may also be a text, which is sent as it is (to play a model that writes broken JSON), and
`usage` overrides the estimate of four characters a token. `expect` is a list of texts that must stand in the
request; where one does not, the answer is status 400 and says which. After the last turn every request is
answered with status 410. Both the streaming and the plain form are served.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

_CHUNK = 40


class ScriptedServer:
    """Plays turns; a context manager that serves on a thread of its own. `requests` keeps what was asked."""

    def __init__(self, turns: Sequence[dict[str, Any]], port: int = 0) -> None:
        self._turns = list(turns)
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True

    @property
    def address(self) -> str:
        """The address to give as `GREENLINE_API_BASE`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def next_turn(self, request: dict[str, Any]) -> dict[str, Any]:
        """Record a request and return the turn that answers it."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            if number > len(self._turns):
                return {"status": 410, "error": f"the script has {len(self._turns)} turns"}
            turn = self._turns[number - 1]
        asked = json.dumps(request, ensure_ascii=False)
        for text in turn.get("expect", ()):
            if json.dumps(text, ensure_ascii=False)[1:-1] not in asked:
                return {"status": 400, "error": f"turn {number} expects {text!r} in the request"}
        return turn

    def serve(self) -> None:
        """Serve until `close`."""
        self._http.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Stop serving, and wake delayed answers."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self.serve, name="scripted-server", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: Any) -> None:
            """Keep standard error quiet."""

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = json.loads(self.rfile.read(length))
            turn = server.next_turn(request)
            if turn.get("delay_s") and server.stopping.wait(float(turn["delay_s"])):
                return
            try:
                self._answer(request, turn)
            except (BrokenPipeError, ConnectionResetError):
                return

        def _answer(self, request: dict[str, Any], turn: dict[str, Any]) -> None:
            status = int(turn.get("status", 200))
            if status != 200:
                headers = {"Retry-After": str(turn["retry_after"])} if "retry_after" in turn else {}
                error = {"message": turn.get("error", "scripted"), "type": "scripted", "code": status}
                self._send(status, "application/json", json.dumps({"error": error}), headers)
            elif request.get("stream"):
                self._stream(_events(request, turn, len(server.requests)), turn.get("chunk_delay_s", 0))
            else:
                body = json.dumps(_whole(request, turn, len(server.requests)))
                self._send(200, "application/json", body, {})

        def _stream(self, events: Sequence[str], delay_s: float) -> None:
            """Send each event on its own; the end of the connection ends the stream."""
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for number, event in enumerate(events):
                if number and delay_s and server.stopping.wait(float(delay_s)):
                    return
                self.wfile.write(event.encode())
                self.wfile.flush()

        def _send(self, status: int, kind: str, body: str, headers: dict[str, str]) -> None:
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _calls(turn: dict[str, Any], number: int) -> list[dict[str, Any]]:
    calls = []
    for index, call in enumerate(turn.get("tool_calls", ())):
        arguments = call.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": call["name"], "arguments": text}
        calls.append({"id": f"call_{number}_{index}", "type": "function", "function": function})
    return calls


def _finish(turn: dict[str, Any]) -> str:
    return str(turn.get("finish_reason") or ("tool_calls" if turn.get("tool_calls") else "stop"))


def _usage(request: dict[str, Any], turn: dict[str, Any]) -> dict[str, int]:
    if "usage" in turn:
        return dict(turn["usage"])
    prompt, answer = len(json.dumps(request)) // 4, max(1, len(json.dumps(turn)) // 4)
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _whole(request: dict[str, Any], turn: dict[str, Any], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.get("content")}
    if turn.get("tool_calls"):
        message["tool_calls"] = _calls(turn, number)
    choice = {"index": 0, "message": message, "finish_reason": _finish(turn)}
    head = {"id": f"scripted-{number}", "object": "chat.completion", "created": 0}
    return {**head, "model": request.get("model"), "choices": [choice], "usage": _usage(request, turn)}


def _events(request: dict[str, Any], turn: dict[str, Any], number: int) -> list[str]:
    head = {"id": f"scripted-{number}", "object": "chat.completion.chunk", "created": 0}
    head["model"] = request.get("model")
    content = turn.get("content") or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": content[at : at + _CHUNK]} for at in range(0, len(content), _CHUNK)]
    for index, call in enumerate(_calls(turn, number)):
        deltas.append({"tool_calls": [{"index": index, **call}]})
    chunks = [{**head, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(turn)}]})
    chunks.append({**head, "choices": [], "usage": _usage(request, turn)})
    return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def main() -> int:
    """Serve a script from the command line."""
    parser = argparse.ArgumentParser(prog="python -m greenline.model.scripted_server")
    parser.add_argument("script", help="JSON list of turns")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    try:
        turns = json.loads(Path(arguments.script).read_text("utf-8"))
    except (OSError, ValueError) as error:
        print(f"{arguments.script} cannot be used: {error}", file=sys.stderr)
        return 2
    server = ScriptedServer(turns, arguments.port)
    print(server.address, flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
