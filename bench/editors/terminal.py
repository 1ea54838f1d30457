"""A program in a terminal of its own, typed into and read as a person does; nothing stands between."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_ASKS_STATUS, _IS_WELL = b"\x1b[5n", b"\x1b[0n"
_STOP_S = 10.0


class TerminalEnded(Exception):
    """The program ended, or never showed what was waited for."""


class Terminal:
    """One program; use as a context. What it writes must be drained, or it stops."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        size: tuple[int, int] = (40, 120),
    ) -> None:
        self._fd, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(inner)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the terminal, on which the program ends; kill it where it does not."""
        self.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + _STOP_S
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._fd)

    def type(self, text: str) -> None:
        """Type a text."""
        os.write(self._fd, text.encode())

    def drain(self, seconds: float) -> None:
        """Take what the program writes for a while."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            self._read(remaining)

    def echo(self, letter: str, limit_s: float) -> float:
        """Type a letter that is nowhere on the screen; return the seconds until it is written there."""
        wanted, seen = letter.encode(), b""
        started = time.perf_counter()
        os.write(self._fd, wanted)
        while wanted not in seen:
            remaining = limit_s - (time.perf_counter() - started)
            if remaining <= 0:
                raise TerminalEnded(f"{letter} was typed and not shown within {limit_s:g} s: {seen!r}.")
            seen += self._read(remaining)
        return time.perf_counter() - started

    def _read(self, timeout_s: float) -> bytes:
        if not select.select([self._fd], [], [], timeout_s)[0]:
            return b""
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError as error:
            # Linux's way to say that the other side is closed.
            self.process.wait()
            raise TerminalEnded(f"The program ended with {self.process.returncode}.") from error
        if _ASKS_STATUS in data:
            os.write(self._fd, _IS_WELL)
        return data
