"""Candidates tried in one process, in forks and with an import give the answers that an import gives."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUNNER = Path(__file__).parents[2] / "sandbox" / "runner"
SHELF = """
SIZE = 2
TAKEN = []


def double(number, times=3):
    return number * times


def put(name, shelf=None):
    TAKEN.append(name)
    return len(TAKEN)


class Box:
    def __init__(self, size):
        self.size = size

    def fits(self, other):
        return self.size < other.size


def wait(count):
    while count > 0:
        count -= 0
    return count
"""
TESTS = """
import pytest
from shelf import SIZE, Box, double, put, wait


@pytest.fixture
def box():
    return Box(2)


@pytest.mark.parametrize("number", [1, 2])
def test_double(number):
    assert double(number) == 2 * number


def test_put():
    assert put("a") == 1


def test_fits(box):
    assert box.fits(Box(2))


def test_wait():
    assert wait(2) == 0


def test_size():
    assert SIZE == 3
"""
UNITTESTS = """
import unittest
from shelf import Box, double


class BoxTest(unittest.TestCase):
    def setUp(self):
        self.box = Box(2)

    def test_fits(self):
        self.assertTrue(self.box.fits(Box(2)))

    def test_double(self):
        self.assertEqual(double(1), 3)
"""
EDITS = {
    "boundary": ("self.size < other.size", "self.size <= other.size"),
    "default": ("times=3", "times=2"),
    "factor": ("number * times", "number * 2"),
    "half more": ("number * times", "number + 1"),
    "worse": ("number * times", "number * 5"),
    "endless": ("count -= 0", "count -= 1"),
    "constant": ("SIZE = 2", "SIZE = 3"),
    "unreadable": ("return number", "return return"),
    "counted from two": ("return len(TAKEN)", "return len(TAKEN) + 1"),
    "nothing": ("SIZE = 2", "SIZE = 2"),
    "ends at once": ("count > 0", "count > 9"),
    "never ends": ("count > 0", "count >= 0"),
}


def edit(name: str) -> list[tuple[str, int, int, str]]:
    old, new = (text.encode() for text in EDITS[name])
    start = SHELF.encode().index(old)
    return [("shelf.py", start, start + len(old), base64.b64encode(new).decode())]


def batch(root: Path, module: str, failing: list[str], names: list[str], **more: Any) -> dict[str, Any]:
    """Run the candidates over one test module; return name → record."""
    (root / "shelf.py").write_text(SHELF)
    (root / "test_shelf.py").write_text(module)
    work = {
        "runner": "pytest",
        "failing": failing,
        "broken": [],
        "limits": {},
        "limitS": 0.3,
        "patience": 1.0,
        "testS": 5.0,
        "timeoutS": 20.0,
        "wallS": 60.0,
        "settleS": 60.0,
        "near": {},
        "candidates": [edit(name) for name in names],
        **more,
    }
    (root / "work.json").write_text(json.dumps(work))
    done = subprocess.run(
        [sys.executable, str(RUNNER / "batch.py"), "work.json"],
        cwd=root,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=True,
    )
    assert (root / "shelf.py").read_text() == SHELF
    records = [json.loads(line) for line in done.stdout.splitlines()]
    looks = {r["index"]: r["seen"] for r in records if r["kind"] == "look"}
    found = {names[r["index"]]: r for r in records if r["kind"] == "candidate"}
    return {name: {**r, "seen": looks.get(r["index"])} for name, r in found.items()}


@pytest.mark.parametrize(
    ("test", "right", "wrong"),
    [
        ("test_double", "factor", "worse"),
        ("test_fits", "boundary", "factor"),
        ("test_wait", "endless", "boundary"),
        ("test_size", "constant", "default"),
        ("test_double", "default", "unreadable"),
    ],
)
def test_a_failing_test_passes_with_the_right_edit_alone(
    tmp_path: Path, test: str, right: str, wrong: str
) -> None:
    others = ["test_fits", "test_wait", "test_size", "test_double[1]", "test_double[2]"]
    ids = [f"test_shelf.py::{name}" for name in others]
    failing = [name for name in ids if test in name]

    found = batch(
        tmp_path, TESTS, failing, [wrong, right], broken=[name for name in ids if name not in failing]
    )

    assert found[right]["passed"] == failing
    assert found[right]["whole"]
    assert not found[wrong]["whole"]


def test_what_breaks_another_test_is_not_whole(tmp_path: Path) -> None:
    tests = TESTS.replace("2 * number", "3 * number").partition("def test_wait")[0]

    found = batch(tmp_path, tests, ["test_shelf.py::test_fits"], ["boundary", "factor"])

    assert found["boundary"]["whole"]
    assert not found["factor"]["whole"]


def test_a_test_that_does_not_end_is_told_apart(tmp_path: Path) -> None:
    found = batch(tmp_path, TESTS, ["test_shelf.py::test_wait"], ["boundary", "endless"])

    assert found["boundary"]["hung"]
    assert not found["endless"]["hung"]


def test_traces_of_one_candidate_do_not_reach_the_next(tmp_path: Path) -> None:
    tests = TESTS.replace('put("a") == 1', 'put("a") == 2').partition("def test_fits")[0]
    tests = tests.replace("2 * number", "3 * number")

    found = batch(
        tmp_path, tests, ["test_shelf.py::test_put"], ["boundary", "factor", "worse", "counted from two"]
    )

    assert {name: record["whole"] for name, record in found.items()} == {
        "boundary": False,
        "factor": False,
        "worse": False,
        "counted from two": True,
    }


def test_unittest_is_tried_alike(tmp_path: Path) -> None:
    failing = ["test_shelf.BoxTest.test_fits"]

    found = batch(tmp_path, UNITTESTS, failing, ["factor", "boundary", "default"], runner="unittest")

    assert found["boundary"]["passed"] == failing
    assert found["boundary"]["whole"]
    assert found["boundary"]["seen"]
    assert not found["factor"]["whole"]
    assert not found["default"]["whole"]


def test_a_look_tells_candidates_apart_that_the_tests_accept(tmp_path: Path) -> None:
    tests = TESTS.partition("def test_wait")[0].replace("2 * number", "number + 1")
    tests = tests.replace("[1, 2]", "[1]").replace('put("a") == 1', 'put("a")').replace("Box(2))", "Box(3))")

    found = batch(tmp_path, tests, ["test_shelf.py::test_double[1]"], ["factor", "default", "half more"])
    seen = {name: record["seen"] for name, record in found.items()}

    assert len(seen["factor"]) > 20
    assert (
        seen["factor"]
        == batch(tmp_path, tests, ["test_shelf.py::test_double[1]"], ["factor"])["factor"]["seen"]
    )
    assert seen["factor"] != seen["half more"]
    assert seen["default"] is None


def test_a_test_that_waits_is_no_part_of_a_look_and_changes_none(tmp_path: Path) -> None:
    quick = TESTS.partition("def test_wait")[0].replace("2 * number", "number + 1")
    quick = quick.replace("[1, 2]", "[1]").replace('put("a") == 1', 'put("a")').replace("Box(2))", "Box(3))")
    first, rest = quick.split("def test_put", 1)
    slow = f"{first}def test_that_waits():\n    import time\n\n    time.sleep(1)\n\n\ndef test_put{rest}"
    asked = ["test_shelf.py::test_double[1]"]

    # As in a repair, the search has settled by the time of the look.
    seen = batch(tmp_path, slow, asked, ["factor", "half more"], settleS=0.0)["factor"]["seen"]

    assert not any("waits" in name for name in seen)
    assert len(seen) > 20
    assert seen == batch(tmp_path, quick, asked, ["factor"])["factor"]["seen"]


OWN = """
import pytest
from shelf import Box, double, put, wait


