"""What an environment's fingerprint sees: every change of a file, and no cache of Python's."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greenline.sandbox.fingerprint import _facts, folders_fingerprint


def environment(folder: Path) -> Path:
    package = folder / "lib" / "python3" / "site-packages" / "lib"
    package.mkdir(parents=True)
    (package / "a.py").write_text("A = 1\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to("python3")
    return package / "a.py"


def wait_for_another_time(folder: Path, path: Path) -> None:
    """Wait until the file system's clock has moved on since a file was changed last."""
    probe = folder.parent / "probe"
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        probe.write_bytes(b"")
        if probe.stat().st_ctime_ns > path.stat().st_ctime_ns:
            return
    raise AssertionError("The file system's clock stands still.")


def write_unseen(path: Path) -> None:
    """Change a byte in place, and set the times back."""
    status = path.stat()
    path.write_text("A = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "added": lambda path: (path.parent / "b.py").write_text(""),
    "removed": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("c.py")),
    "longer": lambda path: path.write_text("A = 10\n"),
    "in place, with its old times": write_unseen,
    "its mode": lambda path: path.chmod(0o755),
    "an empty folder": lambda path: (path.parent / "folder").mkdir(),
    "replaced by a link": lambda path: (path.unlink(), path.symlink_to("b.py")),
    "a link that leads elsewhere": lambda path: (
        (path.parents[4] / "bin" / "python").unlink(),
        (path.parents[4] / "bin" / "python").symlink_to("python4"),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_changes_the_fingerprint(tmp_path: Path, change: Callable[[Path], object]) -> None:
    folder = tmp_path / "env"
    path = environment(folder)
    wait_for_another_time(folder, path)
    before = folders_fingerprint([str(folder)])

    change(path)

    assert folders_fingerprint([str(folder)]) != before


def test_what_python_compiles_does_not(tmp_path: Path) -> None:
    path = environment(tmp_path)
    before = folders_fingerprint([str(tmp_path)])

    (path.parent / "__pycache__").mkdir()
    (path.parent / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"x")
    path.read_bytes()

    assert folders_fingerprint([str(tmp_path)]) == before


def test_the_order_of_the_folders_does_not(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    environment(one)
    environment(two)

    there, back = [str(one), str(two)], [str(two), str(one)]

    assert folders_fingerprint(there) == folders_fingerprint(back) != folders_fingerprint([str(one)])


def test_a_folder_that_is_gone_is_none(tmp_path: Path) -> None:
    environment(tmp_path / "env")
    before = folders_fingerprint([str(tmp_path / "env")])

    (tmp_path / "env").rename(tmp_path / "elsewhere")

    assert folders_fingerprint([str(tmp_path / "env")]) != before


def test_of_gos_modules_a_version_more_is_seen(tmp_path: Path) -> None:
    owner = tmp_path / "host" / "owner"
    (owner / "name@v1" / "inside").mkdir(parents=True)
    modules = str(tmp_path)
    before = folders_fingerprint([modules], modules)

    (owner / "name@v1" / "inside" / "a.go").write_text("package a\n")
    inside = folders_fingerprint([modules], modules)
    (owner / "name@v2").mkdir()

    assert inside == before
    assert folders_fingerprint([modules], modules) != before


def test_a_file_that_goes_while_it_is_looked_at_is_no_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("")
    facts = _facts(str(tmp_path), 1)
    next(facts)

    (tmp_path / "b").unlink()

    assert list(facts) == ["b\0none"]
