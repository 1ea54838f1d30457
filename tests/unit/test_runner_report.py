"""The in-container runner, driven as a plain program: what it reports, and who may not speak for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def run(root: Path, tests: str, *arguments: str) -> list[dict[str, Any]]:
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


def test_an_exit_inside_a_test_leaves_no_end(tmp_path: Path) -> None:
    records = run(tmp_path, "import os\n\n\ndef test_a():\n    os._exit(0)\n")

    assert "end" not in {record["kind"] for record in records}


def test_a_test_that_writes_to_the_report_is_an_intruder(tmp_path: Path) -> None:
    forge = "import os\n\n\ndef test_a():\n    open(os.environ['FORGED_REPORT'], 'w').write('{}' + chr(10))\n"

    assert {"kind": "intruder", "where": "fifo"} in run(tmp_path, forge)
