"""Tells tests and runner configuration from product code, by names and configuration alone; pure.

The rule, for all languages:

- a test is any file in a folder of tests (`test_folder`), and any file named `test_*.py`, `*_test.py`,
  `tests.py`, `conftest.py`, or as `python_files` of the base or the patched configuration says; `*.test.*`,
  `*.spec.*`, `*.cy.*`, `test.*`, `test-*` and `*-test.*` with an ending of JavaScript's or TypeScript's;
  `*_test.go`; `*Test.java`, `*Tests.java`, `*TestCase.java`, `Test*.java` and `*IT.java`; and what tests
  compare with: `*.snap`, `*.ambr`, `*.golden`, and data that tests alone read (`read_by_tests`); but none of
  what lies in `src/main/java` and its neighbours;
- runner configuration is `pytest.ini`, `.pytest.ini`, `pytest.toml`, `tox.ini`, `noxfile.py`, `.coveragerc`,
  the configuration of jest, vitest, vite, mocha, c8 and nyc, what an interpreter runs before any test
  (`sitecustomize.py`, `usercustomize.py`, `*.pth`), what names plugins to it (`*.dist-info`, `*.egg-info`,
  services of JUnit's in `META-INF`), `junit-platform.properties`, and each module that `-p` or
  `pytest_plugins` names as a plugin;
- `pyproject.toml`, `setup.cfg`, `package.json`, `pom.xml` and `build.gradle` are runner configuration where
  the patch changes a part of theirs that is about tests, and product where it changes others only.
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
from greenline.verify.java_manifest import runner_parts
from greenline.verify.plugin_module import plugin_modules
from greenline.verify.pytest_option import read_cfg, words
from greenline.verify.read_by_tests import read_by_tests
from greenline.verify.test_folder import TestFolders

_NAMES = (
    "test_*.py",
    "*_test.py",
    "tests.py",
    "conftest.py",
    "*_test.go",
    "*.snap",
    "*.ambr",
    "*.golden",
    "*Test.java",
    "*Tests.java",
    "*TestCase.java",
    "*IT.java",
    "Test[A-Z]*.java",
)
_MAIN = re.compile(r"(?:^|/)src/main/(?:java|kotlin|resources)/")
"""Where a Java project keeps its product, whatever packages are called."""
_SCRIPT = re.compile(r"(?:.+[.\-_](?:test|spec)|.+\.cy|test|test-.+)\.[cm]?[jt]sx?")
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
    "junit-platform.properties",
)
_METADATA = re.compile(r"\.(?:dist|egg)-info(?:/|$)|(?:^|/)META-INF/services/(?:org\.)?junit\.", re.I)
"""The description of an installed distribution, whose entry points pytest loads as plugins."""
_STARTED = re.compile(r"(?:^|/)(?:site|user)customize/")
"""The same as `sitecustomize.py`, as a package."""
_JAVA = frozenset({"pom.xml", "build.gradle", "build.gradle.kts"})
_MIXED = frozenset({"pyproject.toml", "setup.cfg", "package.json"}) | _JAVA
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
    plugins: frozenset[str] = frozenset()
    """Modules that are plugins of pytest in one of the trees."""
    folders: TestFolders = attrs.field(factory=TestFolders)
    data: frozenset[str] = frozenset()
    """Changed files of data that tests alone read."""

    @classmethod
    def of(cls, base: Tree, patched: Tree) -> PathRule:
        """Return the rule as both trees' configuration makes it."""
        patterns = [name for tree in (base, patched) for name in words(tree, "python_files")]
        paths = {*base, *patched}
        mixed = {
            path
            for path in paths
            if _runner_parts(path, _content(base, path)) != _runner_parts(path, _content(patched, path))
        }
        plugins = plugin_modules(base) | plugin_modules(patched)
        rule = cls(tuple(dict.fromkeys(patterns)), frozenset(mixed), plugins)
        rule = attrs.evolve(rule, folders=TestFolders.of(paths, rule.is_test))
        changed = [path for path in paths if base.get(path) != patched.get(path)]
        return attrs.evolve(rule, data=read_by_tests(base, patched, changed, rule.is_test))

    def is_test(self, path: str) -> bool:
        """Return whether a relative path is a test or belongs to tests."""
        name = path.rpartition("/")[2]
        if _MAIN.search(path):
            return False
        if path in self.data or self.folders.hold(path) or _SCRIPT.fullmatch(name):
            return True
        return bool(self._names.match(name) or self._names.match(path))

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """All names of test files as one pattern: it is asked of every file of a tree, several times."""
        return re.compile("|".join(fnmatch.translate(name) for name in _NAMES + self.patterns))

    def is_configuration(self, path: str) -> bool:
        """Return whether a relative path configures the runner."""
        name = PurePosixPath(path).name
        if path in self.mixed or path in self.plugins or _METADATA.search(path):
            return True
        if _STARTED.search(path):
            return True
        return any(fnmatch.fnmatch(name, pattern) for pattern in _CONFIGURATION)

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
    if name in _JAVA:
        return runner_parts(path, content)
    text = content.decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            tool = tomllib.loads(text).get("tool", {})
            return {key: value for key, value in tool.items() if key in _TOML_TOOLS}
        if name == "setup.cfg":
            sections = read_cfg(text)
            return {k: v for k, v in sections.items() if k.startswith(_CFG_SECTIONS)}
        if name == "package.json":
            data = json.loads(text or "{}")
            scripts = data.get("scripts", {})
            tests = {k: v for k, v in scripts.items() if k.startswith(("test", "pretest", "posttest"))}
            return {**{k: data.get(k) for k in _JSON_KEYS}, "scripts": tests}
    except (ValueError, AttributeError, RecursionError, configparser.Error):
        # What cannot be read is compared as a whole.
        return text
    return None
