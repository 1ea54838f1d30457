"""The scripted server: what it sends, when it sends it."""

from __future__ import annotations

import json
import urllib.request

from greenline.model.scripted_server import ScriptedServer


def test_stream_is_sent_event_by_event() -> None:
    with ScriptedServer([{"content": "hello", "chunk_delay_s": 600}]) as server:
        request = urllib.request.Request(
            f"{server.address}/chat/completions", json.dumps({"stream": True}).encode()
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            first = response.readline()

    assert json.loads(first.removeprefix(b"data: "))["choices"][0]["delta"]["role"] == "assistant"
