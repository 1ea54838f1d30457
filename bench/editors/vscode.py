"""Hover, code action and keys in a real VS Code with the packaged extension, in a browser.

Beside it the same in a document that Greenline does not see, where an extension answers with the same words
at once: what VS Code itself takes to ask, to draw, and to type.
And Greenline's answers to an extension, which are not drawn: what the extension, the server and the way
between them take at most.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import attrs

from bench.editors.driver import CLIENT, NODE, RUN_TYPESCRIPT, Driver, need_vscode
from bench.editors.feel import N_SAMPLES, Feel, Times, Verifications, run_to_end
from bench.table import Log, load

_FEEL = CLIENT / "test" / "bench" / "feel.ts"
_WORK_S, _SETTLE_S, _PACK_S = 1800.0, 3.0, 300.0
_FILE, _CONTROL, _ANSWERS = "file", "control", "answers"
"""The sample's faulty file, a text that Greenline does not see, and answers that are not drawn."""
_WHERE = (_FILE, _CONTROL, _ANSWERS)


@attrs.define
class Desk:
    """A window over the sample."""

    driver: Driver
    n_runs: int = 0
    """How many runs of the work have ended."""

    def sample(self, where: str, verifications: Verifications | None = None) -> Times:
        """Return the times of hovers and code actions, and of keys where something is drawn."""
        meanwhile = verifications.keep_going if verifications is not None else None
        order = "ask" if where == _ANSWERS else "sample"
        answer = self.driver.ask(order, _WORK_S, meanwhile, n=N_SAMPLES, where=where)
        self.n_runs = answer["nRuns"]
        return {name: [ms / 1000 for ms in times] for name, times in answer["times"].items()}


def measure_vscode(log: Log) -> tuple[Feel, ...]:
    """Measure idle, then at work, each with Greenline and beside it."""
    need_vscode()
    # The path of what is in it must stay short enough for sockets.
    with tempfile.TemporaryDirectory(prefix="gl-feel-") as folder:
        environment = _environment(Path(folder))
        log("editors: VS Code, packaging the extension")
        _pack(environment)
        log(f"editors: VS Code, repairing the sample, load {load()}")
        with Driver((*RUN_TYPESCRIPT, str(_FEEL)), CLIENT, environment) as driver:
            return _measure(driver, environment, log)


def _measure(driver: Driver, environment: Mapping[str, str], log: Log) -> tuple[Feel, ...]:
    begun = driver.ask("begin", _WORK_S)
    root = Path(begun["workspace"])
    desk = Desk(driver)
    time.sleep(_SETTLE_S)
    before = load()
    log(f"editors: VS Code, idle, load {before}")
    idle = {where: desk.sample(where) for where in _WHERE}
    state = {"GREENLINE_STATE_DIR": str(root.parent / "state")}
    verifications = Verifications(root, {**environment, **state})
    driver.ask("work", _WORK_S)
    try:
        verifications.keep_going()
        time.sleep(_SETTLE_S)
        log("editors: VS Code, at work")
        busy = {where: desk.sample(where, verifications) for where in _WHERE}
        while not (desk.n_runs and verifications.n_done):
            # A figure at work counts once whole pieces of work have ended meanwhile.
            for where, times in busy.items():
                more = desk.sample(where, verifications)
                busy[where] = {name: times[name] + more[name] for name in times}
        driver.ask("rest", _WORK_S)
    finally:
        verifications.stop()
    loads = f"{before.split()[0]} / {load().split()[0]}"
    work = f"{desk.n_runs} runs and {verifications.n_done} verifications ended meanwhile; {begun['version']}"
    alone = "the same answers, given at once by an extension, in a document that Greenline does not see"
    answers = "from an extension's question to Greenline's answer, by way of VS Code; nothing is drawn"
    return (
        Feel("VS Code", idle[_FILE], busy[_FILE], loads, work),
        Feel("VS Code alone", idle[_CONTROL], busy[_CONTROL], loads, alone, is_control=True),
        Feel("Greenline in VS Code", idle[_ANSWERS], busy[_ANSWERS], loads, answers, is_control=True),
    )


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which `greenline` is the one that measures."""
    program = folder / "greenline"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m greenline \"$@\"\n")
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENLINE_")}
    return {
        **kept,
        "GREENLINE": str(program),
        "PATH": f"{NODE.parent}{os.pathsep}{kept['PATH']}",
    }


def _pack(environment: Mapping[str, str]) -> None:
    """Package the extension as it is now."""
    command = [str(NODE), "tools/package.mjs"]
    run_to_end(command, CLIENT, {**environment, "GREENLINE_PYTHON": sys.executable}, _PACK_S)
