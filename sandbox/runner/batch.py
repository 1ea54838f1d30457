"""Try many candidate fixes in one container; the command of the repair engine.

Usage: `python batch.py FILE`, in the project's root. FILE is JSON:

    {"runner": "pytest", "failing": [ID …], "timeoutS": 3.0, "testS": 1.0, "wallS": 60.0, "settleS": 5.0,
     "candidates": [[["path in the project", start, end, "replacement of these bytes in base64"] …] …]}

For each candidate its files are written, the failing tests run in a forked process, then, where all of them
pass, the whole suite until its first failure; then the files are put back. One record a candidate goes to
the reporter: which of the failing tests pass now, and whether the whole suite does. `settleS` after the
first that does, no further one is tried.
With pytest the forked processes begin where pytest would collect; a candidate that this does not suit (its
file is imported by a `conftest.py`) gets a pytest of its own, as every one does with unittest.
What is said here only chooses what to verify: no verdict is drawn from it.
"""

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
    report = driver.Report(os.environ.get("GREENLINE_REPORT", ""))
    side, _ = driver.load_side(work["runner"], os.path.join(os.path.dirname(here), "toolbox"))
    # A candidate may have its base's size, and a stale cache would be run instead.
    sys.dont_write_bytecode = True
    if side is None:
        report.write({"kind": "final", "missing": work["runner"]})
        return
    _warm(work["runner"])
    driver.hide(True)
    ends = time.monotonic() + work["wallS"]
    work["wanted"] = list(range(len(work["candidates"])))
    if work["runner"] == "pytest":
        work["wanted"], ends = _forked(driver, work, report, ends)
    _alone(_Trial(driver, side, work), work, report, ends)
    report.write({"kind": "final"})


def _forked(driver, work, report, ends):
    """Try candidates in forks of one configured pytest; return those that need one of their own, and when."""
    from greenline_runner import pytest_trial

    unfit, seen = [], []

    def take(record):
        nonlocal ends
        value = record if isinstance(record, dict) else json.loads(record.decode("utf-8"))
        if value.get("kind") == "unfit":
            unfit.append(value["index"])
        if value.get("kind") == "candidate":
            seen.append(value["index"])
            report.write(value)
            if value["whole"]:
                ends = min(ends, time.monotonic() + work["settleS"])

    options = driver.Options(os.getcwd(), "pytest", (), False, False, work["testS"])
    driver.Child(options, lambda *args: pytest_trial.host(*args, work), quiet=True).relay(take)
    # Where pytest did not even come to collect, it may with a candidate's text.
    return (unfit if seen or unfit else work["wanted"]), ends


def _alone(trial, work, report, ends):
    """Try candidates with a runner each."""
    from greenline_runner.candidate import Written

    for index in work["wanted"]:
        if time.monotonic() > ends:
            break
        written = Written(index, work["candidates"][index])
        passed, whole = trial.run()
        written.restore()
        report.write({"kind": "candidate", "index": index, "passed": passed, "whole": whole})
        if whole:
            ends = min(ends, time.monotonic() + work["settleS"])


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
        self._test_s = work["testS"]
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
        options = self._driver.Options(os.getcwd(), self._runner, selected, False, exit_first, self._test_s)
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


def _kill(pid):
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main(os.path.dirname(os.path.abspath(__file__)))
