"""The embedder behind an API: the real litellm against a small server of ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from greenline.core.error import ModelFailed
from greenline.model.litellm_embedder import LitellmEmbedder


class Server(ThreadingHTTPServer):
    """Answers each text with its number of letters, of words, and a one; in reverse order."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.texts: list[str] = []
        self.status = 200


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        """Answer an embeddings request."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.texts += request["input"]
        rows = [
            {"object": "embedding", "index": i, "embedding": [len(text), len(text.split()), 1.0]}
            for i, text in enumerate(request["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer = {"object": "list", "data": rows[::-1], "model": request["model"], "usage": usage}
        body = json.dumps(answer if self.server.status == 200 else {"error": {"message": "no room"}}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def embedder(server: Server) -> LitellmEmbedder:
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    return LitellmEmbedder("openai/tiny", lambda text: text.replace("hunter2", "***"), api_base=address)


def test_vectors_keep_their_order_have_length_one_and_fill_a_word(server: Server) -> None:
    made = embedder(server)

    vectors = made.embed(["a", "two words", "three more words"])

    assert made.dims == 64
    assert vectors.shape == (3, 64)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[1, 0] / vectors[1, 1] == pytest.approx(9 / 2)
    assert np.array_equal(made.embed_query("a"), vectors[0])
    assert "tiny" in made.stamp


def test_known_secrets_never_leave(server: Server) -> None:
    embedder(server).embed(["password = hunter2"])

    assert server.texts == ["password = ***"]


def test_a_refusal_names_the_model_and_a_remedy(server: Server) -> None:
    server.status = 400

    with pytest.raises(ModelFailed, match="openai/tiny") as raised:
        embedder(server).embed(["a"])

    assert "builtin" in raised.value.remedy
