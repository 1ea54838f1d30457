"""Try many candidates in one container: fixes for the repair engine, mutants for a verification's bite.

Usage: `python batch.py FILE`, in the project's root. FILE is JSON:

    {"runner": "pytest", "failing": [ID …], "broken": [ID …], "limits": {ID: 0.5 …}, "limitS": 1.0,
     "patience": 1.0, "testS": 4.0, "timeoutS": 9.0, "wallS": 60.0, "settleS": 5.0,
     "near": {"FILE:LINE": [ID …] …},
     "candidates": [[["path in the project", start, end, "replacement of these bytes in base64"] …] …],
     "tests": [[ID …] …], "controls": 2}

For each candidate the failing tests run in a forked process, then, where all of them pass, the whole suite
until its first failure, `broken` ones aside; `near` tells which of a slow suite's tests execute a line. One
record a candidate goes to the reporter: which of the failing tests pass now, whether the whole suite does,
and whether a test did not end. `settleS` after the first that does, no further one is tried.
`limits` and `limitS` are processor seconds a test, `testS` is the clock's; the limits of plain calls are
measured here, and `patience` times as long.
A candidate that can is put into a program that has its modules imported; others have their files imported,
and one that not even this suits (its file is imported by a `conftest.py`) gets a runner of its own.
With `tests`, a list for each candidate, only these are run, up to the first that ends badly, and the record
names it in `bad`; the first `controls` candidates run all of theirs.
With `asked`, ID → indices of candidates, and `own`, a list of ids, the suite is gone through in its order
instead: tests of `own` run and leave behind what they do, and those that are asked run in a fork for each of
their candidates; a `notice` record says how each of these runs ended, that of index -1 without a candidate.
For those that pass every test, a `look` record says what they do near the tests, for comparison only.
What is said here only chooses what to verify: no verdict is drawn from it.
"""

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
    driver.hide(True)
    if "asked" in work:
        _ask(driver, work, report)
        report.write({"kind": "final"})
        return
    ends = time.monotonic() + work["wallS"]
    left, ends = _together(driver, work, report, ends)
    _alone(_Trial(driver, side, work), left, report, ends)
    report.write({"kind": "final"})


def _ask(driver, work, report):
    """Ask tests about candidates, each in a fork of one process that goes through the suite."""
    if work["runner"] == "pytest":
        from greenline_runner import pytest_notice as notice
    else:
        from greenline_runner import unittest_notice as notice

    def take(record):
        value = record if isinstance(record, dict) else json.loads(record.decode("utf-8"))
        if value.get("kind") == "notice":
            report.write(value)

    options = driver.Options(os.getcwd(), work["runner"], (), False, False, work["testS"])
    driver.Child(options, lambda *args: notice.host(*args, work), quiet=True).relay(take)


def _together(driver, work, report, ends):
    """Try candidates in forks of one process; return those that need a runner each, and until when."""
    if work["runner"] == "pytest":
        from greenline_runner import pytest_trial as trial
    else:
        from greenline_runner import unittest_trial as trial
    unfit, seen = [], set()

    def take(record):
        nonlocal ends
        value = record if isinstance(record, dict) else json.loads(record.decode("utf-8"))
        if value.get("kind") == "unfit":
            unfit.append(value["index"])
        if value.get("kind") == "look":
            report.write(value)
        if value.get("kind") == "candidate":
            seen.add(value["index"])
            report.write(value)
            if value["whole"]:
                ends = min(ends, time.monotonic() + work["settleS"])

    options = driver.Options(os.getcwd(), work["runner"], (), False, False, work["testS"])
    driver.Child(options, lambda *args: trial.host(*args, work), quiet=True).relay(take)
    everything = range(len(work["candidates"]))
    # Where pytest did not even come to collect, it may with a candidate's text.
    use_unfit = work["runner"] == "pytest" and (seen or unfit)
    return (unfit if use_unfit else [index for index in everything if index not in seen]), ends


def _alone(trial, left, report, ends):
    """Try candidates with a runner each."""
    from greenline_runner.candidate import Written

    for index in left:
        if time.monotonic() > ends:
            break
        written = Written(index, trial.work["candidates"][index])
        trial.ends = ends
        answer = trial.run_own(index) if "tests" in trial.work else trial.run()
        written.restore()
        if "process" in answer.get("bad", ()) and time.monotonic() > ends:
            # The end of the time cut it short, which says nothing of it.
            break
        report.write({"kind": "candidate", "index": index, **answer})
        if answer["whole"]:
            ends = min(ends, time.monotonic() + trial.work["settleS"])


class _Trial:
    """Runs the tests over what is in the files now."""

    def __init__(self, driver, side, work):
        self._driver = driver
        self._side = side
        self.work = work
        self.ends = 0.0
        """When the batch is to end, by the monotonic clock."""

    def run(self):
        """Return an answer: the once failing tests that pass, and whether the whole suite does."""
        failing = self.work["failing"]
        outcomes = self._tests(failing, False)
        passed = [test for test in failing if outcomes.get(test) == "passed"]
        if len(passed) < len(failing):
            return {"passed": passed, "whole": False, "hung": False}
        # With failures known beforehand, the first one says nothing.
        outcomes = self._tests((), not self.work["broken"])
        known = set(self.work["broken"])
        bad = [t for t, outcome in outcomes.items() if outcome in ("failed", "error") and t not in known]
        whole = bool(outcomes) and not bad and all(outcomes.get(test) == "passed" for test in passed)
        return {"passed": passed, "whole": whole, "hung": False}

    def run_own(self, index):
        """Return the answer of a candidate that has tests of its own."""
        from greenline_runner.trial import own_answer

        tests, is_control = self.work["tests"][index], index < self.work.get("controls", 0)
        # Where nothing can be collected, nothing says so by a test.
        outcomes = (self._tests(tests, not is_control) or {"collection": "error"}) if tests else {}
        return dict(zip(("passed", "whole", "hung", "bad"), own_answer(outcomes)))  # noqa: B905

    def _tests(self, selected, exit_first):
        work = self.work
        # The folder of the runner's parts is on the path by now.
        from greenline_runner.trial import within

        options = self._driver.Options(
            os.getcwd(), work["runner"], selected, False, exit_first, work["testS"]
        )
        outcomes = {}

        def take(record):
            value = record if isinstance(record, dict) else json.loads(record.decode("utf-8"))
            if value.get("kind") == "test":
                known = outcomes.get(value["id"])
                outcomes[value["id"]] = value["outcome"] if known is None else "error"
            elif value.get("kind") == "collectError":
                outcomes[value["id"] or "collection"] = "error"

        child = self._driver.Child(options, self._side.run, quiet=True)
        timer = threading.Timer(within(work["timeoutS"], self.ends), _kill, (child.pid,))
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
