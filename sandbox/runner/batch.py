"""Try many candidate fixes in one container; the command of the repair engine.

Usage: `python batch.py FILE`, in the project's root. FILE is JSON:

    {"runner": "pytest", "failing": [ID …], "timeoutS": 3.0, "wallS": 60.0,
     "candidates": [{"path in the project": "content in base64"} …]}

For each candidate its files are written, the failing tests run in a forked process, then, where all of them
pass, the whole suite until its first failure; then the files are put back. One record a candidate goes to
the reporter: which of the failing tests pass now, and whether the whole suite does.
What is said here only chooses what to verify: no verdict is drawn from it.
"""

import base64
import gc
import importlib
import json
import os
import signal
import sys
import threading
import time


def main(here):
    sys.path[0] = here
    from greenline_runner import driver

    sys.path.remove(here)
    with open(sys.argv[1], encoding="utf-8") as file:
        work = json.load(file)
    os.unlink(sys.argv[1])
    report = driver._Report(os.environ.get("GREENLINE_REPORT", ""))
    side, _ = driver.load_side(work["runner"], os.path.join(os.path.dirname(here), "toolbox"))
    # A candidate may have its base's size and time stamp, and a stale cache would be run instead.
    sys.dont_write_bytecode = True
    if side is None:
        report.write({"kind": "final", "missing": work["runner"]})
        return
    if work["runner"] == "pytest":
        # Nobody reads what a candidate's run prints, and making it costs more than many tests do.
        arguments = side._arguments
        side._arguments = lambda options: [*arguments(options), "--tb=no", "--no-header", "--no-summary"]
    _warm(work["runner"])
    driver.hide(True)
    ends = time.monotonic() + work["wallS"]
    trial = _Trial(driver, side, work)
    for index, files in enumerate(work["candidates"]):
        if time.monotonic() > ends:
            break
        with _Written(files):
            passed, whole = trial.run()
        report.write({"kind": "candidate", "index": index, "passed": passed, "whole": whole})
    report.write({"kind": "final"})


def _warm(runner):
    """Import what every forked run would import again; an import that fails there fails there."""
    modules = ["unittest.mock", "decimal", "datetime", "random", "logging", "asyncio", "difflib", "typing"]
    if runner == "pytest":
        from _pytest.config import default_plugins

        modules += ["_pytest." + name for name in default_plugins]
        modules += ["_pytest._code.code", "_pytest.assertion.rewrite", "pygments", "hypothesis"]
        modules += [entry.module for entry in _plugins()]
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception:  # noqa: BLE001 - whatever a plug-in raises, the real run will report it
            continue
    gc.collect()
    gc.freeze()


def _plugins():
    from importlib.metadata import entry_points

    found = entry_points()
    return found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", ())


class _Trial:
    """Runs the tests over what is in the files now."""

    def __init__(self, driver, side, work):
        self._driver = driver
        self._side = side
        self._failing = work["failing"]
        self._timeout_s = work["timeoutS"]
        self._runner = work["runner"]

    def run(self):
        """Return the once failing tests that pass, and whether the whole suite does."""
        outcomes = self._tests(self._failing, False)
        passed = [test for test in self._failing if outcomes.get(test) == "passed"]
        if len(passed) < len(self._failing):
            return passed, False
        outcomes = self._tests((), True)
        bad = [test for test, outcome in outcomes.items() if outcome in ("failed", "error")]
        return passed, bool(outcomes) and not bad and all(outcomes.get(test) == "passed" for test in passed)

    def _tests(self, selected, exit_first):
        options = self._driver.Options(os.getcwd(), self._runner, selected, False, exit_first)
        outcomes = {}

        def take(record):
            value = record if isinstance(record, dict) else json.loads(record.decode("utf-8"))
            if value.get("kind") == "test":
                known = outcomes.get(value["id"])
                outcomes[value["id"]] = value["outcome"] if known is None else "error"
            elif value.get("kind") == "collectError":
                outcomes[value["id"] or "collection"] = "error"

        child = self._driver.Child(options, self._side.run, quiet=True)
        timer = threading.Timer(self._timeout_s, _kill, (child.pid,))
        timer.start()
        try:
            status = child.relay(take)
        finally:
            timer.cancel()
            timer.join()
        if os.WIFSIGNALED(status):
            outcomes["process"] = "error"
        return outcomes


class _Written:
    """Holds a candidate's files in place of the base's."""

    def __init__(self, files):
        self._files = {path: base64.b64decode(text) for path, text in files.items()}
        self._before = {}

    def __enter__(self):
        for path, content in self._files.items():
            with open(path, "rb") as file:
                self._before[path] = file.read()
            with open(path, "wb") as file:
                file.write(content)

    def __exit__(self, *_):
        for path, content in self._before.items():
            with open(path, "wb") as file:
                file.write(content)


def _kill(pid):
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main(os.path.dirname(os.path.abspath(__file__)))
