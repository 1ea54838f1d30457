"""The in-container runner, driven as a plain program: what it reports, and who may not speak for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from greenline.verify.runs import REPORTER

RUNNER = Path(__file__).parents[2] / "sandbox" / "runner"
TESTS = """import os
import pytest

def test_good(): assert True
def test_bad(): assert False
@pytest.mark.skip
def test_skipped(): assert True
@pytest.mark.xfail
def test_expected(): assert False
"""


def run(root: Path, tests: str, *arguments: str, more: str = "") -> list[dict[str, Any]]:
    """Run reporter and driver over one test module and return the report's records."""
    (root / "test_it.py").write_text(tests, encoding="utf-8")
    fifo = root / "report"
    reporter = subprocess.Popen(
        [sys.executable, "-I", str(RUNNER / "reporter.py"), str(fifo)], stdout=subprocess.PIPE, text=True
    )
    assert reporter.stdout is not None
    with reporter:
        assert reporter.stdout.readline() == "ready\n"
        environment = {**os.environ, "GREENLINE_REPORT": str(fifo), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment["FORGED_REPORT"] = str(fifo)
        subprocess.run(
            [sys.executable, str(RUNNER / "run_tests.py"), *arguments],
            cwd=root,
            env=environment,
            input=more.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        return [json.loads(line) for line in reporter.stdout]


def outcomes(records: list[dict[str, Any]]) -> dict[str, str]:
    return {r["id"].partition("::")[2]: r["outcome"] for r in records if r["kind"] == "test"}


def test_each_outcome_is_reported_after_the_collection_has_ended(tmp_path: Path) -> None:
    records = run(tmp_path, TESTS)

    assert outcomes(records) == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_skipped": "skipped",
        "test_expected": "xfailed",
    }
    kinds = [record["kind"] for record in records]
    assert kinds.index("collectionEnd") < kinds.index("test")
    assert kinds[-2:] == ["end", "final"]


def test_only_selected_tests_run(tmp_path: Path) -> None:
    assert outcomes(run(tmp_path, TESTS, "--", "test_it.py::test_good")) == {"test_good": "passed"}


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_a_limit_stops_what_works_without_end_and_not_what_waits(tmp_path: Path, runner: str) -> None:
    tests = """import time
import unittest

class Test(unittest.TestCase):
    def test_waits(self): time.sleep(1.5)
    def test_works(self):
        while True: pass
    def test_works_too(self):
        while True: pass
"""
    records = run(tmp_path, tests, "--runner", runner, "--test-seconds", "1")

    found = {r["id"].replace("::", ".").rpartition(".")[2]: r for r in records if r["kind"] == "test"}
    stopped = {name: (r["outcome"], r.get("timedOut", False)) for name, r in found.items()}
    assert stopped == {
        "test_waits": ("passed", False),
        "test_works": ("failed", True),
        "test_works_too": ("failed", True),
    }


def test_rounds_run_what_each_line_names_and_measure_nothing(tmp_path: Path) -> None:
    names = json.dumps(["test_it.py::test_bad"]) + "\n"

    records = run(tmp_path, TESTS, "--rounds", more=names * 2)

    kinds = [record["kind"] for record in records]
    assert kinds.count("roundEnd") == 3
    assert kinds[-1] == "final"
    first = kinds.index("roundEnd")
    assert {"collected", "cov"} <= set(kinds[:first])
    assert kinds[first + 1 :] == ["test", "end", "roundEnd", "test", "end", "roundEnd", "final"]
    assert {r["id"] for r in records[first:] if r["kind"] == "test"} == {"test_it.py::test_bad"}


def test_the_tests_do_not_read_what_the_driver_is_told(tmp_path: Path) -> None:
    tests = "import sys\n\n\ndef test_a():\n    assert sys.__stdin__.read() == ''\n"

    records = run(tmp_path, tests, "--rounds", more='["test_it.py::test_a"]\n')

    assert [r["outcome"] for r in records if r["kind"] == "test"] == ["passed", "passed"]


def test_a_tests_process_that_speaks_as_the_driver_is_an_intruder(tmp_path: Path) -> None:
    """It knows its own secret; what it says beyond its part is not passed on."""
    forge = """import gc
from greenline_runner.channel import Channel

def test_a():
    [channel] = [o for o in gc.get_objects() if isinstance(o, Channel)][:1]
    channel.send({"kind": "roundEnd", "status": 0, "seconds": 0.0})
    channel.send({"kind": "collected", "ids": ["test_it.py::test_made_up"]})
"""
    records = run(tmp_path, forge)

    assert [r for r in records if r["kind"] == "intruder"] == [{"kind": "intruder", "where": "pipe"}] * 2
    assert "roundEnd" not in {record["kind"] for record in records}


def test_an_exit_inside_a_test_leaves_no_end(tmp_path: Path) -> None:
    records = run(tmp_path, "import os\n\n\ndef test_a():\n    os._exit(0)\n")

    assert "end" not in {record["kind"] for record in records}


def test_a_test_that_writes_to_the_report_is_an_intruder(tmp_path: Path) -> None:
    forge = "import os\n\n\ndef test_a():\n    open(os.environ['FORGED_REPORT'], 'w').write('{}' + chr(10))\n"

    assert {"kind": "intruder", "where": "fifo"} in run(tmp_path, forge)


def test_nothing_of_a_projects_environment_runs_as_the_reporter(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    (packages,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (packages / "mine.pth").write_text("import sys; print('FORGED', flush=True)\n")
    python = str(tmp_path / "env" / "bin" / "python")
    flags = REPORTER[1:-1]

    plain = subprocess.run([python, "-I", "-c", ""], capture_output=True, text=True, check=True)
    guarded = subprocess.run([python, *flags, "-c", ""], capture_output=True, text=True, check=True)

    assert "FORGED" in plain.stdout
    assert guarded.stdout == ""
