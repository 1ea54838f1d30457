"""What a tree's configuration of pytest at the root says; pure."""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

from greenline.core.port import Tree

_SECTIONS = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
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
            found += _split(value)
    return found


def read_cfg(text: str) -> dict[str, dict[str, str]]:
    """Return section → option → value; raises `configparser.Error`."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _values(tree: Tree, name: str) -> Iterator[Any]:
    for path, keys in _TABLES:
        try:
            table: Any = tomllib.loads(_text(tree, path))
            for key in keys:
                table = table.get(key, {})
            yield table.get(name)
        except (ValueError, AttributeError):
            continue
    for path, section in _SECTIONS:
        try:
            yield read_cfg(_text(tree, path)).get(section, {}).get(name)
        except configparser.Error:
            continue


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return file.content.decode("utf-8", "replace") if file else ""


def _split(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return value.split()
