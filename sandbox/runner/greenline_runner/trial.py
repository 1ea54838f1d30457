"""Candidates tried one after another, each in a process of its own; what the runners share.

A candidate's process is forked from one in which everything is imported, or, where the candidate changes
what an import does, from one in which nothing of the project is. It tells how each test ended, in this order:
the once failing tests, and where they all pass, the others up to the first that does not.
"""

import os
import select
import signal
import sys
import time

_LOOKED_AT = 25
_GRACE_S = 2.0
"""How much longer than the time that is left a candidate's process may take."""
_ENOUGH = 8
"""How many of the failing tests may go on failing before the rest of them is not asked."""


def within(timeout_s, ends):
    """Return a time limit in seconds that does not last long beyond `ends` by the monotonic clock."""
    return min(timeout_s, max(0.0, ends - time.monotonic()) + _GRACE_S)


class Trials:
    """Tries the candidates of `work`; `send` gets one record each."""

    def __init__(self, work, send):
        self._work = work
        self._send = send
        self.left = list(range(len(work["candidates"])))
        """The candidates that were not tried yet, best first."""
        self.whole = []
        """The candidates that pass every test."""
        self.limits = dict(work["limits"])
        """Test id → processor seconds that it may take."""
        self._begun = time.monotonic()
        self._ends = self._last = self._begun + work["wallS"]
        self._teller = None
        self.asks_each = "tests" in work
        """Whether each candidate has tests of its own, and nothing else is asked."""

    def shorten(self, share):
        """End after a share of the time."""
        self._ends = self._begun + share * (self._ends - self._begun)

    def tell(self, writer):
        """Tell another process of each candidate that was tried, through a pipe."""
        self._teller = writer

    def heed(self, reader):
        """Hear what another process tells until it has ended, and leave what it has tried."""
        with os.fdopen(reader, encoding="ascii") as lines:
            told = dict(line.split() for line in lines)
        self.left = [index for index in self.left if str(index) not in told]
        if "1" in told.values():
            self._settle()

    def over(self):
        """Return whether the time is up."""
        return time.monotonic() > self._ends

    def within(self, timeout_s):
        """Return how long a process may take that would have so much time if there were enough of it."""
        return within(timeout_s, self._ends)

    def within_all(self, timeout_s):
        """Return the same for what is done once the search has settled: the whole time counts."""
        return within(timeout_s, self._last)

    def serve(self, attempt):
        """Try what is left; `attempt(index)` returns outcomes as `judge` does, or None to leave it."""
        left = []
        for index in self.left:
            if self.over():
                break
            answer = attempt(index)
            if answer is None:
                left.append(index)
            else:
                self._take(index, *answer)
        self.left = left

    def serve_live(self, group, live, attempt):
        """Try those that a running program can take; `attempt(index, patches)` returns as `judge` does.

        Those failing tests that are plain calls are run first, in a group for many candidates.
        """
        calls = group.calls
        waiting, left = list(self.left), []
        while waiting and not self.over():
            chosen, waiting = self._chosen(live, waiting, group.size, left)
            if group.size > 1 and chosen:
                answers = group.run(chosen)
            else:
                answers = {index: (list(calls), False) for index, _ in chosen}
            for index, patches in chosen:
                if index in answers and len(answers[index][0]) < len(calls):
                    passed, hung = answers[index]
                    self._take(index, passed, False, hung)
                elif index in answers or chosen[0][0] == index:
                    self._take(index, *attempt(index, patches))
                else:
                    waiting.insert(0, index)
            waiting.sort()
        self.left = left + waiting

    def look(self, group, live):
        """Send what each of the candidates that pass every test does near the tests, where it can be seen."""
        for index in self.whole[:_LOOKED_AT]:
            if time.monotonic() > self._last:
                return
            patches = live.patches(self._work["candidates"][index])
            if patches is not None:
                self._send({"kind": "look", "index": index, "seen": group.look(patches)})

    def _chosen(self, live, waiting, size, left):
        """Return the next candidates with their patches, and the rest; `left` gets what cannot be patched."""
        chosen, place = [], 0
        for index in waiting:
            if len(chosen) == size:
                break
            place += 1
            patches = live.patches(self._work["candidates"][index])
            if patches is None:
                left.append(index)
            else:
                chosen.append((index, patches))
        return chosen, waiting[place:]

    def _take(self, index, passed, whole, hung, bad=()):
        """Note and send one candidate's answer; none where the end of the time cut it short."""
        if self.asks_each and hung and "process" in bad and self.over():
            return
        record = {"kind": "candidate", "index": index, "passed": passed, "whole": whole, "hung": hung}
        self._send({**record, "bad": list(bad)} if self.asks_each else record)
        if self._teller is not None:
            os.write(self._teller, b"%d %d\n" % (index, whole))
        if whole:
            self.whole.append(index)
            self._settle()

    def _settle(self):
        self._ends = min(self._ends, time.monotonic() + self._work["settleS"])

    def judge(self, fork):
        """Return the failing tests that pass, whether all tests do, and whether one did not end.

        `fork(whole)` returns test id → outcome. Where each candidate has tests of its own, these are all
        there is to pass, and what ended badly is returned as well.
        """
        if self.asks_each:
            return own_answer(fork(True))
        failing = self._work["failing"]
        outcomes = fork(False)
        passed = [test for test in failing if outcomes.get(test) == "passed"]
        hung = "hung" in outcomes.values()
        if len(passed) < len(failing):
            return passed, False, hung
        outcomes = fork(True)
        bad = any(outcome in BAD for outcome in outcomes.values())
        whole = bool(outcomes) and not bad and all(outcomes.get(test) == "passed" for test in failing)
        return passed, whole, hung or "hung" in outcomes.values()

    def limit(self, test):
        """Return the processor time that a test may take, in seconds."""
        return self.limits.get(test, self._work["limitS"])

    def own(self, index):
        """Return the tests of one candidate's own; none: those of all."""
        return self._work["tests"][index] if self.asks_each else []

    def stop(self, index, whole):
        """Return what decides after each test whether the next one is worth it."""
        return Stop(whole, is_control=index < self._work.get("controls", 0))

    def order(self, index, ids):
        """Return the ids of a candidate's tests in the order that soonest refutes it."""
        if self.asks_each:
            known = set(ids)
            return [test for test in self.own(index) if test in known]
        if not self._work["near"]:
            return ids
        known, first = set(ids), {}
        for path, start, _, _ in self._work["candidates"][index]:
            with open(path, "rb") as file:
                line = file.read(start).count(b"\n") + 1
            for near in range(line - 1, line + 2):
                first.update(dict.fromkeys(self._work["near"].get(f"{path}:{near}", ())))
        return [test for test in first if test in known] + [test for test in ids if test not in first]