def test_double():
    assert double(2) == 6


def test_thrice():
    assert double(1) == 3


def test_put():
    assert put("a") == 1


def test_wrong():
    assert double(1) == 4
"""


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_candidates_with_tests_of_their_own_run_these_alone(tmp_path: Path, runner: str) -> None:
    tests, ids = OWN, [f"test_shelf.py::{name}" for name in ("test_double", "test_thrice", "test_put")]
    if runner == "unittest":
        tests, ids = UNITTESTS, ["test_shelf.BoxTest.test_double"]
    names = ["nothing", "default", "factor", "worse", "unreadable"]
    asked = [ids, ids, ids[:1], ids[-1:], ids]

    found = batch(tmp_path, tests, [], names, runner=runner, tests=asked, controls=1)

    assert {name: found[name]["whole"] for name in names} == {
        "nothing": True,
        "default": False,
        "factor": False,
        "worse": runner == "pytest",
        "unreadable": False,
    }
    assert sorted(found["nothing"]["passed"]) == sorted(ids)
    assert found["default"]["bad"] == ids[:1]
    assert found["unreadable"]["bad"]


def test_a_control_runs_all_of_its_tests_whatever_they_say(tmp_path: Path) -> None:
    ids = ["test_shelf.py::test_wrong", "test_shelf.py::test_double", "test_shelf.py::test_put"]

    found = batch(tmp_path, OWN, [], ["nothing", "boundary"], tests=[ids, ids], controls=1)

    assert sorted(found["nothing"]["passed"]) == ids[1:]
    assert found["nothing"]["bad"] == ids[:1]
    assert found["boundary"]["bad"] == ids[:1]


def test_a_mutant_that_does_not_end_is_noticed(tmp_path: Path) -> None:
    ids = ["test_shelf.py::test_wait"]
    tests = "from shelf import wait\n\n\ndef test_wait():\n    assert wait(0) == 0\n"

    found = batch(tmp_path, tests, [], ["nothing", "ends at once", "never ends"], tests=[ids] * 3, controls=1)

    assert found["ends at once"]["whole"]
    assert found["never ends"]["hung"]
    assert found["never ends"]["bad"] == ids


WAITING_CASE = """
import time
import unittest
from shelf import SIZE, double


class WaitTest(unittest.TestCase):
    def test_double(self):
        while double(1) != 2:
            time.sleep(0.1)

    def test_size(self):
        while SIZE != 3:
            time.sleep(0.1)
"""
WAITING = """
import time
from shelf import SIZE, double


def test_double():
    while double(1) != 2:
        time.sleep(0.1)


def test_size():
    while SIZE != 3:
        time.sleep(0.1)
"""


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
@pytest.mark.parametrize(("test", "name"), [("test_double", "worse"), ("test_size", "nothing")])
def test_a_candidate_that_waits_for_ever_does_not_outlast_the_batch(
    runner: str, test: str, name: str, tmp_path: Path
) -> None:
    """Each limit of its own is longer than this test may take."""
    module, prefix = (
        (WAITING, "test_shelf.py::") if runner == "pytest" else (WAITING_CASE, "test_shelf.WaitTest.")
    )
    both = {f"{prefix}test_double", f"{prefix}test_size"}
    failing = f"{prefix}{test}"

    found = batch(
        tmp_path,
        module,
        [failing],
        [name],
        runner=runner,
        broken=sorted(both - {failing}),
        wallS=1.0,
        testS=900.0,
        timeoutS=900.0,
    )

    assert not any(record["whole"] for record in found.values())
