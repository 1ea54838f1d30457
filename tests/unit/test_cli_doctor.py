"""What `greenline doctor` says of the projects that it detects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from greenline.cli import main
from greenline.cli.doctor import examine
from greenline.verify.flaky_memory import FlakyMemory


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.delenv("GREENLINE_TEST_COMMAND", raising=False)


def test_projects_are_named_with_what_speaks_for_them(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text(json.dumps({"scripts": {"test": "vitest run"}}))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "package.json").write_text("{")

    found = {finding.name: finding for finding in examine(str(tmp_path)) if "project" in finding.name}

    assert found["project ."].detail == "python, pytest: pyproject.toml at the root; pytest runs its tests"
    assert "its test script runs vitest: `vitest run`" in found["project web"].detail
    assert not found["project old"].ok
    assert "old/package.json is not valid JSON" in found["project old"].remedy


def test_a_folder_without_a_project_says_so(tmp_path: Path) -> None:
    (finding,) = (finding for finding in examine(str(tmp_path)) if finding.name == "projects")

    assert (finding.ok, finding.detail) == (False, "none was detected")
    assert "test_command" in finding.remedy


def test_the_users_own_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENLINE_TEST_COMMAND", "go test ./...")

    (finding,) = (finding for finding in examine(str(tmp_path)) if finding.name == "project .")

    assert finding.detail == "go, go test: the setting `test_command`: `go test ./...`"


def test_flaky_tests_are_named_until_they_are_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FlakyMemory().record(str(tmp_path), {"base": ["t.py::coin"], "order": ["t.py::second"]})

    (finding,) = (finding for finding in examine(str(tmp_path)) if finding.name == "flaky tests")
    assert main(["flaky", "--root", str(tmp_path)]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert main(["flaky", "--root", str(tmp_path), "--forget", "t.py::coin", "--json"]) == 0
    left = json.loads(capsys.readouterr().out)

    assert (finding.ok, finding.optional) == (False, True)
    assert finding.detail.startswith("t.py::coin (once, last on ")
    assert "second" not in finding.detail
    assert [line.partition(",")[0] for line in listed] == [
        "t.py::coin: flaky",
        "t.py::second: depends on its order",
    ]
    assert [known["test"] for known in left] == ["t.py::second"]
    assert not [finding for finding in examine(str(tmp_path)) if finding.name == "flaky tests"]


def test_a_test_that_nobody_remembers_cannot_be_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["flaky", "--root", str(tmp_path), "--forget", "t.py::none"]) == 1
    assert "t.py::none" in capsys.readouterr().err


def test_a_state_folder_that_cannot_be_written_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def state_of(root: Path) -> dict[str, object]:
        main(["doctor", "--root", str(root), "--json"])
        (found,) = (row for row in json.loads(capsys.readouterr().out) if row["name"] == "state folder")
        return dict(found)

    sound = state_of(tmp_path)
    monkeypatch.setenv("GREENLINE_STATE_DIR", "/dev/null/state")
    missing = state_of(tmp_path)
    monkeypatch.setenv("GREENLINE_STATE_DIR", "state")
    relative = state_of(tmp_path)

    assert sound["ok"]
    assert (missing["ok"], missing["optional"], relative["ok"]) == (False, False, False)
    assert "/dev/null/state" in str(missing["detail"])
    assert "GREENLINE_STATE_DIR" in str(missing["remedy"])
    assert "relative" in str(relative["detail"])


def test_the_toolchain_of_lock_files_says_what_it_would_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_TOOLCHAIN", "lock")
    monkeypatch.setenv("GREENLINE_REGISTRIES", "packages.test,mirror.test:8443=10.0.0.0/8")
    (tmp_path / "requirements.txt").write_text("shop==1.0\n")

    found, free = (finding for finding in examine(str(tmp_path)) if finding.name == "packages")

    assert found.ok
    assert "requirements.txt; registries packages.test:443, mirror.test:8443" in found.detail
    assert "0 kept, 0 MB of 4096 MB" in found.detail
    assert (free.ok, free.optional) == (False, True)
    assert "requirements.txt has no hashes" in free.detail


def test_a_project_without_a_lock_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENLINE_TOOLCHAIN", "lock")

    (finding,) = (finding for finding in examine(str(tmp_path)) if finding.name == "packages")

    assert (finding.ok, finding.optional) == (False, False)
    assert "no lock file" in finding.detail
    assert "requirements.txt" in finding.remedy
