"""Editors that lend their open buffers to the one that writes the index."""

from __future__ import annotations

import os
import resource
import socket
import threading
from collections.abc import Iterator, Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from index_live import until

from greenline.index.live.buffer import OWN, Buffers
from greenline.index.live.door import Door, Lender
from greenline.index.live.lease import Address

OWNERS = st.sampled_from([OWN, 1, 2])
PATHS = st.sampled_from(["/none/a", "/none/b"])


class Writer:
    """What a door's callers have lent."""

    def __init__(self) -> None:
        self.buffers = Buffers()
        self.lock = threading.Lock()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.door = Door(self._put, self._drop)

    def _put(self, caller: int, texts: Mapping[str, str | None]) -> None:
        with self.lock:
            self.buffers.put(texts, caller)
        self.may_answer.wait(20)

    def _drop(self, caller: int) -> None:
        with self.lock:
            self.buffers.drop(caller)

    def has(self, **texts: str) -> bool:
        with self.lock:
            return self.buffers.all() == {f"/{name}": text for name, text in texts.items()}


@pytest.fixture
def writer() -> Iterator[Writer]:
    made = Writer()
    yield made
    made.may_answer.set()
    made.door.close()


def test_what_is_lent_arrives_and_ends_with_the_loan(writer: Writer) -> None:
    lender = Lender()
    lender.put({"/a": "one", "/b": "gone"})
    lender.put({"/b": None})
    lender.call_at(writer.door.address)
    until(lambda: writer.has(a="one"))

    lender.put({"/a": "two", "/c": "three"})
    lender.settle(20)
    assert writer.has(a="two", c="three")

    lender.put({"/c": None})
    lender.settle(20)
    assert writer.has(a="two")

    lender.call_at(Address())
    until(writer.has)


def test_a_writer_that_does_not_answer_is_not_waited_for(writer: Writer) -> None:
    lender = Lender()
    lender.call_at(writer.door.address)
    lender.put({"/a": "one"})
    writer.may_answer.clear()
    lender.call_at(writer.door.address)
    until(lambda: writer.has(a="one"))
    lender.settle(0.01)
    other = Writer()

    lender.call_at(other.door.address)

    until(lambda: other.has(a="one"))
    other.door.close()


def test_a_door_that_is_gone_is_tried_again(writer: Writer) -> None:
    gone = Writer()
    gone.door.close()
    lender = Lender()
    lender.put({"/a": "one"})
    lender.call_at(gone.door.address)
    lender.settle(20)
    lender.call_at(writer.door.address)

    until(lambda: writer.has(a="one"))


def test_nobody_comes_in_without_the_key(writer: Writer) -> None:
    with pytest.raises((AuthenticationError, EOFError, ConnectionError)):
        Client(writer.door.address.name, authkey=b"another").close()
    with Client(writer.door.address.name) as caller:
        caller.recv_bytes()
        caller.send_bytes(b'{"/a": "one"}')
        with pytest.raises((EOFError, ConnectionError)):
            while caller.recv_bytes():
                pass

    assert writer.has()


def test_another_user_is_turned_away_without_a_challenge(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client(writer.door.address.name) as caller:
        assert caller.recv_bytes()
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)

    with Client(writer.door.address.name) as caller, pytest.raises((EOFError, ConnectionError)):
        caller.recv_bytes()


def test_a_door_that_could_let_nobody_in_lets_the_next_one_in(
    writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket(socket.AF_UNIX) as early:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        try:
            # The kernel has set one descriptor aside for who calls first; to look at it takes another.
            early.connect(writer.door.address.name)
            until(lambda: "no editor can be let in for now" in caplog.text)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    lender = Lender()
    lender.put({"/a": "one"})
    lender.call_at(writer.door.address)

    until(lambda: writer.has(a="one"))


def test_a_file_that_is_only_opened_hides_nothing_that_is_typed_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("saved")
    buffers = Buffers()

    buffers.put({str(path): "typed"}, 1)
    assert buffers.put({str(path): "saved"}) == {str(path): "typed"}
    assert buffers.put({str(path): "typed later"}) == {str(path): "typed later"}
    assert buffers.drop(1) == {str(path): "typed later"}
    assert buffers.put({str(path): None}) == {str(path): None}


@given(st.lists(st.tuples(OWNERS, PATHS, st.none() | st.sampled_from("xyz"))), OWNERS)
def test_what_counts_is_what_somebody_has_open_and_typed_last(
    steps: list[tuple[int, str, str | None]], gone: int
) -> None:
    buffers = Buffers()
    typed: list[tuple[int, str, str]] = []
    for owner, path, text in steps:
        typed = [item for item in typed if item[:2] != (owner, path)]
        if text is not None:
            typed.append((owner, path, text))
        said = buffers.put({path: text}, owner)
        assert said == {path: {p: t for _, p, t in typed}.get(path)}
    buffers.drop(gone)

    assert buffers.all() == {path: text for owner, path, text in typed if owner != gone}
