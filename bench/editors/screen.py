"""A program in a terminal whose screen can be read; tmux stands between, so no key is measured by it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from bench.editors.feel import NotMeasured

_QUICK_S = 60.0


class Screen:
    """One program; use as a context."""

    def __init__(self, socket: Path, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._socket = socket
        self._environment = dict(environment)
        self._tmux("new-session", "-d", "-s", "screen", "-x", "120", "-y", "40", "-c", str(folder), command)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def type(self, command: str) -> None:
        """Type a command and give it."""
        self._tmux("send-keys", "-t", "screen", "-l", command)
        self._tmux("send-keys", "-t", "screen", "Enter")

    def press(self, keys: str) -> None:
        """Type keys as they are."""
        self._tmux("send-keys", "-t", "screen", "-l", keys)

    def until(self, text: str, what: str, limit_s: float = _QUICK_S) -> None:
        """Wait until the screen shows a text."""
        deadline = time.monotonic() + limit_s
        while text not in (screen := self._tmux("capture-pane", "-p", "-t", "screen")):
            if time.monotonic() > deadline:
                raise NotMeasured(f"The screen never showed {what} ({text!r}):\n{screen}")
            time.sleep(0.1)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        if done.returncode != 0:
            raise NotMeasured(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout
