"""Packages of lock files: what is asked for, where from, and how what was installed is kept."""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from greenline.cli import main
from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, SandboxUnavailable
from greenline.core.port import SandboxResult, StagedFile
from greenline.sandbox.install_failure import failure
from greenline.sandbox.lock_file import lock_plans
from greenline.sandbox.package_source import certificates, find_source
from greenline.sandbox.package_store import PackageStore
from greenline.sandbox.unpack import BadArchive, unpack

MB = 1024 * 1024


def _tree(**files: str) -> dict[str, StagedFile]:
    return {name: StagedFile(text.encode()) for name, text in files.items()}


def _make(name: str, size_bytes: int = 1) -> object:
    def make(folder: Path) -> tuple[int, str]:
        (folder / "made").write_text(name)
        return size_bytes, name

    return make


# --- what is asked for ----------------------------------------------------------------------------------


def test_only_lock_files_and_what_they_include_are_staged() -> None:
    tree = _tree(**{
        "requirements.txt": "-r base/more.txt\n-c limits.txt\na==1 --hash=sha256:00\n",
        "base/more.txt": "b==2 --hash=sha256:00\n",
        "limits.txt": "b==2\n",
        "requirements-dev.txt": "c==3 --hash=sha256:00\n",
        "secret.py": "KEY = 1\n",
    })  # fmt: skip

    (plan,) = lock_plans(tree)

    assert set(plan.files) == {f"src/{name}" for name in tree if name != "secret.py"}
    assert plan.arguments == ("python", "hashed", "requirements.txt", "requirements-dev.txt")
    assert (plan.has_hashes, plan.has_project) == (True, False)


@pytest.mark.parametrize(
    "line", ["-e .", "-e .[dev,test]", ".", "--editable=.", "-e file:.", "./", "-e . # own"]
)
def test_the_project_itself_is_left_out_and_known(line: str) -> None:
    (plan,) = lock_plans(_tree(**{"requirements.txt": f"a==1\n{line}\n"}))

    assert plan.has_project
    assert line not in plan.files["src/requirements.txt"].content.decode().splitlines()


def test_a_lock_file_with_hashes_goes_before_requirements() -> None:
    tree = _tree(
        **{"poetry.lock": "", "pyproject.toml": "", "requirements.txt": "a", "package-lock.json": "{}"}
    )

    python, node = lock_plans(tree)

    assert python.arguments == ("python", "lock", "poetry.lock")
    assert set(python.files) == {"src/poetry.lock", "src/pyproject.toml"}
    assert node.arguments == ("node", "node/node_modules")
    assert [plan.locks for plan in lock_plans(tree, ["requirements.txt"])] == [("requirements.txt",)]


def test_packages_of_a_workspace_are_found() -> None:
    packages = {"": {}, "packages/a": {}, "node_modules/x": {}, "packages/a/node_modules/y": {}, "../out": {}}
    tree = _tree(**{
        "package-lock.json": json.dumps({"packages": packages}),
        "package.json": "{}",
        "packages/a/package.json": "{}",
        ".npmrc": "//r.test/:_authToken=hunter2\n",
    })  # fmt: skip

    (plan,) = lock_plans(tree)

    assert plan.produced == ("node/node_modules", "node/packages/a/node_modules")
    assert set(plan.files) == {f"node/{name}" for name in tree if name != ".npmrc"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.py": ""}, "no lock file"),
        ({"yarn.lock": ""}, "yarn.lock, which is not read"),
        ({"package-lock.json": "{"}, "package-lock.json cannot be read"),
        ({"requirements.txt": "-e ../other"}, "Line 1 of requirements.txt installs -e ../other"),
    ],
)
def test_what_cannot_be_installed_says_so(files: dict[str, str], words: str) -> None:
    with pytest.raises(SandboxUnavailable) as caught:
        lock_plans(_tree(**files))

    assert words in caught.value.message
    assert caught.value.remedy


def test_projects_that_need_no_packages_need_no_lock_file() -> None:
    vendored = {"go.mod": "module w\n", "go.sum": "", "vendor/modules.txt": ""}

    assert lock_plans(_tree(**{"go.mod": "module w\n"})) == ()
    assert lock_plans(_tree(**vendored)) == ()
    assert [plan.kind for plan in lock_plans(_tree(**vendored), ["go.sum"])] == ["go"]


# --- where from -----------------------------------------------------------------------------------------


