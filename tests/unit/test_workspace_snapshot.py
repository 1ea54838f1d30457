"""Snapshots: buffers go before the disk, git says what there is, and nothing of the workspace is started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.error import EditRejected, InvalidInput, OutsideWorkspace
from greenline.guard.gate import Gate
from greenline.workspace.document import OpenDocument
from greenline.workspace.encoding import TextFile, decode, encode
from greenline.workspace.root import locate
from greenline.workspace.snapshot import Snapshot
from greenline.workspace.state import state_folder


def git(root: Path, *arguments: str) -> None:
    """Run git as a user would."""
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def write(root: Path, files: dict[str, str]) -> None:
    """Lay files below a root."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def staged(root: Path, snapshot: Snapshot | None = None) -> dict[str, bytes]:
    """Return the staged content by path."""
    tree = (snapshot or Snapshot((str(root),))).tree(str(root), Gate((str(root),)))
    return {name: file.content for name, file in tree.items()}


@given(st.binary(max_size=60))
def test_bytes_survive_a_round_trip(data: bytes) -> None:
    try:
        file = decode(data)
    except InvalidInput as error:
        assert error.code == "binary"
        return

    assert encode(file) == data


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"\xef\xbb\xbfx = 1\r\n", "utf-8"),
        ("\ufeffx\n".encode("utf-16-le"), "utf-16-le"),
        (b"# -*- coding: cp1252 -*-\nx = '\x80'\n", "cp1252"),
        (b"/* \xfc */\n", "latin-1"),
        ("# coding: latin-1\n\u00fc\n".encode(), "utf-8"),
    ],
)
def test_encodings_are_told_apart(data: bytes, encoding: str) -> None:
    assert decode(data).encoding == encoding
    assert encode(decode(data)) == data


@pytest.mark.timeout(20)
def test_comments_at_the_head_of_a_text_are_read_in_one_pass() -> None:
    comments = b"<!-- x -->\n" * 60
    page = comments + b'<html><meta charset="latin-1">\xe9\n'

    assert decode(comments + b"# Title\n").encoding == "utf-8"
    assert decode(page).encoding == "iso8859-1"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    with pytest.raises(EditRejected) as caught:
        encode(TextFile("\u20ac", "latin-1"))

    assert caught.value.code == "unencodable"


def test_the_open_buffer_goes_before_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfold\n")
    snapshot = Snapshot((str(tmp_path),), {str(path): OpenDocument(str(path), 5, "new\n", "python")})

    assert snapshot.read_bytes(str(path)) == b"\xef\xbb\xbfnew\n"
    assert snapshot.version(str(path)) == 5
    assert staged(tmp_path, snapshot) == {"a.py": b"\xef\xbb\xbfnew\n"}


def test_a_tree_holds_what_tests_need_and_no_secrets(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {
            ".gitignore": "_version.py\nbig.bin\n",
            "a.py": "",
            "_version.py": "generated",
            "big.bin": "x" * (9 << 20),
            ".env": "KEY=1",
            ".env.example": "KEY=",
            "venv/pyvenv.cfg": "",
            "venv/lib.py": "",
            "node_modules/m.js": "",
        },
    )
    git(tmp_path, "add", "a.py", ".gitignore")

    assert sorted(staged(tmp_path)) == [".env.example", ".gitignore", "_version.py", "a.py"]
    listed = Snapshot((str(tmp_path),)).list_files(str(tmp_path))
    assert listed == [
        ".env",
        ".env.example",
        ".gitignore",
        "a.py",
    ]


def test_without_git_the_ignore_files_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": "*.log\n/build/\n", "a.py": "", "x.log": "", "build/b": "", "s/.gitignore": "c\n"},
    )
    write(tmp_path, {"s/c": "", "s/d": ""})

    listed = Snapshot((str(tmp_path),)).list_files(str(tmp_path))

    assert listed == [".gitignore", "a.py", "s/.gitignore", "s/d"]


def test_links_stay_links_and_cycles_and_pipes_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, {"d/a.py": ""})
    (tmp_path / "d" / "loop").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")

    tree = Snapshot((str(tmp_path),)).tree(str(tmp_path), Gate((str(tmp_path),)))

    assert sorted(tree) == ["d/a.py", "d/loop"]
    assert tree["d/loop"].link == ".."


def test_a_tree_that_is_too_large_names_its_largest_folder(tmp_path: Path) -> None:
    write(tmp_path, {"data/x": "x" * 2000, "a": "y"})

    with pytest.raises(InvalidInput, match="data alone holds"):
        Snapshot((str(tmp_path),)).tree(str(tmp_path), Gate((str(tmp_path),)), max_bytes=1000)


