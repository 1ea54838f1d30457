"""The first words of a process arrive also where the engine sends them with the head of its answer."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from greenline.sandbox.exec_stream import ExecStream

HEAD = (
    b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
    b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
)


def frame(text: bytes, stream: int = 1) -> bytes:
    return struct.pack(">BxxxL", stream, len(text)) + text


@contextlib.contextmanager
def answering(path: Path, *pieces: bytes) -> Iterator[ExecStream]:
    """Answer one `exec start` with pieces, each sent at once, over the real client and a real socket."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += connection.recv(65536)
                for piece in pieces:
                    connection.sendall(piece)
                # A socket that is closed with a part of the request unread is reset, and its answer lost.
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        client = docker.APIClient(base_url=f"unix://{path}", version="1.41")
        stream = ExecStream(client.exec_start("e" * 64, socket=True))
        try:
            yield stream
        finally:
            stream.close()
            client.close()
            thread.join()


@pytest.mark.parametrize(
    "pieces",
    [
        (HEAD + frame(b"ready\n") + frame(b"more"),),
        (HEAD + frame(b"ready\n"), frame(b"more", 2)),
        (HEAD + frame(b"ready\n")[:5], frame(b"ready\n")[5:] + frame(b"more")),
        (HEAD, frame(b"ready\n"), frame(b"mo"), frame(b"re")),
    ],
    ids=["with the head", "one with the head", "half a frame with the head", "after the head"],
)
def test_nothing_that_is_printed_is_lost(pieces: tuple[bytes, ...], tmp_path: Path) -> None:
    with answering(tmp_path / "engine.sock", *pieces) as stream:
        assert b"".join(stream.chunks()) == b"ready\nmore"


def test_a_connection_that_breaks_in_a_frame_ends_the_stream(tmp_path: Path) -> None:
    with answering(tmp_path / "engine.sock", HEAD + frame(b"ready\n") + frame(b"more")[:-2]) as stream:
        assert b"".join(stream.chunks()) == b"ready\nmo"


def test_a_long_text_is_read_to_its_tail(tmp_path: Path) -> None:
    text = bytes(range(256)) * 4096

    with answering(tmp_path / "engine.sock", HEAD + frame(text)) as stream:
        assert stream.tail(1000) == text[-1000:]
