"""The first words of a process arrive also where the engine sends them with the head of its answer."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import docker
import pytest

from greenline.core.port import Limits, SandboxRequest
from greenline.sandbox import docker_session
from greenline.sandbox.conversation import Watch
from greenline.sandbox.exec_stream import ExecStream
from greenline.sandbox.host_toolchain import HostToolchain

HEAD = (
    b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
    b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
)


def frame(text: bytes, stream: int = 1) -> bytes:
    return struct.pack(">BxxxL", stream, len(text)) + text


@contextlib.contextmanager
def answering(path: Path, *pieces: bytes, ends: bool = True) -> Iterator[ExecStream]:
    """Answer one `exec start` with pieces, each sent at once, over the real client and a real socket.

    An engine whose answer never `ends` says nothing more, and does not hang up either.
    """
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
                if ends:
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


def test_a_stream_that_never_ends_can_be_ended_from_another_thread(tmp_path: Path) -> None:
    with answering(tmp_path / "engine.sock", HEAD + frame(b"said"), ends=False) as stream:
        timer = threading.Timer(0.2, stream.abort)
        timer.start()

        assert stream.tail(100) == b"said"
        timer.join()


def test_a_container_that_dies_without_a_word_ends_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a sandbox of gVisor's whose kernel the memory limit ended: the engine leaves the stream open."""
    monkeypatch.setattr(docker_session, "_SILENT_S", 0.1)
    with answering(tmp_path / "engine.sock", HEAD + frame(b"said"), ends=False) as stream:
        api = SimpleNamespace(
            wait=lambda container, timeout: {"StatusCode": 137},
            exec_create=lambda *_, **__: {"Id": "e"},
            exec_start=lambda *_, **__: None,
            exec_inspect=lambda _: {"ExitCode": None, "Running": True},
        )
        container = SimpleNamespace(id="c", reload=lambda: None, attrs={"State": {"OOMKilled": True}})
        monkeypatch.setattr(docker_session, "ExecStream", lambda _: stream)
        request = SandboxRequest("/w", {}, ("true",), limits=Limits(wall_s=60))
        client = SimpleNamespace(api=api)
        session = docker_session.Session(client, container, request, HostToolchain("python3", ()), (1, 1))
        session.watch_end()
        with Watch(60, session.kill) as watch:
            code, output = session._execute(None, watch)

        assert (code, output) == (137, b"said")
        assert session._out_of_memory(code)
