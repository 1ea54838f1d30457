"""Tells tests and runner configuration from product code, by names and configuration alone; pure.

The rule, for all languages:

- a test is any file below a folder named `test`, `tests`, `__tests__` or `testdata`, and any file named
  `test_*.py`, `*_test.py`, `tests.py`, `conftest.py`, or as `python_files` of the base or the patched
  configuration says; `*.test.*`, `*.spec.*`, `test.*`, `test-*` and `*-test.*` with an ending of JavaScript's
  or TypeScript's; `*_test.go`;
- runner configuration is `pytest.ini`, `.pytest.ini`, `pytest.toml`, `tox.ini`, `noxfile.py`, `.coveragerc`,
  the configuration of jest, vitest, vite, mocha, c8 and nyc, what an interpreter runs before any test
  (`sitecustomize.py`, `usercustomize.py`, `*.pth`), and what names plugins to it: `*.dist-info`, `*.egg-info`;
- `pyproject.toml`, `setup.cfg` and `package.json` are runner configuration where the patch changes one of
  their runner's tables, and product where it changes others only.
"""

from __future__ import annotations

import configparser
import fnmatch
import json
import re
import tomllib
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import attrs

from greenline.core.port import Tree

_FOLDERS = frozenset({"test", "tests", "__tests__", "testdata"})
_NAMES = ("test_*.py", "*_test.py", "tests.py", "conftest.py", "*_test.go")
_SCRIPT = re.compile(r"(?:.+[.\-_](?:test|spec)|test|test-.+)\.[cm]?[jt]sx?")
_CONFIGURATION = (
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "noxfile.py",
    ".coveragerc",
    "jest.config.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "vite.config.*",
    ".mocharc.*",
    ".mocharc",
    ".c8rc*",
    ".nycrc*",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
)
_METADATA = (".dist-info", ".egg-info")
"""How the description of an installed distribution ends, whose entry points pytest loads as plugins."""
_MIXED = frozenset({"pyproject.toml", "setup.cfg", "package.json"})
_TOML_TOOLS = ("pytest", "coverage", "tox", "nox", "hatch")
_CFG_SECTIONS = ("tool:pytest", "pytest", "coverage:", "tox")
_JSON_KEYS = ("jest", "vitest", "mocha", "nyc", "c8")


@attrs.frozen
class PathRule:
    """The rule for one pair of trees."""

    patterns: tuple[str, ...] = ()
    """Further names of test files, from `python_files`."""
    mixed: frozenset[str] = frozenset()
    """Configuration files with runner's and other parts in which the patch changes a runner's part."""

    @classmethod
    def of(cls, base: Tree, patched: Tree) -> PathRule:
        """Return the rule as both trees' configuration makes it."""
        patterns: list[str] = []
        for tree in (base, patched):
            patterns += _python_files(tree)
        mixed = {
            path
            for path in {*base, *patched}
            if _runner_parts(path, _content(base, path)) != _runner_parts(path, _content(patched, path))
        }
        return cls(tuple(dict.fromkeys(patterns)), frozenset(mixed))

    def is_test(self, path: str) -> bool:
        """Return whether a relative path is a test or belongs to tests."""
        *folders, name = path.split("/")
        if not _FOLDERS.isdisjoint(folders) or _SCRIPT.fullmatch(name):
            return True
        return bool(self._names.match(name) or self._names.match(path))

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """All names of test files as one pattern: it is asked of every file of a tree, several times."""
        return re.compile("|".join(fnmatch.translate(name) for name in _NAMES + self.patterns))

    def is_configuration(self, path: str) -> bool:
        """Return whether a relative path configures the runner."""
        name = PurePosixPath(path).name
        if any(part.lower().endswith(_METADATA) for part in path.split("/")):
            return True
        return path in self.mixed or any(fnmatch.fnmatch(name, pattern) for pattern in _CONFIGURATION)

    def is_product(self, path: str) -> bool:
        """Return whether a relative path is neither."""
        return not self.is_test(path) and not self.is_configuration(path)


def _content(tree: Tree, path: str) -> bytes:
    file = tree.get(path)
    return file.content if file else b""


def _runner_parts(path: str, content: bytes) -> Any:
    """Return the parts of a mixed configuration file that a runner reads, comparable, or None."""
    name = path.rpartition("/")[2]
    if name not in _MIXED:
        return None
    text = content.decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            tool = tomllib.loads(text).get("tool", {})
            return {key: value for key, value in tool.items() if key in _TOML_TOOLS}
        if name == "setup.cfg":
            sections = _read_cfg(text)
            return {k: v for k, v in sections.items() if k.startswith(_CFG_SECTIONS)}
        if name == "package.json":
            data = json.loads(text or "{}")
            scripts = data.get("scripts", {})
            tests = {k: v for k, v in scripts.items() if k.startswith(("test", "pretest", "posttest"))}
            return {**{k: data.get(k) for k in _JSON_KEYS}, "scripts": tests}
    except (ValueError, AttributeError, configparser.Error):
        # What cannot be read is compared as a whole.
        return text
    return None


def _read_cfg(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _python_files(tree: Tree) -> list[str]:
    """Return the names that pytest's configuration at the root gives to test files."""
    found: Any = []
    try:
        pyproject = tomllib.loads(_content(tree, "pyproject.toml").decode("utf-8", "replace"))
        options = pyproject.get("tool", {}).get("pytest", {}).get("ini_options", {})
        found = options.get("python_files", [])
    except (ValueError, AttributeError):
        found = []
    if isinstance(found, str):
        found = found.split()
    names = [str(name) for name in found] if isinstance(found, list) else []
    for path, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        try:
            cfg = _read_cfg(_content(tree, path).decode("utf-8", "replace"))
        except configparser.Error:
            continue
        names += cfg.get(section, {}).get("python_files", "").split()
    return names
