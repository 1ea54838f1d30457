"""Which runner drives a project's tests, from its files alone; pure."""

from __future__ import annotations

import re
from typing import Literal

from greenline.core.port import Tree
from greenline.verify.path_rule import PathRule

Runner = Literal["pytest", "unittest"]

_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py")
_PYTEST_CODE = re.compile(
    rb"^\s*(import pytest|from pytest)\b|^(async )?def test|^class Test\w*(\(\s*(object)?\s*\))?:", re.M
)
_UNITTEST_CODE = re.compile(rb"\bTestCase\b")


def has_python(tree: Tree) -> bool:
    """Return whether a tree holds any Python at all."""
    return any(path.endswith(".py") for path in tree)


def detect(*trees: Tree) -> Runner:
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
