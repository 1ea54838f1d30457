"""Which files belong to the index, with git and without it, and what `greenline index` says of them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from greenline.cli import main
from greenline.guard.gate import Gate
from greenline.index.indexer import Indexer
from greenline.index.scope import Scope
from greenline.workspace.listing import IgnoreRules, list_root

FOLDERS = ["", "a", "a/b", "c"]
FILES = ["x.py", "y.log", "keep.log", "build"]
RULES = st.lists(
    st.sampled_from(
        [
            *("*.log", "!keep.log", "/x.py", "a/", "b/", "/a/b", "a/**/x.py", "**/y.log", "build", "build/"),
            *(
                "!x.py",
                "# comment",
                "",
                "\\#x",
                "*",
                "!*/",
                "a/*",
                "!a/b/",
                "c/x.py",
                "?.py",
                "[xy].py",
                "!/c",
            ),
        ]
    ),
    max_size=4,
)


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def tree(root: Path) -> None:
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (root / folder / name).write_text("x = 1\n")


def without_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> frozenset[str]:
    """List a root as on a machine without git."""
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nonexistent")
        return list_root(str(root)).files


@settings(max_examples=60, deadline=None)
@given(top=RULES, inner=RULES, exclude=RULES, shared=RULES)
def test_the_ignore_files_mean_the_same_without_git(
    tmp_path_factory: pytest.TempPathFactory,
    top: list[str],
    inner: list[str],
    exclude: list[str],
    shared: list[str],
) -> None:
    home = tmp_path_factory.mktemp("home")
    root = home / "root"
    tree(root)
    git(root, "init", "-q")
    (root / ".gitignore").write_text("\n".join(top) + "\n")
    (root / "a" / ".gitignore").write_text("\n".join(inner) + "\n")
    (root / ".git" / "info" / "exclude").write_text("\n".join(exclude) + "\n")
    (home / "ignore").write_text("\n".join(shared) + "\n")
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home / 'ignore'}\n")

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        with_git = list_root(str(root)).files

        assert without_git(root, monkeypatch) == with_git


def test_the_default_global_file_is_read_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "ignore").write_text("*.swp\n")
    (tmp_path / "root").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    rules = IgnoreRules(str(tmp_path / "root"))

    assert rules.ignored("a/b.swp")
    assert not rules.ignored("a/b.py")


def test_some_paths_are_listed_as_a_whole_listing_lists_them(tmp_path: Path) -> None:
    root = tmp_path / "root"
    tree(root)
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n!keep.log\n/c/\n")
    nested = root / "a" / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "z.py").write_text("z = 1\n")
    (nested / "z.log").write_text("\n")
    scope = Scope([str(root)], Gate([str(root)]))
    whole = set(scope.list(str(root)))

    for asked in (["x.py"], ["a"], ["a/nested"], ["a/nested/z.py", "a/nested/z.log"], ["c"], ["."], ["none"]):
        wanted = {
            path for path in whole for ask in asked if ask == "." or path == ask or path.startswith(f"{ask}/")
        }
        assert scope.listed(str(root), asked) == wanted, asked


def test_a_tracked_file_is_indexed_though_a_rule_ignores_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    tree(root)
    git(root, "init", "-q")
    git(root, "add", "y.log")
    (root / ".gitignore").write_text("*.log\n")
    index = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))

    index.scan()

    assert [f.path for f in index.store.files() if f.path.endswith(".log")] == ["y.log"]
    index.close()


def test_a_changed_ignore_file_is_obeyed_at_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    tree(root)
    git(root, "init", "-q")
    index = Indexer(tmp_path / "index.db", [str(root)], Gate([str(root)]))
    index.scan()

    (root / ".gitignore").write_text("a/\n")
    index.update([str(root / ".gitignore")])

    assert not [f.path for f in index.store.files() if f.path.startswith("a/")]
    index.close()


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        ("ok.py", b"x = 1\n", "ok.py: indexed as python"),
        ("app.min.js", b"a=1\n", "app.min.js: skipped, minified (its name says so)"),
        ("out.log", b"\n", "out.log: skipped, ignored (line 1 of .gitignore: *.log)"),
        (".env", b"A=1\n", ".env: skipped, secret (its name is one that files of secrets have)"),
        ("x.bin", b"\0", "x.bin: skipped, binary (a NUL byte at offset 0)"),
        (
            "node_modules/a.js",
            b"\n",
            "node_modules/a.js: skipped, ignored (node_modules is an environment, a cache or version"
            " control)",
        ),
    ],
)
def test_why_names_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, data: bytes, said: str
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_bytes(data)

    code = main(["index", "--root", str(tmp_path), "--why", path])

    assert (code, capsys.readouterr().out.strip()) == (0, said)


@pytest.mark.parametrize("path", ["missing.py", ".", "../outside.py"])
def test_why_refuses_what_is_no_file_of_the_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    code = main(["index", "--root", str(tmp_path), "--why", path])

    assert code in (1, 2)
    assert capsys.readouterr().err.startswith("greenline: ")


def test_index_builds_and_says_what_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "root"
    tree(root)
    arguments = ["index", "--root", str(root), "--json"]

    assert main([*arguments, "--stats"]) == 1
    assert "greenline index" in capsys.readouterr().err
    assert main(arguments) == 0
    built = json.loads(capsys.readouterr().out)
    assert main(arguments) == 0
    again = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--stats"]) == 0
    stats = json.loads(capsys.readouterr().out)

    assert (built["files"], built["read"], again["read"]) == (16, 16, 0)
    assert (stats["files"], stats["completeness"], stats["languages"]["python"]) == (16, 1.0, 4)
    assert os.path.getsize(stats["path"]) == stats["indexBytes"]  # noqa: PTH202 - as the command prints it
    assert main(arguments[:-1]) == 0
    assert "16 files in" in capsys.readouterr().out


def test_two_roots_are_one_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"{name} = 1\n")
    roots = ["--root", str(tmp_path / "one"), "--root", str(tmp_path / "two")]

    assert main(["index", *roots, "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["files"] == 2
