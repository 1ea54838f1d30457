"""Which runner drives a Python project's tests, from its files alone; pure."""

from __future__ import annotations

import re
import tomllib
from typing import Literal

from greenline.core.port import Tree
from greenline.verify.path_rule import PathRule
from greenline.verify.project import Project

PythonRunner = Literal["pytest", "unittest"]

_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py")
_PYTEST_CODE = re.compile(
    rb"^\s*(import pytest|from pytest)\b|^(async )?def test|^class Test\w*(\(\s*(object)?\s*\))?:", re.M
)
_UNITTEST_CODE = re.compile(rb"\bTestCase\b")


_MANIFESTS = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "noxfile.py",
    "requirements.txt",
    *_PYTEST_FILES,
)


def python_project(tree: Tree) -> Project | None:
    """Return the Python project at a tree's root, or None where nothing speaks for one."""
    manifests = [name for name in _MANIFESTS if name in tree]
    rule = PathRule()
    tests = [path for path in tree if path.endswith(".py") and rule.is_test(path)]
    if not manifests and not any(path.endswith(".py") for path in tree):
        return None
    why = [f"{', '.join(manifests)} at the root" if manifests else "files named *.py"]
    runner = detect(tree)
    why.append("its tests are unittest's own" if runner == "unittest" else "pytest runs its tests")
    problem = _unreadable(tree)
    return Project("python", runner, "", tuple(why), problem=problem, is_likely=bool(tests or manifests))


def detect(*trees: Tree) -> PythonRunner:
    """Return unittest only where the trees' tests all are unittest's own; pytest runs those as well."""
    unittest = False
    for tree in trees:
        rule = PathRule()
        for path, file in tree.items():
            name = path.rpartition("/")[2]
            if name in _PYTEST_FILES or (name == "pyproject.toml" and b"[tool.pytest" in file.content):
                return "pytest"
            if name in ("setup.cfg", "tox.ini") and re.search(rb"^\[(tool:)?pytest\]", file.content, re.M):
                return "pytest"
            if path.endswith(".py") and rule.is_test(path):
                if _PYTEST_CODE.search(file.content):
                    return "pytest"
                unittest = unittest or bool(_UNITTEST_CODE.search(file.content))
    return "unittest" if unittest else "pytest"


def _unreadable(tree: Tree) -> str:
    """Return why `pyproject.toml` cannot be read, which pytest would refuse as well; empty where it can."""
    file = tree.get("pyproject.toml")
    if file is None:
        return ""
    try:
        tomllib.loads(file.content.decode("utf-8"))
    except UnicodeDecodeError:
        return "pyproject.toml is not UTF-8 text."
    except tomllib.TOMLDecodeError as error:
        return f"pyproject.toml is not valid TOML: {error}."
    return ""
