"""A test walks the folder of a file where it says so; a call that lists some folder is not enough."""

from __future__ import annotations

import pytest

from greenline.verify.case_folder import walkers

WALKS = "CASES = sorted((Path(__file__).parent / 'cases').glob('*.json'))\n"
BESIDE = "CASES = sorted(Path(__file__).parent.glob('case_*.json'))\n"


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (WALKS, "tests/cases/one.json"),
        ("for name in os.listdir('tests/cases'): ...\n", "tests/cases/one.json"),
        ("for name in os.listdir('cases'): ...\n", "cases/one.json"),
        (BESIDE, "tests/case_1.json"),
    ],
)
def test_a_folder_that_is_named_and_walked(text: str, file: str) -> None:
    assert walkers("tests/test_cases.py", text, [file])


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("assert [p.name for p in tmp_path.iterdir()] == []\n", "tests/golden.json"),
        ("assert [p.name for p in folder.iterdir()] == []\n", "tests/golden.json"),
        ("assert [p.name for p in folder.iterdir()] == []\n", "tox.ini"),
        ("names = [n for n in ast.walk(tree)]\nX = 'cases'\n", "tests/cases/one.json"),
        (WALKS, "tests/cases/README.md"),
        (BESIDE, "tests/golden.json"),
        (BESIDE, "case_1.json"),
        ("const names = readdirSync(tmp);\n", "tests/a.snapshot"),
    ],
)
def test_a_call_that_lists_another_folder(text: str, file: str) -> None:
    assert not walkers("tests/test_cases.py", text, [file])
