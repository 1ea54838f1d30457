"""The gate: secret files go nowhere, ignored ones go to the tests alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.guard.gate import FileWithheld, Gate


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "a/.env.local",
        ".env-production",
        ".env_staging",
        "infra/prod.tfvars",
        ".vault_pass.txt",
        "deploy/id_rsa",
        "x.PEM",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".ssh/config",
        "credentials",
    ],
)
def test_secret_files_are_neither_shown_nor_staged(tmp_path: Path, path: str) -> None:
    gate = Gate((str(tmp_path),))

    assert gate.is_secret(path)
    assert not gate.may_stage(path)
    assert not gate.may_prompt(path)
    with pytest.raises(FileWithheld, match="secrets"):
        gate.check_read(path)


@pytest.mark.parametrize(
    "path", [".env.example", ".env-sample", ".env_template", "src/environment.py", "keys.py", "id_rsa.pub"]
)
def test_ordinary_files_pass(tmp_path: Path, path: str) -> None:
    gate = Gate((str(tmp_path),))

    assert gate.may_stage(path)
    assert gate.may_prompt(path)


def test_ignored_files_are_staged_but_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("_version.py\n", "utf-8")
    (tmp_path / ".greenlineignore").write_text("notes/\n!_version.py\n", "utf-8")
    gate = Gate((str(tmp_path),))

    for path in ("_version.py", "notes/a.md"):
        assert gate.may_stage(path)
        assert not gate.may_prompt(path)


def test_a_link_to_a_secret_is_a_secret(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1", "utf-8")
    (tmp_path / "plain.txt").symlink_to(".env")

    with pytest.raises(FileWithheld):
        Gate((str(tmp_path),)).check_read(str(tmp_path / "plain.txt"))


def test_what_lies_outside_is_not_shown(tmp_path: Path) -> None:
    assert not Gate((str(tmp_path),)).may_prompt("/etc/hostname")
