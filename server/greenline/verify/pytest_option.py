"""What a tree's configuration of pytest at the root says; pure."""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

from greenline.core.port import Tree

_SECTIONS = (
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
_TABLES = (
    ("pyproject.toml", ("tool", "pytest", "ini_options")),
    ("pyproject.toml", ("tool", "pytest")),
    ("pytest.toml", ("pytest",)),
    (".pytest.toml", ("pytest",)),
)


def words(tree: Tree, name: str) -> list[str]:
    """Return the words of an option, of every file at the root that pytest may read it from."""
    found: list[str] = []
    for value in _values(tree, name):
        if isinstance(value, list):
            found += [str(word) for word in value]
        elif isinstance(value, str):
            found += split(value)
    return found


def effective(tree: Tree) -> tuple[str, dict[str, list[str]]]:
    """Return the file whose options pytest takes at the root, and option → its lines; the first one wins."""
    for path, keys in (*_TABLES[2:], *_SECTIONS[:2], *_TABLES[:2], *_SECTIONS[2:]):
        if path not in tree:
            continue
        options = _table(tree, path, keys)
        # Its own file counts though nothing is in it.
        if options or path.endswith("pytest.ini"):
            return path, {name: _lines(value) for name, value in options.items()}
    return "", {}


def read_cfg(text: str) -> dict[str, dict[str, str]]:
    """Return section → option → value; raises `configparser.Error`."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def split(value: str) -> list[str]:
    """Return the words of a line as a shell takes them, where it can."""
    try:
        return shlex.split(value)
    except ValueError:
        return value.split()


def _values(tree: Tree, name: str) -> Iterator[Any]:
    for path, keys in (*_TABLES, *_SECTIONS):
        yield _table(tree, path, keys).get(name)


def _table(tree: Tree, path: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of one file; nothing where it cannot be read."""
    try:
        text = _text(tree, path)
        table: Any = tomllib.loads(text) if path.endswith(".toml") else read_cfg(text)
        for key in keys:
            table = table.get(key, {})
        return dict(table.items())
    except (ValueError, AttributeError, RecursionError, configparser.Error):
        return {}


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(line) for line in value]
    return [line.strip() for line in str(value).splitlines() if line.strip()]


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return file.content.decode("utf-8", "replace") if file else ""