def test_the_users_own_configuration_names_the_registries(tmp_path: Path) -> None:
    three, four = "https://three.test/", "https://four.test:8443/npm/"
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    (tmp_path / ".config" / "pip" / "pip.conf").write_text(
        "[global]\nindex-url = https://user:hunter2@one.test/simple/\n"
        "extra-index-url = file:///opt/files\n  http://two.test:8080/simple\n"
    )
    (tmp_path / ".npmrc").write_text(
        f"registry={three}\n@own:registry = {four}\n//three.test/:_authToken=hunter2\n"
    )

    environment = {"HOME": str(tmp_path), "GOPROXY": "https://u:hunter2@six.test|direct"}
    source = find_source(["one.test:443=10.0.0.0/8", "five.test"], environment)

    assert {one.place for one in source.registries} == {
        "one.test:443", "five.test:443", "two.test:8080", "three.test:443", "four.test:8443", "six.test:443"
    }  # fmt: skip
    assert next(one for one in source.registries if one.host == "one.test").networks
    assert source.pip_index == "https://one.test/simple/"
    assert source.pip_extra == ("http://two.test:8080/simple",)
    assert dict(source.npm)["@own:registry"] == four
    assert source.go == "https://six.test"
    assert "hunter2" not in repr(source)


def test_of_files_of_certificates_nothing_else_is_taken(tmp_path: Path) -> None:
    block = b"-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----"
    (tmp_path / "c.pem").write_bytes(
        b"-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n" + block
    )

    found = certificates({"PIP_CERT": str(tmp_path / "c.pem"), "SSL_CERT_FILE": "relative"})

    assert found.startswith(block)
    assert b"hunter2" not in found


# --- how it is kept -------------------------------------------------------------------------------------


