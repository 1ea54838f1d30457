"""How the editor that writes the index hears what other editors have open: a door that their workers call at.

A caller lends its buffers for as long as its connection lasts; with the process, the loan ends. Both sides
prove that they know the key, which only this user can read (it lies in the lease's file). On Linux the door's
name has no file and so no mode: other users are turned away by who they are, before a thread serves them.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from itertools import count
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from typing import Any

from greenline.index.live.lease import Address

Put = Callable[[int, Mapping[str, str | None]], None]
"""Takes a caller's texts; returns once they are in the index, or after a moment."""

_log = logging.getLogger(__name__)
_BACKLOG = 16
_MAX_BYTES = 256 * 1024 * 1024
_TAKEN = b"taken"
_PAUSE_S = 1.0
"""How long nobody is let in after that has failed, as where too many files are open."""
_PEER = struct.Struct("iII")
"""What Linux tells of who is at the other end: process, user and group."""
_FAILURES = (OSError, EOFError, ValueError, AuthenticationError)


class Door:
    """Lets other editors' workers in while the index is written here."""

    def __init__(self, put: Put, drop: Callable[[int], None]) -> None:
        """Open at once; `put` and `drop` are called on threads of the callers, who are numbered from 1."""
        self._key = secrets.token_bytes(32)
        # Linux has names for sockets that are no files: nothing is left behind by a sudden death.
        name = f"\0greenline-{secrets.token_hex(16)}" if sys.platform == "linux" else None
        self._listener = Listener(name, backlog=_BACKLOG)
        listening = self._listener.address
        self._name = listening.decode("ascii") if isinstance(listening, bytes) else str(listening)
        self.address = Address(self._name, self._key.hex())
        self._put = put
        self._drop = drop
        self._shut = threading.Event()
        self._numbers = count(1)
        self._thread = threading.Thread(target=self._accept, name="let editors in", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let nobody in any more; who is in leaves when the lease names another door."""
        self._shut.set()
        # Somebody has to call, or the thread waits for ever.
        with contextlib.suppress(*_FAILURES):
            Client(self._name).close()
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while not self._shut.is_set():
            try:
                caller = _admitted(self._listener.accept())
            except OSError as error:
                # The lease goes on naming this door, so somebody has to stand at it.
                _log.warning("no editor can be let in for now: %s", error)
                self._shut.wait(_PAUSE_S)
                continue
            if caller is None:
                continue
            threading.Thread(
                target=self._serve, args=(caller, next(self._numbers)), name="hear an editor", daemon=True
            ).start()

    def _serve(self, caller: Connection[Any, Any], number: int) -> None:
        try:
            deliver_challenge(caller, self._key)
            answer_challenge(caller, self._key)
            while True:
                self._put(number, json.loads(caller.recv_bytes(_MAX_BYTES)))
                caller.send_bytes(_TAKEN)
        except _FAILURES as error:
            _log.info("an editor is gone: %s", error or type(error).__name__)
        finally:
            caller.close()
            self._drop(number)


class Lender:
    """Lends this editor's buffers to whoever writes the index; its methods never wait for that process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._texts: dict[str, str] = {}
        self._unsent: dict[str, str | None] = {}
        self._wanted = Address()
        self._known = Address()
        self._caller: Connection[Any, Any] | None = None
        self._must_try = False
        self._is_busy = False
        self._thread: threading.Thread | None = None

    def put(self, texts: Mapping[str, str | None]) -> None:
        """Lend the texts of open buffers; None takes one back."""
        with self._changed:
            for path, text in texts.items():
                if text is None:
                    self._texts.pop(path, None)
                else:
                    self._texts[path] = text
            if self._caller is not None:
                self._unsent.update(texts)
                self._changed.notify_all()

    def call_at(self, address: Address) -> None:
        """Lend at this door from now on; an empty address is none. Called again and again, it tries again."""
        with self._changed:
            self._wanted = address
            self._must_try = address != self._known
            if not self._must_try:
                return
            if self._caller is not None:
                # Whoever does not answer any more is not waited for.
                _shut(self._caller)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lend buffers", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> None:
        """Wait until what was lent is in the index, but no longer than `timeout_s`."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._caller is None or not (self._is_busy or self._unsent), timeout_s
            )

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._must_try or self._unsent)
                self._must_try = False
                self._is_busy = True
            try:
                self._call()
                self._lend()
            except _FAILURES as error:
                _log.info("buffers cannot be lent: %s", error or type(error).__name__)
                self._hang_up()

    def _call(self) -> None:
        """Call at the door that is wanted, if it is another one."""
        with self._changed:
            wanted = self._wanted
            if wanted == self._known:
                return
        self._hang_up()
        if not wanted.name:
            return
        caller = Client(wanted.name)
        with self._changed:
            self._caller, self._known = caller, wanted
        answer_challenge(caller, bytes.fromhex(wanted.key))
        deliver_challenge(caller, bytes.fromhex(wanted.key))
        with self._changed:
            self._unsent = dict(self._texts)

    def _lend(self) -> None:
        with self._changed:
            texts, self._unsent = self._unsent, {}
            caller = self._caller
        if texts and caller is not None:
            caller.send_bytes(json.dumps(texts).encode())
            caller.recv_bytes(_MAX_BYTES)

    def _hang_up(self) -> None:
        with self._changed:
            caller, self._caller = self._caller, None
            self._known = Address()
            self._unsent = {}
        if caller is not None:
            caller.close()


def _admitted(caller: Connection[Any, Any]) -> Connection[Any, Any] | None:
    """Return a caller, or None where another user called; it is hung up on then."""
    try:
        if _is_own_user(caller):
            return caller
    except OSError:
        caller.close()
        raise
    _log.warning("another user called, and was turned away")
    caller.close()
    return None


def _is_own_user(caller: Connection[Any, Any]) -> bool:
    """Return whether this user's process calls; elsewhere than on Linux the socket's folder sees to that."""
    if sys.platform != "linux":
        return True
    with socket.socket(fileno=os.dup(caller.fileno())) as one:
        _, user, _ = _PEER.unpack(one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return bool(user == os.getuid())


def _shut(caller: Connection[Any, Any]) -> None:
    """End a connection under the hands of the thread that waits for it."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(caller.fileno())) as one:
        one.shutdown(socket.SHUT_RDWR)
