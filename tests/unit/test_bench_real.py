"""What `python -m bench real` takes for a project, without downloading one."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import attrs
import pytest
from bench.real import _FIX, _NO_FIX, Outcome
from bench.real_project import PROJECTS, Broken, _products, _unpack


def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.addfile(tarfile.TarInfo("a-1/a.py"), io.BytesIO())

    with pytest.raises(Broken, match="is pinned"):
        _unpack(archive, PROJECTS[0].hashes[0], tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_tests_and_what_is_built_are_no_product(tmp_path: Path) -> None:
    names = (
        "src/a.js",
        "index.mjs",
        "test/a.js",
        "a.test.js",
        "dist/a.js",
        "a.min.js",
        "node_modules/b/b.js",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1\n")
    project = next(project for project in PROJECTS if project.registry == "npm")

    assert _products(project, tmp_path) == {"src/a.js", "index.mjs"}


@pytest.mark.parametrize(
    ("verdicts", "is_fix", "is_right"),
    [
        (("notCovered", "regressed", "verified"), True, True),
        (("notCovered", "verified", "verified"), True, False),
        (("notCovered", "regressed", "notCovered"), True, False),
        (("notCovered", "verified", "notCovered"), False, True),
        (("regressed", "verified", "verified"), False, False),
        (("notCovered", "couldNotRun", "verified"), False, False),
    ],
)
def test_what_the_suite_says_is_what_is_due(
    verdicts: tuple[str, str, str], is_fix: bool, is_right: bool
) -> None:
    outcome = Outcome(PROJECTS[0], 1, 1.0, verdicts, _FIX if is_fix else _NO_FIX, 1.0)

    assert outcome.is_right is is_right
    assert PROJECTS[0].name in outcome.line()


def test_each_project_is_pinned_by_two_hashes() -> None:
    assert len({project.name for project in PROJECTS}) == len(PROJECTS) >= 10
    for project in PROJECTS:
        assert project.before != project.version
        assert [len(digest) for digest in project.hashes] == [43, 43], attrs.asdict(project)