def test_a_key_is_made_once_and_found_again(tmp_path: Path) -> None:
    store = PackageStore(tmp_path, MB)
    made: list[str] = []

    def make(folder: Path) -> tuple[int, str]:
        time.sleep(0.2)
        made.append("once")
        return 1, "words"

    def use() -> None:
        with store.hold("key", make, Cancellation()) as folder:
            assert folder.is_dir()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert made == ["once"]
    assert [one.words for one in store.all()] == ["words"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    store = PackageStore(tmp_path, MB)

    def make(folder: Path) -> tuple[int, str]:
        (folder / "half").write_text("x")
        raise SandboxUnavailable("no")

    with pytest.raises(SandboxUnavailable), store.hold("key", make, Cancellation()):
        pass

    assert store.all() == []
    assert [path.name for path in tmp_path.iterdir()] == ["key.lock"]


KILLED = """
import sys, time
from pathlib import Path
from greenline.core.cancel import Cancellation
from greenline.sandbox.package_store import PackageStore

def make(folder):
    (folder / "half").write_text("x")
    print("half", flush=True)
    time.sleep(60)

with PackageStore(Path(sys.argv[1]), 1 << 20).hold("key", make, Cancellation()):
    pass
"""


def test_an_install_that_is_killed_is_not_taken_for_done(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert PackageStore(tmp_path, MB).known("key") is None
        os.kill(process.pid, signal.SIGKILL)
    store = PackageStore(tmp_path, MB)

    with store.hold("key", _make("whole"), Cancellation()) as folder:  # type: ignore[arg-type]
        assert [path.name for path in folder.iterdir()] == ["made"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key", "key.lock"]


def test_past_the_quota_what_was_used_longest_ago_goes_and_nothing_in_use(tmp_path: Path) -> None:
    store = PackageStore(tmp_path, 25)
    for age, name in ((300, "old"), (200, "used"), (100, "newer")):
        with store.hold(name, _make(name, 10), Cancellation()):  # type: ignore[arg-type]
            pass
        os.utime(tmp_path / f"{name}.lock", (time.time() - age,) * 2)
        if name == "used":
            with store.hold(name, _make(name, 10), Cancellation()):  # type: ignore[arg-type]
                pass
    assert {one.key for one in store.all()} == {"used", "newer"}

    os.utime(tmp_path / "newer.lock", (time.time() - 900,) * 2)
    with store.hold("newer", _make("newer", 10), Cancellation()) as folder:  # type: ignore[arg-type]
        os.utime(tmp_path / "newer.lock", (time.time() - 900,) * 2)
        with store.hold("last", _make("last", 10), Cancellation()):  # type: ignore[arg-type]
            assert {one.key for one in store.all()} == {"newer", "last"}
        assert not store.remove("newer")
        assert folder.is_dir()
    assert store.remove("newer")


def test_waiting_for_another_install_can_be_cancelled(tmp_path: Path) -> None:
    store, cancellation = PackageStore(tmp_path, MB), Cancellation()

    def make(folder: Path) -> tuple[int, str]:
        cancellation.cancel()
        with pytest.raises(Cancelled), store.hold("key", make, cancellation):
            pass
        return 1, "words"

    with store.hold("key", make, Cancellation()) as folder:
        assert folder.is_dir()


def test_the_command_lists_and_clears(own_state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = PackageStore(own_state / "packages", MB)
    with store.hold("key", _make("requirements.txt of /w", 3 * MB), Cancellation()):  # type: ignore[arg-type]
        pass

    assert main(["packages"]) == 0
    assert "requirements.txt of /w: 3.0 MB, used " in capsys.readouterr().out
    assert main(["packages", "--clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": 1, "quotaMb": 4096, "kept": []}


# --- what comes back ------------------------------------------------------------------------------------


def _archive(*entries: tuple[str, bytes, str]) -> Iterator[bytes]:
    """Yield a tar in small pieces; an entry is its name, its type, and its content or what it links to."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, kind, text in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = kind, 0o4777
            entry.linkname = text if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            entry.size = len(text) if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(text.encode()) if entry.size else None)
    data = buffer.getvalue()
    yield from (data[at : at + 700] for at in range(0, len(data), 700))


def test_files_links_and_further_names_come_back(tmp_path: Path) -> None:
    size = unpack(
        _archive(
            ("python/bin", tarfile.DIRTYPE, ""),
            ("python/bin/tool", tarfile.REGTYPE, "run"),
            ("python/bin/same", tarfile.LNKTYPE, "python/bin/tool"),
            ("python/bin/python", tarfile.SYMTYPE, "/usr/bin/python3"),
        ),
        tmp_path,
        ["python"],
        MB,
    )

    folder = tmp_path / "python" / "bin"
    assert size == 6
    assert (folder / "same").read_text() == "run"
    assert (folder / "same").stat().st_nlink == 1
    assert str((folder / "python").readlink()) == "/usr/bin/python3"
    # No bit that lends rights, and no right to write for others.
    assert (folder / "tool").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "entries",
    [
        [("../out", tarfile.REGTYPE, "x")],
        [("python/../../out", tarfile.REGTYPE, "x")],
        [("/out", tarfile.REGTYPE, "x")],
        [("other/x", tarfile.REGTYPE, "x")],
        [("pythonic/x", tarfile.REGTYPE, "x")],
        [("python/pipe", tarfile.FIFOTYPE, "")],
        [("python/disk", tarfile.BLKTYPE, "")],
        [("python/a", tarfile.REGTYPE, "x"), ("python/a", tarfile.REGTYPE, "y")],
        [("python/a", tarfile.REGTYPE, "x"), ("python/a/b", tarfile.REGTYPE, "y")],
        [("python/a", tarfile.LNKTYPE, "/etc/passwd")],
        [("python/a", tarfile.LNKTYPE, "python/gone")],
        [("python/a", tarfile.SYMTYPE, "/tmp"), ("python/a", tarfile.DIRTYPE, "")],
        [("python/big", tarfile.REGTYPE, "x" * 2000)],
        [("python", tarfile.SYMTYPE, "/home")],
        [("./python/", tarfile.SYMTYPE, "/home")],
        [("python", tarfile.REGTYPE, "x")],
        [("python/" + "a/" * 2000 + "b", tarfile.REGTYPE, "x")],
    ],
)  # fmt: skip
def test_what_no_install_makes_is_refused(entries: list[tuple[str, bytes, str]], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()

    with pytest.raises(BadArchive):
        unpack(_archive(*entries), folder, ["python"], 1000)

    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("is_turned", [False, True])
def test_nothing_is_made_through_a_link(kind: bytes, is_turned: bool, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "in").mkdir()
    entries = [("python/a", tarfile.SYMTYPE, str(tmp_path / "out")), ("python/a/b", kind, "python/x")]
    entries = entries[::-1] if is_turned else entries

    with pytest.raises(BadArchive):
        unpack(_archive(*entries), tmp_path / "in", ["python"], MB)

    assert list((tmp_path / "out").iterdir()) == []


def test_folders_can_be_read_by_a_containers_user_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        unpack(_archive(("python/a/b", tarfile.REGTYPE, "x")), tmp_path, ["python"], MB)
    finally:
        os.umask(before)

    assert (tmp_path / "python" / "a").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "python" / "a" / "b").stat().st_mode & 0o777 == 0o755


def test_a_name_without_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    head = tarfile.TarInfo("././@LongLink")
    head.type, head.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    blocks = (b"a" * MB for _ in range(1 << 13))

    with pytest.raises(BadArchive):
        unpack(itertools.chain([head.tobuf()], blocks), tmp_path, ["python"], MB)


def test_a_long_output_is_read_at_once() -> None:
    words = [b"@" * 60_000, b"a" * 60_000, b"DO NOT MATCH THE HASHES" + b"\n" * 60_000, b"a@" * 30_000]
    (plan,) = lock_plans(_tree(**{"requirements.txt": "a==1\n"}))
    source = find_source((), {})

    for output in words:
        result = SandboxResult(exit_code=1, timed_out=False, output=output, report=b"", duration_s=1.0)
        assert "could not be installed" in failure(plan, result, (), source).message


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (["poetry.lock", "requirements.txt"], "poetry.lock holds all"),
        (["web/package-lock.json"], "web/package-lock.json lies in a folder"),
        (["web/go.sum"], "web/go.sum lies in a folder"),
    ],
)
def test_lock_files_that_would_be_misread_are_refused(named: list[str], words: str) -> None:
    with pytest.raises(SandboxUnavailable, match=words):
        lock_plans(_tree(**dict.fromkeys(named, "")), named)


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArchive):
        unpack(iter([b"no tar at all" * 100]), tmp_path, ["python"], MB)
