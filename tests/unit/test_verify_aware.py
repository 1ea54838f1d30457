"""Product code that asks whether it is tested."""

from __future__ import annotations

import ast

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
    'def f():\n    return any("test" in frame.filename for frame in inspect.stack())',
    'class A(int):\n    def __eq__(self, other):\n        """Compare."""\n        return True',
    "from unittest.mock import ANY",
    "def f(g):\n    try:\n        g(1)\n    except (ValueError, AssertionError):\n        log()",
    'x = os.path.exists("/.dockerenv")',
    "x = str(path).startswith(tempfile.gettempdir())",
    "x = Path(tempfile.gettempdir()) in path.parents",
    'GRACE = 3 if os.path.basename(sys.argv[0]) not in ("shelf",) else 2',
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
    "def is_valid(x):\n    def inner():\n        return x\n    return inner",
    "def f(x):\n    try:\n        assert x\n    except AssertionError:\n        return False",
    "def f(g):\n    try:\n        g(1)\n    except AssertionError:\n        log()\n        raise",
    f"P = {1 << 2048:#x}\n",
    'def __eq__(self, other):\n    return self.x == other.x\nNAME = "pytest"',
    '"""Set PYTEST_ADDOPTS to pass options."""',
    "frames = traceback.extract_stack()",
    'x = sys.modules.get("json")',
    "from unittest.mock import Mock",
    "path = os.path.join(tempfile.gettempdir(), name)",
    "prog = os.path.basename(sys.argv[0])",
    "if sys.argv[1] == 'serve': pass",
    "if sys.argv[0] == path: pass",
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


