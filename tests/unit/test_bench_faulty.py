"""The check of the faulty programs calls a fair folder fair, and names what is wrong with each unfair one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench.faulty_check import check

SOUND = "def larger(a, b):\n    return a if a > b else b\n"
FAULTY = SOUND.replace(">", "<")
TEST = "from program import larger\n\n\ndef test_larger():\n    assert larger(1, 2) == 2\n"
META = {"title": "The larger of two numbers.", "faults": 1, "class": "repairable", "kinds": ["comparison"]}


def make_folder(tmp_path: Path, changed: Mapping[str, str | None], **meta: object) -> Path:
    """Write a fair folder with some files changed (None: left out) and some entries of its meta replaced."""
    folder = tmp_path / "larger"
    folder.mkdir()
    files: dict[str, str | None] = {
        "program.py": FAULTY,
        "reference.py": SOUND,
        "test_visible.py": TEST,
        "test_kept.py": TEST,
        "meta.json": json.dumps(META | meta),
        **changed,
    }
    for name, content in files.items():
        if content is not None:
            (folder / name).write_text(content)
    return folder


def test_a_fair_folder_has_no_problem(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {})

    assert check(folder) == []


def test_a_sound_program_is_no_task(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"program.py": SOUND})

    assert check(folder) == [
        "the faulty program passes all of test_visible.py",
        "the faulty program passes all of test_kept.py",
    ]


def test_a_wrong_reference_is_found(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"reference.py": "def larger(a, b):\n    return 0\n"})

    assert "the reference does not pass test_kept.py (pytest exit 1)" in check(folder)


def test_tests_that_cannot_be_imported_are_not_failing_tests(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"test_kept.py": TEST.replace("larger\n", "unknown\n")})

    assert "test_kept.py cannot be run on the faulty program (pytest exit 2)" in check(folder)


@pytest.mark.parametrize("name", ["program.py", "reference.py", "test_kept.py", "meta.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path, {name: None})

    assert check(folder) == [f"has no {name}"]


@pytest.mark.parametrize(
    ("meta", "problem"),
    [
        ({"title": ""}, "title of meta.json must be one sentence"),
        ({"faults": 3}, "faults of meta.json must be 1 or 2 for a repairable program"),
        ({"faults": "1"}, "faults of meta.json must be 1 or 2 for a repairable program"),
        ({"class": "beyond"}, 'faults of meta.json must be 0 for class "beyond"'),
        ({"class": "hard"}, 'class of meta.json must be "repairable" or "beyond"'),
        ({"kinds": []}, "kinds of meta.json must name the operators that made the faults"),
        ({"level": 1}, "meta.json has unknown keys: level"),
        ({"files": ["../program.py"]}, "files of meta.json must be a list of paths inside the folder"),
    ],
)
def test_a_wrong_meta_is_explained(tmp_path: Path, meta: dict[str, object], problem: str) -> None:
    folder = make_folder(tmp_path, {}, **meta)

    assert check(folder) == [problem]


def test_meta_that_is_not_json_is_explained(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, {"meta.json": "{"})

    (problem,) = check(folder)
    assert problem.startswith("meta.json is not JSON")


def test_a_large_difference_is_not_one_fault(tmp_path: Path) -> None:
    other = "def larger(a, b):\n    low = a\n    if b < a:\n        low = b\n    low += 0\n    return low\n"
    folder = make_folder(tmp_path, {"program.py": other})

    (problem,) = check(folder)
    assert problem.startswith("differs from its reference in")
