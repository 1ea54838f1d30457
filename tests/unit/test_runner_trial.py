"""What a forked process tells comes through whole, whatever the tests are called."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "sandbox" / "runner"))

from greenline_runner.trial import forked


@pytest.mark.parametrize("name", ["t.py::test_all_done", "done", "t.py::test_done\n"])
def test_a_test_whose_name_ends_like_the_end_is_not_the_end(name: str) -> None:
    def work(tell: Callable[[str, str], None]) -> None:
        tell(name, "passed")
        # What was told so far is read by itself.
        time.sleep(0.2)
        tell("t.py::test_next", "passed")

    found = forked(work, 20.0)

    assert list(found.values()) == ["passed", "passed"]
    assert "process" not in found


def test_a_process_that_ends_early_is_an_error() -> None:
    def work(tell: Callable[[str, str], None]) -> None:
        tell("t.py::test_all_done", "passed")
        os._exit(0)

    assert forked(work, 20.0) == {"t.py::test_all_done": "passed", "process": "error"}