BAD = ("failed", "error", "hung")


def own_answer(outcomes):
    """Return the tests that passed, whether all did, whether one did not end, and what ended badly."""
    bad = [test for test, outcome in outcomes.items() if outcome in BAD]
    passed = [test for test, outcome in outcomes.items() if outcome == "passed"]
    return passed, bool(outcomes) and not bad, "hung" in outcomes.values(), bad


class Stop:
    """Decides after each test of a candidate whether the next one is worth it."""

    def __init__(self, whole, is_control=False):
        self._whole = whole
        self._is_control = is_control
        self._n_bad = self._n_passed = 0

    def after(self, outcome):
        """Return whether enough is known."""
        if outcome == "hung":
            return True
        if self._is_control:
            # All of its tests are to say what they say of the text as it is.
            return False
        self._n_bad += outcome in BAD
        self._n_passed += outcome == "passed"
        return self._n_bad > 0 if self._whole else self._n_bad >= _ENOUGH and not self._n_passed


def forked(work, timeout_s):
    """Run `work(tell)` in a forked process, `tell(test, outcome)` for each test; return test id → outcome.

    Killed or silent, the process itself counts as an error.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            os.setpgid(0, 0)
            sys.dont_write_bytecode = True
            work(lambda test, outcome: _tell(writer, outcome + " " + test))
            _tell(writer, "done")
        finally:
            os._exit(0)
    os.close(writer)
    return _listen(pid, reader, timeout_s)


def _tell(writer, line):
    os.write(writer, line.replace("\n", " ").encode("utf-8", "backslashreplace") + b"\n")


def _listen(pid, reader, timeout_s):
    ends, data = time.monotonic() + timeout_s, b""
    # A test's name may end in the same word: only a line of its own is the end.
    while data != b"done\n" and not data.endswith(b"\ndone\n"):
        ready, _, _ = select.select([reader], [], [], max(0.0, ends - time.monotonic()))
        piece = os.read(reader, 1 << 16) if ready else b""
        if not piece:
            break
        data += piece
    os.close(reader)
    try:
        # What the tests left running must not disturb the next candidate.
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    lines = data.decode("utf-8", "replace").splitlines()
    outcomes = {}
    for line in lines:
        outcome, _, test = line.partition(" ")
        if test:
            outcomes[test] = outcome if test not in outcomes else "error"
    if lines[-1:] != ["done"]:
        outcomes["process"] = "hung" if time.monotonic() >= ends else "error"
    return outcomes