def test_git_starts_nothing_that_the_workspace_configures(tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    root = tmp_path / "w"
    root.mkdir()
    git(root, "init", "-q")
    script = root / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {canary}\n", "utf-8")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "filter.x.clean"):
        git(root, "config", name, str(script))
    write(root, {".gitattributes": "* filter=x\n", "a.py": ""})

    staged(root)

    assert not canary.exists()


@pytest.mark.parametrize("path", ["../outside/x", "/etc/passwd", "link/x", "file-link", "a/../../x"])
def test_paths_that_lead_outside_are_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "ws"
    write(tmp_path, {"outside/x": "", "ws/a/b": ""})
    (root / "link").symlink_to("../outside")
    (root / "file-link").symlink_to("../outside/x")

    with pytest.raises(OutsideWorkspace) as caught:
        locate(path, (str(root),))

    assert caught.value.code == "outside-workspace"


def test_a_link_inside_names_its_target(tmp_path: Path) -> None:
    write(tmp_path, {"shared/app.toml": ""})
    (tmp_path / "conf").symlink_to("shared")

    located = locate("conf/app.toml", (str(tmp_path),))

    assert located.relative == "conf/app.toml"
    assert located.target == str(tmp_path / "shared" / "app.toml")


def test_several_roots_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"one/a": "", "two/a": "", "two/b": ""})
    roots = (str(tmp_path / "one"), str(tmp_path / "two"))

    assert locate("two/a", roots).root == roots[1]
    assert locate("b", roots).root == roots[1]
    with pytest.raises(OutsideWorkspace):
        locate("a", roots)


def test_a_folder_with_the_name_of_another_root_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"api/web/src/app.py": "", "web/main.py": "", "api/web/main.py": ""})
    roots = (str(tmp_path / "api"), str(tmp_path / "web"))

    assert locate("web/src/app.py", roots).path == f"{roots[0]}/web/src/app.py"
    assert locate("web/main.py", roots).path == f"{roots[1]}/main.py"
    assert locate("web/new.py", roots).path == f"{roots[1]}/new.py"


def test_state_lies_outside_the_repository(tmp_path: Path) -> None:
    folder = state_folder(str(tmp_path / "w"), {"GREENLINE_STATE_DIR": str(tmp_path / "state")})

    assert folder.parent == tmp_path / "state"
    assert folder.stat().st_mode & 0o077 == 0


def test_a_relative_state_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="GREENLINE_STATE_DIR is 'state'"):
        state_folder(str(tmp_path), {"GREENLINE_STATE_DIR": "state"})


@pytest.mark.parametrize(("root", "opened"), [("link", "real"), ("real", "link"), ("link", "link")])
def test_a_buffer_is_the_truth_whichever_way_a_link_spells_it(tmp_path: Path, root: str, opened: str) -> None:
    write(tmp_path, {"real/a.py": "disk"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    path = str(tmp_path / opened / "a.py")
    top = str(tmp_path / root)
    snapshot = Snapshot((top,), {path: OpenDocument(path, 7, "buffer")})

    assert snapshot.read_bytes(f"{top}/a.py") == b"buffer"
    assert snapshot.version(f"{top}/a.py") == 7
    assert snapshot.tree(top, Gate((top,)))["a.py"].content == b"buffer"


def test_a_file_that_is_too_large_is_named_and_never_read(tmp_path: Path) -> None:
    with (tmp_path / "dump.bin").open("wb") as file:
        # A hole: it takes no space, and reading it would take this much memory.
        file.truncate(1 << 40)
    (tmp_path / "a.py").write_text("x")

    with pytest.raises(InvalidInput, match=r"dump\.bin alone holds"):
        Snapshot((str(tmp_path),)).tree(str(tmp_path), Gate((str(tmp_path),)))


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder with a file a thousand folders down."""
    root = tmp_path / "w"
    root.mkdir()
    before = Path.cwd()
    os.chdir(root)
    try:
        for _ in range(1100):
            Path("d").mkdir()
            os.chdir("d")
        Path("deep.py").touch()
        os.chdir(before)
        yield root
    finally:
        os.chdir(before)
        # pytest removes its folders by recursion, for which this one is too deep.
        subprocess.run(["rm", "-rf", str(root)], check=True)


@pytest.mark.parametrize("with_git", [True, False])
def test_no_tree_is_too_deep(deep: Path, with_git: bool) -> None:
    if with_git:
        git(deep, "init", "-q")

    tree = Snapshot((str(deep),)).tree(str(deep), Gate((str(deep),)))

    assert list(tree) == ["d/" * 1100 + "deep.py"]


def test_ignored_files_take_what_the_others_leave_of_a_tree(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("data/\n")
    (tmp_path / "a.py").write_bytes(b"x" * 594)
    (tmp_path / "data").mkdir()
    for name, size in (("a.bin", 300), ("b.py", 50), ("c.bin", 300), ("d.bin", 50)):
        (tmp_path / "data" / name).write_bytes(b"x" * size)

    tree = Snapshot((str(tmp_path),)).tree(str(tmp_path), Gate((str(tmp_path),)), max_bytes=1000)

    assert list(tree) == [".gitignore", "a.py", "data/a.bin", "data/b.py", "data/d.bin"]
    assert sum(len(file.content) for file in tree.values()) == 1000