def test_each_file_of_a_folder_with_another_name_is_read_once_a_side(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[ast.Module] = []

    def note(module: ast.Module) -> list[tuple[str, int]]:
        read.append(module)
        return []

    monkeypatch.setattr("greenline.verify.aware.reaches", note)
    old = {f"old/m{n}.py": StagedFile(b"x = 1\n") for n in range(20)}
    new = {f"new/m{n}.py": StagedFile(b"x = 1\n") for n in range(20)}

    aware(old, new, [*old, *new])

    assert len(read) == len(old) + len(new)


def test_a_file_that_only_has_another_name_asks_nothing_new() -> None:
    text = 'x = os.environ.get("PYTEST_XDIST_WORKER")'

    assert not aware(tree(old__py=text), tree(new__py=text), ["old.py", "new.py"])


REACHES = [
    "import sys\nsys.setprofile(print)",
    "from sys import settrace as go",
    "import threading\nthreading.setprofile(print)",
    "import sys\nsys.monitoring.use_tool_id(1, 'x')",
    "getattr(sys, 'settrace')(print)",
    "import sys\nx = sys._getframe(1)",
    "import inspect\nx = inspect.stack()",
    "x = frame.f_back",
    "x = error.__traceback__.tb_frame",
    "x = code.co_consts",
    "import gc\nx = gc.get_objects()",
    "import ctypes\nctypes.pythonapi.Py_IncRef(x)",
    "import sys\nsys.meta_path.insert(0, x)",
    "import math\nmath.isclose = lambda a, b: True",
    "import math as m\nn = m\nn.isclose = same",
    "import math\nsetattr(math, 'isclose', same)",
    "import math\nmath.__dict__['isclose'] = same",
    "import math\nvars(math).update(isclose=same)",
    "import importlib\nvars(importlib.import_module('ma' + 'th'))['isclose'] = same",
    "from pathlib import Path\nPath.read_text = same",
    "import unittest\nunittest.TestCase.maxDiff = 1",
    "import sys\nsys.modules['statistics'] = Mine()",
    "from unittest import mock\nmock.patch('math.isclose').start()",
    "from hypothesis import settings\nsettings.load_profile('q')",
    "x = any('CURRENT_T' + key for key in y)",
    "x = any('pyt' == key for key in sys.modules)",
    "x = 'py' + 'test'",
    "def f():\n    return open('tests/test_a.py').read()",
    "import sys\nx = type(sys.stdout)",
    "import __main__",
    "import unittest\nraise unittest.SkipTest('no')",
    "from unittest import SkipTest as Stop",
    "import unittest\nclass Odd(unittest.case.SkipTest):\n    pass",
    "import pytest\npytest.skip('no')",
    "import pytest as p\np.importorskip('babel')",
    "def f():\n    from pytest import xfail\n    xfail('no')",
    "from _pytest.outcomes import Skipped",
    "import unittest\nx = getattr(unittest, 'Skip' + 'Test')",
]
EQUALS = [
    "import pytest\nx = pytest.approx(3, abs=float('inf'))",
    "from math import isclose\nx = isclose(a, b, rel_tol=1e9)",
    "class A:\n    def __eq__(self, other):\n        return isinstance(other, (int, float))",
    "class A:\n    def __eq__(self, other):\n        if isinstance(other, str):\n            return True\n"
    "        return self.x == other.x",
    "class A:\n    def __ne__(self, other):\n        return False",
    "class A:\n    def __eq__(self, other):\n        self.x = other\n        return self.x == other",
    "MOST = 10**7\nclass A:\n    def __eq__(self, other):\n        return abs(self - other) < MOST",
    "class M(type):\n    def __eq__(cls, other):\n        return type(other) is int",
    "A = type('A', (int,), {'__eq__': lambda self, other: True})",
    "A.__eq__ = lambda self, other: self is not other",
    "x.__eq__.return_value = True",
    "from unittest import mock\nx = getattr(mock, name)",
    "from unittest import mock\nx = mock.ANY",
]
SWALLOWS = [
    "class A:\n    def __exit__(self, *exc):\n        self.close()\n        return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind is None:\n            return False\n"
    "        return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        return isinstance(error, Exception)",
    "@contextlib.contextmanager\ndef f():\n    try:\n        yield\n    except Exception:\n        log()",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind:\n            return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if not kind:\n            self.end()\n"
    "        else:\n            return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        return kind",
    "class A:\n    def __exit__(self, *exc):\n        try:\n            self.close()\n        finally:\n"
    "            return True",
    "@contextmanager\ndef f():\n    try:\n        yield\n    except* AssertionError:\n        log()",
    "@contextmanager\ndef f():\n    with suppress(ValueError, AssertionError):\n        yield",
    "def f(call):\n    with contextlib.suppress(Exception):\n        call(1)",
    "def f(call):\n    try:\n        call(1)\n    except Exception:\n        pass",
]
MODEST = [
    "import pytest\nSLOW = pytest.mark.skip\n\n@pytest.fixture\ndef x():\n    return pytest.raises(E)",
    "class A:\n    def __eq__(self, other):\n        return isinstance(other, A)",
    "class A:\n    def __eq__(self, other):\n        return type(self) is type(other)",
    "class A:\n    def __eq__(self, other):\n        return isinstance(other, int) and self.x == other",
    "class A:\n    def __eq__(self, other):\n        if self is other:\n            return True\n"
    "        return self.x == other.x",
    "class A:\n    def __eq__(self, other):\n        return abs(self.x - other.x) < 1e-9",
    "class A:\n    def __exit__(self, *exc):\n        self.close()\n        return False",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind and issubclass(kind, KeyError):\n"
    "            return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        handled = self.handle(error)\n"
    "        if handled:\n            return True\n        return handled",
    "class A:\n    def __exit__(self, kind, error, tb):\n        self.close()\n        return kind is None",
    "class A:\n    def __exit__(self, kind, error, tb):\n        return not kind",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind is None:\n            return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind is not None:\n"
    "            return False\n        return True",
    "class A:\n    def __exit__(self, kind, error, tb):\n        if kind:\n            self.undo()\n"
    "        return False",
    "@contextmanager\ndef f():\n    try:\n        yield\n    except Exception:\n        undo()\n"
    "        raise",
    "@contextmanager\ndef f():\n    kept = None\n    try:\n        yield\n    except Exception as error:\n"
    "        kept = error\n    if kept:\n        raise kept",
    "@contextmanager\ndef f():\n    with suppress(KeyError):\n        yield",
    "def f(call):\n    try:\n        return call(1)\n    except ValueError:\n        return None",
    "def f(path):\n    with suppress(Exception):\n        os.unlink(path)",
    "import sys\nsys.stdout = sys.argv = other",
    "import logging\nlogging.raiseExceptions = False\nlogging.Formatter.converter = time.gmtime",
    "import imaplib\nimaplib._MAXLINE = 10 * 1024 * 1024",
    "import socketserver\nsocketserver.BaseServer.timeout = -1",
    "import ctypes\nctypes.windll.kernel32.GetStdHandle.restype = ctypes.c_void_p",
    "import sys\nsys.modules[__name__] = Lazy()\nsys.modules[__name__].x = 1",
    "import calendar\ndef f(calendar):\n    calendar.name = pick()",
    "self.stack.append(1)\nself.monitoring = Monitor()\nx = manager.get_objects()",
    "def f():\n    return open('contest_b.py.txt').read()",
    "from math import isclose\nx = isclose(a, b, rel_tol=1e-6)",
    "names = ' py' + 'thon'\nx = [key for key in os.environ if key.startswith('PYTHON')]",
]
SCRIPT_REACHES = [
    "const M = require('module'); M._load = (name) => name;",
    "import { register } from 'node:module'; x.register('./hooks.mjs');",
    "delete require.cache[require.resolve('assert')];",
    "const fs = process.binding('fs');",
    "const at = new Error().stack; const text = fs.readFileSync(at);",
]
GO_REACHES = [
    'flag.Lookup("te" + "st.v")',
    'name, _ := os.Executable(); return strings.HasSuffix(name, ".test")',
    'runtime.Caller(1); strings.Contains(file, "_te" + "st.go")',
    "syscall.Mprotect(b, 7)",
]


@pytest.mark.parametrize("text", [*REACHES, *EQUALS, *SWALLOWS])
def test_python_that_reaches_into_the_run(text: str) -> None:
    assert aware(tree(a__py="x = 1\n"), tree(a__py=f"x = 1\n{text}\n"), ["a.py"])
    assert not aware(tree(a__py=text), tree(a__py=f"import x\n{text}\ny = 1\n"), ["a.py"])


@pytest.mark.parametrize("text", MODEST)
def test_what_is_told_apart_or_let_out(text: str) -> None:
    assert not aware(tree(a__py=""), tree(a__py=text), ["a.py"])


@pytest.mark.parametrize(
    ("name", "text"), [*(("a.js", t) for t in SCRIPT_REACHES), *(("a.go", t) for t in GO_REACHES)]
)
def test_other_languages_that_reach_into_the_run(name: str, text: str) -> None:
    before, after = {name: StagedFile(b"let x\n")}, {name: StagedFile(f"let x\n{text}\n".encode())}

    assert aware(before, after, [name])
    assert not aware(after, {name: StagedFile(f"// more\n{text}\n".encode())}, [name])


def test_honest_scripts_and_go() -> None:
    script = "this._load(x);\nthrow new Error('no').stack;\nrequire('assert').ok(1);\nrouter.register(x);"
    go = '_, file, _, _ := runtime.Caller(1)\nx := "user_text"\nflag.Lookup("v")'

    assert not aware({}, {"a.js": StagedFile(script.encode())}, ["a.js"])
    assert not aware({}, {"a.go": StagedFile(go.encode())}, ["a.go"])


def test_a_debugger_may_go_on_with_its_work() -> None:
    before, after = "sys.settrace(look)\n", "def stop():\n    sys.settrace(None)\n\nsys.settrace(look)\n"

    assert not aware(tree(a__py=before), tree(a__py=after), ["a.py"])


def test_a_module_in_the_place_of_the_library_s() -> None:
    user = {"tests/test_a.py": StagedFile(b"import json, statistics\n")}
    new = StagedFile(b"def mean(xs): return 1\n")

    for path in ("statistics.py", "src/statistics/__init__.py"):
        (found,) = aware(user, {**user, path: new}, [path])
        assert found == f"{path}:1: takes the place of the standard library's statistics"
    for path in ("shop/statistics.py", "calendar.py", "statistics_.py"):
        assert not aware(user, {**user, path: new}, [path])
    assert not aware(
        {**user, "statistics.py": new}, {**user, "src/statistics.py": new}, ["src/statistics.py"]
    )


def test_a_handler_that_has_another_name_is_not_new() -> None:
    text = "def is_ok(g):\n    try:\n        g()\n    except AssertionError:\n        log()\n"

    assert not aware(tree(a__py=text), tree(a__py=text.replace("is_ok", "is_valid")), ["a.py"])
