"""Lock files as requirements with hashes: what is wanted here, and no more."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from greenline.sandbox.package_data import sandbox_folder

sys.path.append(str(sandbox_folder() / "runner"))

import lock_reader

HASH = "sha256:" + "0" * 64
HOST = "https://one.test"
WINDOWS = "sys_platform == 'win32'"


def _entry(name: str, more: str = "") -> str:
    return f'[[package]]\nname = "{name}"\nversion = "1.0"\n{more}\n'


def _uv(name: str, more: str = "") -> str:
    files = f'wheels = [{{ url = "{HOST}/{name}.whl", hash = "{HASH}" }}]\n'
    return _entry(name, f'source = {{ registry = "{HOST}/simple" }}\n{files}{more}')


def _files(name: str) -> str:
    return f'files = [{{file = "{name}.whl", hash = "{HASH}"}}]\n'


UV = (
    'version = 1\nrequires-python = ">=3.9"\n\n'
    + _entry(
        "w",
        'source = { virtual = "." }\n'
        'dependencies = [{ name = "shop", extra = ["fast"] }, '
        '{ name = "pair", version = "1.0", source = {} }]\n'
        '[package.optional-dependencies]\ntest = [{ name = "checks" }]\ndocs = [{ name = "pages" }]\n'
        '[package.dev-dependencies]\ndev = [{ name = "runner" }]\nlint = [{ name = "pages" }]\n',
    )
    + _uv(
        "shop",
        f'dependencies = [{{ name = "toys" }}, {{ name = "colours", marker = "{WINDOWS}" }}]\n'
        '[package.optional-dependencies]\nfast = [{ name = "speed" }]\nslow = [{ name = "pages" }]\n',
    )
    + "".join(map(_uv, ("toys", "colours", "speed", "checks", "runner", "pages", "unasked")))
    + _uv("pair")
)
_ASKED = f"""
[package.dependencies]
toys = ">=1"
colours = {{version = "*", markers = "{WINDOWS}"}}
extra-thing = {{version = "*", optional = true}}
"""
POETRY_1 = _entry("shop", f"optional = false\n{_files('shop')}{_ASKED}") + "".join(
    _entry(name, _files(name)) for name in ("toys", "colours", "extra-thing", "runner")
)
PYPROJECT = """
[tool.poetry.dependencies]
python = "^3.9"
Shop = "*"
[tool.poetry.group.dev.dependencies]
runner = "*"
"""
POETRY_2 = (
    _entry("shop", f'optional = false\ngroups = ["main"]\n{_files("shop")}')
    + _entry(
        "runner",
        f'optional = false\ngroups = ["dev"]\nmarkers = "python_version >= \\"3.8\\""\n{_files("r")}',
    )
    + _entry("colours", f'optional = false\ngroups = ["main"]\nmarkers = "{WINDOWS}"\n{_files("c")}')
    + _entry("extra", f'optional = true\ngroups = ["main"]\n{_files("e")}')
)
PDM = (
    _entry("shop", f'groups = ["default"]\n{_files("shop")}')
    + _entry("shop", f'extras = ["fast"]\ngroups = ["default"]\n{_files("shop")}')
    + _entry("colours", f'marker = "{WINDOWS}"\n{_files("c")}')
)
PIPFILE = json.dumps({
    "default": {
        "shop": {"version": "==1.0", "hashes": [HASH]},
        "colours": {"version": "==1.0", "hashes": [HASH], "markers": WINDOWS},
    },
    "develop": {"runner": {"version": "==1.0", "hashes": [HASH]}},
})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("uv.lock", UV, {"shop", "toys", "speed", "checks", "runner", "pair"}),
        ("poetry.lock", POETRY_1, {"shop", "toys", "runner"}),
        ("poetry.lock", POETRY_2, {"shop", "runner"}),
        ("pdm.lock", PDM, {"shop"}),
        ("Pipfile.lock", PIPFILE, {"shop", "runner"}),
    ],
)
def test_what_is_wanted_here_is_asked_for_by_hash(
    name: str, text: str, wanted: set[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)

    lines = lock_reader.requirements(str(tmp_path / name)).splitlines()

    assert sorted(lines) == sorted(f"{one}==1.0 --hash={HASH}" for one in wanted)


def test_what_has_no_hash_is_named(tmp_path: Path) -> None:
    own = _entry("w", 'source = { editable = "." }\ndependencies = [{ name = "shop" }]\n')
    git = _entry("shop", 'source = { git = "https://one.test/shop?rev=1#00" }\n')
    (tmp_path / "uv.lock").write_text(own + git)

    with pytest.raises(SystemExit, match="shop has no hash in the lock file"):
        lock_reader.requirements(str(tmp_path / "uv.lock"))


@pytest.mark.parametrize(
    ("name", "text"),
    [("uv.lock", "["), ("Pipfile.lock", "[]"), ("poetry.lock", POETRY_1), ("pdm.lock", "package = 1")],
)
def test_what_cannot_be_read_is_named(name: str, text: str, tmp_path: Path) -> None:
    """Of an older lock of Poetry's, `pyproject.toml` says what is asked for."""
    (tmp_path / name).write_text(text)

    with pytest.raises(SystemExit, match=f"ERROR: {name} cannot be read"):
        lock_reader.requirements(str(tmp_path / name))


def test_of_two_versions_the_one_for_this_interpreter_is_taken(tmp_path: Path) -> None:
    own = _entry("w", 'source = { virtual = "." }\ndependencies = [{ name = "shop" }]\n')
    old = _uv("shop", "resolution-markers = [\"python_full_version < '3'\"]\n")
    new = _uv("shop", "resolution-markers = [\"python_full_version >= '3'\"]\n").replace("1.0", "2.0")
    (tmp_path / "uv.lock").write_text(own + old + new)

    assert lock_reader.requirements(str(tmp_path / "uv.lock")) == f"shop==2.0 --hash={HASH}\n"
