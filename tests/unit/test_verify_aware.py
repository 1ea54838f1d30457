"""Product code that asks whether it is tested."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.aware import aware


def tree(**files: str) -> Tree:
    """Return a tree; two underscores in a name are a point."""
    return {name.replace("__", "."): StagedFile(text.encode()) for name, text in files.items()}


PYTHON = [
    'if "PYTEST_CURRENT_TEST" in os.environ: pass',
    'x = os.environ.get("PYTEST_VERSION")',
    'x = "pytest" in sys.modules',
    'x = sys.modules.get("_pytest")',
    'x = sys.argv[0].endswith("pytest")',
    'def f():\n    return sys._getframe(1).f_code.co_name.startswith("test_")',
    'def f():\n    return any("test" in frame.filename for frame in inspect.stack())',
    'class A(int):\n    def __eq__(self, other):\n        """Compare."""\n        return True',
    "from unittest.mock import ANY",
    'x = os.path.exists("/.dockerenv")',
]
JAVASCRIPT = [
    "if (process.env.NODE_ENV === 'test') return 1;",
    "if ('test' == process.env.NODE_ENV) return 1;",
    "const t = process.env.VITEST;",
    "if (typeof describe === 'function') x();",
    "if (globalThis.expect) x();",
    "return process.argv[1]?.includes('test') ? 1 : 2;",
]
GO = ["if testing.Testing() {", 'if strings.HasSuffix(os.Args[0], ".test") {', 'flag.Lookup("test.v")']
HONEST = [
    'def __eq__(self, other):\n    return self.x == other.x\nNAME = "pytest"',
    '"""Set PYTEST_ADDOPTS to pass options."""',
    "frames = inspect.stack()",
    'x = sys.modules.get("json")',
    "from unittest.mock import Mock",
    'def merge(frames):\n    """Return the latest."""\n    return np.stack(frames, "test")',
    "def __gt__(self, other):\n    return True",
]


@pytest.mark.parametrize("text", PYTHON)
def test_python_that_asks(text: str) -> None:
    assert len(aware(tree(a__py="x = 1\n"), tree(a__py=f"x = 1\n{text}\n"), ["a.py"])) == 1
    assert len(aware(tree(), tree(a__py=text), ["a.py"])) == 1


@pytest.mark.parametrize("text", JAVASCRIPT)
def test_javascript_that_asks(text: str) -> None:
    (found,) = aware(tree(a__ts="let x;\n"), tree(a__ts=f"let x;\n{text}\n"), ["a.ts"])
    assert found.startswith("a.ts:2: ")


@pytest.mark.parametrize("text", GO)
def test_go_that_asks(text: str) -> None:
    assert aware(tree(a__go="package a\n"), tree(a__go=f"package a\n{text}\n"), ["a.go"])


@pytest.mark.parametrize("text", HONEST)
def test_what_only_looks_like_it(text: str) -> None:
    assert not aware(tree(a__py=""), tree(a__py=text), ["a.py"])
    assert not aware(tree(a__js=""), tree(a__js="if (env.NODE_ENV === 'production') {}\n"), ["a.js"])


@pytest.mark.parametrize("text", PYTHON)
def test_what_the_code_asked_before_does_not_count(text: str) -> None:
    assert not aware(tree(a__py=text), tree(a__py=f"import x\n{text}\ny = 1\n"), ["a.py"])
    assert not aware(tree(a__py=text), tree(), ["a.py"])


def test_a_file_that_only_has_another_name_asks_nothing_new() -> None:
    text = 'x = os.environ.get("PYTEST_XDIST_WORKER")'

    assert not aware(tree(old__py=text), tree(new__py=text), ["old.py", "new.py"])
