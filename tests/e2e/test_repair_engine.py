"""The repair engine over the real sandbox: a fix is verified, and where there is none, it says so."""

from __future__ import annotations

from pathlib import Path

from greenline.app import make_sandbox, make_verifier
from greenline.config.settings import load_settings
from greenline.core.cancel import Cancellation
from greenline.core.evidence import Verdict
from greenline.core.port import StagedFile
from greenline.repair.engine import RepairEngine, RepairResult
from greenline.verify.hunk_coverage import hunks_of

TESTS = """
from queue_times import longest, total

def test_longest():
    assert longest([3, 9, 4]) == 9

def test_longest_of_one():
    assert longest([5]) == 5

def test_total_counts_all():
    assert total([1, 2, 3]) == 6

def test_total_of_none():
    assert total([]) == 0
"""
SOUND = """
def longest(waits):
    best = waits[0]
    for wait in waits:
        if wait > best:
            best = wait
    return best

def total(waits):
    result = 0
    for wait in waits:
        result += wait
    return result
"""


def test_a_single_fault_is_mended(tmp_path: Path) -> None:
    result = _repair(tmp_path, SOUND.replace("wait > best", "wait < best"))

    assert result.edit_set is not None, result.note
    assert result.evidence is not None
    assert result.evidence.verdict is Verdict.VERIFIED
    assert result.evidence.fixed == ("test_queue_times.py::test_longest",)


def test_two_faults_are_mended_together(tmp_path: Path) -> None:
    faulty = SOUND.replace("wait > best", "wait < best").replace("result += wait", "result -= wait")

    result = _repair(tmp_path, faulty)

    assert result.edit_set is not None, result.note
    assert result.evidence is not None
    assert len(result.evidence.fixed) == 2


def test_a_loop_without_an_end_is_mended(tmp_path: Path) -> None:
    counted = "    i = result = 0\n    while i < len(waits):\n        result += waits[i]\n    return result\n"
    faulty = SOUND[: SOUND.index("    result = 0")] + counted

    result = _repair(tmp_path, faulty)

    assert result.edit_set is not None, result.note
    assert result.evidence is not None
    assert result.evidence.verdict is Verdict.VERIFIED
    assert b"i += 1" in (result.edit_set.changes[0].after or b"")


def test_a_test_that_waits_for_long_is_no_failing_one(tmp_path: Path) -> None:
    slow = "\n\ndef test_that_waits():\n    import time\n\n    time.sleep(5)\n"

    result = _repair(tmp_path, SOUND.replace("wait > best", "wait < best"), TESTS + slow)

    assert result.evidence is not None, result.note
    assert result.evidence.verdict is Verdict.VERIFIED
    assert result.evidence.fixed == ("test_queue_times.py::test_longest",)


def test_a_test_that_passes_in_the_search_alone_is_not_mended(tmp_path: Path) -> None:
    # The search measures no coverage, and the verification does.
    traced = "\n\ndef test_untraced():\n    import sys\n\n    assert longest([2, 3]) == 3\n"
    traced += "    assert sys.gettrace() is None\n"

    result = _repair(tmp_path, SOUND.replace("wait > best", "wait < best"), TESTS + traced, budget_s=30)

    assert result.edit_set is None
    assert "none was verified" in result.note


def test_fixes_between_which_the_tests_do_not_tell_are_named(tmp_path: Path) -> None:
    tests = "from queue_times import total\n\n\ndef test_total():\n    assert total([2]) == 4\n"
    result = _repair(tmp_path, "def total(waits):\n    return sum(waits) + 0\n", tests, budget_s=30)

    assert result.edit_set is None
    assert "Likeliest: queue_times.py:2 `return sum(waits) + 2`" in result.note, result.note


def test_a_folder_whose_name_no_line_can_hold_is_refused_at_once(tmp_path: Path) -> None:
    result = _repair(tmp_path / "new\nline", SOUND)

    assert result.edit_set is None
    assert "has a character in its path" in result.note


def test_a_project_without_tests_is_named(tmp_path: Path) -> None:
    result = _repair(tmp_path, SOUND, "")

    assert str(tmp_path) in result.note
    assert "has no tests" in result.note


def test_a_missing_algorithm_is_not_made_up(tmp_path: Path) -> None:
    faulty = SOUND.replace("    for wait in waits:\n        result += wait\n", "")

    result = _repair(tmp_path, faulty, budget_s=15)

    assert result.edit_set is None
    assert "no fix" in result.note.lower()


def test_a_file_of_tests_that_cannot_be_imported_is_named_at_once(tmp_path: Path) -> None:
    faulty = SOUND.replace("wait > best", "wait < best")

    result = _repair(tmp_path, faulty, other="import nosuchmodule\n\n\ndef test_it():\n    assert True\n")

    assert (result.edit_set, result.n_tried) == (None, 0)
    assert "test_other.py cannot be imported" in result.note
    assert "No module named 'nosuchmodule'" in result.note


def test_a_sound_project_needs_nothing(tmp_path: Path) -> None:
    result = _repair(tmp_path, SOUND)

    assert result.edit_set is None
    assert "nothing to repair" in result.note


def test_endless_candidates_are_stopped(tmp_path: Path) -> None:
    faulty = "def longest(waits):\n    i = 0\n    while i < len(waits) - 1:\n        i += 1\n    return i\n"
    faulty += "\ndef total(waits):\n    return sum(waits)\n"

    result = _repair(tmp_path, faulty, budget_s=12)

    assert result.n_tried > 1
    assert result.edit_set is None or result.evidence is not None


def _repair(
    root: Path, code: str, tests: str = TESTS, budget_s: float = 60.0, other: str = ""
) -> RepairResult:
    tree = {
        "queue_times.py": StagedFile(code.encode()),
        "test_queue_times.py": StagedFile(tests.encode()),
    }
    if other:
        tree["test_other.py"] = StagedFile(other.encode())
    sandbox = make_sandbox(load_settings())
    engine = RepairEngine(sandbox, make_verifier(sandbox), hunks_of, budget_s)
    diagnosis = engine.diagnose(str(root), tree, (), "repair", Cancellation())
    return engine.repair(str(root), tree, diagnosis, "repair", Cancellation(), lambda _: None)
