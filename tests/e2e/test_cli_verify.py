"""`greenline verify` over the sample: a patch that fixes, one that breaks, one that no test covers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from greenline.cli import main
from greenline.edit.hunk import diff_text
from greenline.sandbox.package_data import sandbox_folder

FIX = ("ledger/discount.py", "if quantity > pieces:", "if quantity >= pieces:")
BREAK = ("ledger/money.py", "* percent + 50", "* percent + 40")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "ledger-project"
    shutil.copytree(sandbox_folder() / "sample", root)
    return root


@pytest.mark.parametrize(
    ("edit", "verdict", "code"),
    [(FIX, "verified", 0), (BREAK, "regressed", 4)],
)
def test_the_verdict_of_a_patch(
    edit: tuple[str, str, str], verdict: str, code: int, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, old, new = edit
    before = (project / name).read_text()
    patch = project.parent / "p.diff"
    patch.write_text(diff_text(name, before, before.replace(old, new)))

    assert main(["verify", "--root", str(project), "--patch", str(patch), "--json"]) == code

    lines = capsys.readouterr().out.splitlines()
    value = json.loads(lines[-1])
    assert len(lines) == 1
    assert value["verdict"] == verdict
    assert {"warnings", "touchesTests", "base", "patched", "hunks"} <= set(value)
    assert (project / name).read_text() == before


def test_new_code_that_no_test_runs_is_not_covered(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "ledger/money.py"
    before = (project / name).read_text()
    patch = project.parent / "p.diff"
    patch.write_text(diff_text(name, before, before + "\n\ndef unused():\n    return 1\n"))

    assert main(["verify", "--root", str(project), "--patch", str(patch), "--json"]) == 4

    assert json.loads(capsys.readouterr().out)["verdict"] == "notCovered"
