"""Where git says that lines come from, and that asking starts nothing of the workspace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from greenline.workspace.blame import Committed

TEXT = "".join(f"{word} line of the file\n" for word in ("first", "second", "third", "fourth", "fifth"))


def run(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
    subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    run(root, "init", "-q")
    (root / "a b.txt").write_text(TEXT)
    run(root, "add", ".")
    run(root, "commit", "-q", "-m", "one")
    return root


def test_each_line_has_the_commit_and_the_place_that_it_came_from(repository: Path) -> None:
    path = repository / "sub" / "é.txt"
    path.parent.mkdir()
    (repository / "a b.txt").rename(path)
    path.write_text("new on top\n" + TEXT.replace("second", "another"))
    run(repository, "add", ".")
    run(repository, "commit", "-q", "-m", "two")

    committed = Committed(str(path))
    origins = committed.origins()

    assert [(o.path, o.line, o.previous) for o in origins] == [
        ("sub/é.txt", 0, "a b.txt"),
        ("a b.txt", 0, ""),
        ("sub/é.txt", 2, "a b.txt"),
        ("a b.txt", 2, ""),
        ("a b.txt", 3, ""),
        ("a b.txt", 4, ""),
    ]
    assert committed.lines()[2] == "another line of the file\n"
    assert committed.lines_at(origins[1].commit, "a b.txt") == TEXT.splitlines(keepends=True)
    assert all(o.time > 0 for o in origins)
    assert committed.moved_from() is None
    assert committed.path_of(str(repository / "a b.txt")) == "a b.txt"
    assert committed.path_of(str(repository.parent / "other")) is None


def test_a_staged_move_is_known_before_it_is_committed(repository: Path) -> None:
    run(repository, "mv", "a b.txt", "c.txt")

    committed = Committed(str(repository / "c.txt"))

    assert committed.moved_from() == "a b.txt"
    assert committed.lines() == []
    assert committed.origins() == []


def test_outside_a_repository_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)

    committed = Committed(str(tmp_path / "a.txt"))

    assert committed.lines() == []
    assert committed.origins() == []
    assert committed.moved_from() is None
    assert committed.path_of(str(tmp_path / "a.txt")) is None


def test_nothing_that_the_workspace_configures_is_started(repository: Path, tmp_path: Path) -> None:
    proof = tmp_path / "started"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    evil.chmod(0o755)
    (repository / ".gitattributes").write_text("* diff=evil filter=evil\n")
    run(repository, "add", ".")
    run(repository, "commit", "-q", "-m", "attributes")
    for key in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge"):
        run(repository, "config", key, str(evil))
    for key in ("core.fsmonitor", "diff.external", "core.pager", "pager.blame", "gpg.program"):
        run(repository, "config", key, str(evil))
    proof.unlink(missing_ok=True)
    (repository / "a b.txt").write_text(TEXT + "more\n")

    committed = Committed(str(repository / "a b.txt"))
    origins = committed.origins()
    committed.moved_from()

    assert len(origins) == 5
    assert len(committed.lines()) == 5
    assert not proof.exists()
