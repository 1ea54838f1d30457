"""Tests are asked about mutants one by one, among what the patch's own tests leave behind."""

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
SHELF = "def double(n):\n    return n + n\n\n\ndef later(n):\n    return n - 1\n"
PYTEST = {
    "test_a.py": "from shelf import double\n\n\ndef test_double():\n    assert double(2) == 4\n\n\n"
    "def test_lazy():\n    from shelf import later\n\n    assert later(2) == 1\n\n\n"
    "def test_number():\n    double(2).bit_length()\n",
    "test_b.py": "import shelf\n\n\ndef test_own():\n    shelf.double = lambda n: 4\n\n\n"
    "def test_stubbed():\n    assert shelf.double(2) == 4\n\n\n"
    "def test_before():\n    assert shelf.later(2) == 1\n",
}
UNITTEST = {
    "test_a.py": "import unittest\nimport shelf\n\n\nclass A(unittest.TestCase):\n"
    "    def test_double(self):\n        self.assertEqual(shelf.double(2), 4)\n\n"
    "    def test_number(self):\n        shelf.double(2).bit_length()\n\n\n"
    "class B(unittest.TestCase):\n    def test_own(self):\n        shelf.double = lambda n: 4\n\n\n"
    "class C(unittest.TestCase):\n    def test_stubbed(self):\n"
    "        self.assertEqual(shelf.double(2), 4)\n\n\n"
    "class D(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
    "        assert shelf.later(2) == 1\n\n    def test_class(self):\n        pass\n",
}
EDITS = {"text": ("n + n", "'x'"), "number": ("n + n", "n + n + 1"), "later": ("n - 1", "n + 1")}


def edit(name: str) -> list[tuple[str, int, int, str]]:
    old, new = (text.encode() for text in EDITS[name])
    start = SHELF.encode().index(old)
    return [("shelf.py", start, start + len(old), base64.b64encode(new).decode())]


def ask(
    root: Path, files: dict[str, str], asked: dict[str, list[str]], own: list[str], **more: Any
) -> dict[tuple[str, str], str]:
    """Return (test, name of the edit, or empty without one) → outcome."""
    for name, text in {"shelf.py": SHELF, **files}.items():
        (root / name).write_text(text)
    names = list(EDITS)
    work = {
        "runner": "pytest",
        "candidates": [edit(name) for name in names],
        "asked": {test: [names.index(name) for name in found] for test, found in asked.items()},
        "own": own,
        "limits": {},
        "limitS": 0.5,
        "testS": 5.0,
        "timeoutS": 20.0,
        "wallS": 60.0,
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
    named = {-1: "", **dict(enumerate(names))}
    return {(r["test"], named[r["index"]]): r["outcome"] for r in records if r["kind"] == "notice"}


def test_pytests_tests_tell_what_they_notice(tmp_path: Path) -> None:
    asked = {
        "test_a.py::test_double": ["text", "number", "later"],
        "test_a.py::test_lazy": ["later"],
        "test_a.py::test_number": ["text", "number"],
        "test_b.py::test_stubbed": ["number"],
        "test_b.py::test_before": ["later"],
    }

    found = ask(tmp_path, PYTEST, asked, ["test_b.py::test_own"])

    assert found == {
        ("test_a.py::test_double", "text"): "failed",
        ("test_a.py::test_double", "number"): "failed",
        ("test_a.py::test_double", "later"): "passed",
        ("test_a.py::test_double", ""): "passed",
        ("test_a.py::test_lazy", "later"): "failed",
        ("test_a.py::test_lazy", ""): "passed",
        ("test_a.py::test_number", "text"): "error",
        ("test_a.py::test_number", "number"): "passed",
        ("test_a.py::test_number", ""): "passed",
        ("test_b.py::test_stubbed", "number"): "passed",
        ("test_b.py::test_before", "later"): "failed",
        ("test_b.py::test_before", ""): "passed",
    }


def test_without_the_own_test_nothing_is_left_behind(tmp_path: Path) -> None:
    found = ask(tmp_path, PYTEST, {"test_b.py::test_stubbed": ["number"]}, [])

    assert found["test_b.py::test_stubbed", "number"] == "failed"


def test_unittests_tests_tell_what_they_notice(tmp_path: Path) -> None:
    asked = {
        "test_a.A.test_double": ["number"],
        "test_a.A.test_number": ["text"],
        "test_a.C.test_stubbed": ["number"],
        "test_a.D.test_class": ["later"],
    }

    found = ask(tmp_path, UNITTEST, asked, ["test_a.B.test_own"], runner="unittest")

    assert found == {
        ("test_a.A.test_double", "number"): "failed",
        ("test_a.A.test_double", ""): "passed",
        ("test_a.A.test_number", "text"): "error",
        ("test_a.A.test_number", ""): "passed",
        ("test_a.C.test_stubbed", "number"): "passed",
        ("test_a.D.test_class", "later"): "error",
        ("test_a.D.test_class", ""): "passed",
    }


@pytest.mark.parametrize("name", ["test_double", "test_lazy"])
def test_a_mutant_without_an_end_is_stopped(tmp_path: Path, name: str) -> None:
    old = EDITS["number"]
    EDITS["number"] = ("n + n", "[0 for _ in iter(int, 1)]")
    try:
        asked = {f"test_a.py::{name}": ["number"]}
        found = ask(tmp_path, {**PYTEST, "test_b.py": ""}, asked, [])
    finally:
        EDITS["number"] = old

    assert found[f"test_a.py::{name}", "number"] == ("hung" if name == "test_double" else "passed")


def test_no_time_means_no_answer(tmp_path: Path) -> None:
    assert ask(tmp_path, PYTEST, {"test_a.py::test_double": ["number"]}, [], wallS=-1.0) == {}
