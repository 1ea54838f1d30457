"""The worker's side of the pipes: requests come in as lines, each is served on its own thread.

Invariant: nothing but our lines reaches the front's pipe, whatever a library prints.
"""

from __future__ import annotations

import json
import logging
import os
import select
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError
from greenline.core.wire import to_json
from greenline.process.line import failure_of, line_of

_log = logging.getLogger(__name__)

_LOOK_S = 0.05

Method = Callable[[dict[str, Any], Cancellation], Any]
"""Serves one request; what it returns is sent as JSON."""


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move the real descriptors 0 and 1 aside: prints then go to the log, and no child inherits the pipes."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # a descriptor is no path
    return source, sink


def outlive(thread: threading.Thread) -> None:
    """Wait until a thread has ended; end the process at once where the front closes its pipe before.

    For what is done before the first line is read, when nothing is at stake yet.
    """
    poller = select.poll()
    # A closed end is told whatever is asked for; lines that wait to be read are no news.
    poller.register(0, 0)
    while thread.is_alive():
        thread.join(_LOOK_S)
        if poller.poll(0):
            os._exit(0)


class PipeServer:
    """Serves the lines of one front."""

    def __init__(self, methods: Mapping[str, Method], sink: BinaryIO, name: str) -> None:
        """Serve `methods` by name; `name` says whose failure it is, `agent`."""
        self._methods = methods
        self._sink = sink
        self._name = name
        self._write_lock = threading.Lock()
        self._under_way: dict[int, Cancellation] = {}
        self._lock = threading.Lock()

    def run(self, source: BinaryIO) -> None:
        """Serve lines until the pipe is closed.

        A message that wants no answer is served before the next line is read, so that those keep their order.
        """
        for line in source:
            message = json.loads(line)
            if "cancel" in message:
                self._cancel(message["cancel"])
            elif "id" not in message:
                self._heed(message["method"], message["params"])
            else:
                self._begin(message["id"], message["method"], message["params"])

    def tell(self, message: dict[str, Any]) -> None:
        """Send what answers nothing."""
        line = line_of(message)
        with self._write_lock:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (BrokenPipeError, ValueError):
                # The front is gone; the reading side ends the process.
                _log.info("the front is gone")

    def _cancel(self, number: int) -> None:
        with self._lock:
            cancellation = self._under_way.get(number)
        if cancellation is not None:
            # Hooks kill containers, which may take a moment; the next line must not wait for it.
            threading.Thread(target=cancellation.cancel, name="cancel", daemon=True).start()

    def _begin(self, number: int, method: str, params: dict[str, Any]) -> None:
        cancellation = Cancellation()
        with self._lock:
            self._under_way[number] = cancellation
        threading.Thread(
            target=self._serve,
            args=(number, method, params, cancellation),
            name=f"{method} {number}",
            daemon=True,
        ).start()

    def _heed(self, method: str, params: dict[str, Any]) -> None:
        try:
            self._methods[method](params, Cancellation())
        except Exception:  # noqa: BLE001
            # The boundary of a message that nobody waits for.
            _log.exception("%s failed", method)

    def _serve(self, number: int, method: str, params: dict[str, Any], cancellation: Cancellation) -> None:
        answer: dict[str, Any]
        try:
            answer = {"result": to_json(self._methods[method](params, cancellation))}
        except GreenlineError as error:
            answer = {"error": to_json(failure_of(error))}
        except Exception as error:  # noqa: BLE001
            # The boundary of a request: the front must get its answer whatever is wrong here.
            _log.exception("%s failed", method)
            text = f"The {self._name} failed ({type(error).__name__}: {error})."
            answer = {"error": to_json(failure_of(GreenlineError(text, code="internal")))}
        with self._lock:
            self._under_way.pop(number, None)
        self.tell({"id": number, **answer})
