"""Configuration that has tests import a copy in the place of a product's module."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.aware import aware
from greenline.verify.loosened import loosened
from greenline.verify.redirected import redirected

CALC = "def net(x):\n    return x\n"
BASE = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    "src/shop/__init__.py": "",
    "src/shop/calc.py": CALC,
    "tests/test_calc.py": "from shop.calc import net\n\n\ndef test_net():\n    assert net(1) == 1\n",
}
FAKE = {"fakes/shop/__init__.py": "", "fakes/shop/calc.py": CALC}
JS = {"package.json": "{}", "src/db.js": "a", "src/index.js": "a", "test/db.test.js": "a"}
GO = {"go.mod": "module m\n\nreplace x => ./libs/x\n", "libs/x/x.go": "package x\n", "m.go": "package m\n"}


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def told(base: dict[str, str], more: dict[str, str]) -> list[str]:
    old, new = tree(base), tree({**base, **more})
    return [*redirected(old, new, [path for path in new if old.get(path) != new[path]])]


def ini(paths: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.pytest.ini_options]\npythonpath = {paths}\n"}


@pytest.mark.parametrize(
    ("more", "is_told"),
    [
        ({**FAKE, **ini('["fakes", "src"]')}, True),
        ({**FAKE, **ini('["./fakes/", "src"]')}, True),
        ({**FAKE, **ini('["src", "fakes"]')}, False),
        ({**ini('["tools", "src"]'), "tools/gen.py": "x = 1\n"}, False),
        ({**ini('[".", "src"]'), "shop/calc.py": CALC}, True),
        ({**FAKE, "conftest.py": "import sys\nsys.path.insert(0, 'fakes')\n"}, True),
        ({**FAKE, "conftest.py": "import sys\nF = str(H / 'fakes')\nsys.path.insert(0, F)\n"}, True),
        ({**FAKE, "conftest.py": "import sys\nsys.path[:0] = ['fakes']\n"}, True),
        ({**FAKE, "conftest.py": "import os\nos.environ['PYTHONPATH'] = str(H / 'fakes')\n"}, True),
        ({**FAKE, "conftest.py": "import os\nos.environ.setdefault('PYTHONPATH', 'fakes')\n"}, True),
        ({**FAKE, "conftest.py": "import os\nos.environ['PYTHONPATH'] = str(H / 'src')\n"}, False),
        ({**FAKE, "conftest.py": "import sys\nsys.path.append('fakes')\n"}, False),
        ({"conftest.py": "import sys\nsys.path.insert(0, str(HERE / 'src'))\n"}, False),
        ({"tests/conftest.py": "import sys\nsys.path.insert(0, dirname(__file__))\n"}, False),
        ({**FAKE, "tox.ini": "[testenv]\nsetenv = PYTHONPATH=fakes:src\n"}, True),
        ({**FAKE, "Makefile": "test:\n\tPYTHONPATH=fakes pytest\n"}, True),
        ({"Makefile": "test:\n\tPYTHONPATH=src pytest\n"}, False),
        (FAKE, False),
    ],
)
def test_a_copy_that_python_finds_before_the_product(more: dict[str, str], is_told: bool) -> None:
    assert bool(told(BASE, more)) is is_told


def test_a_copy_put_where_modules_are_found_first_already() -> None:
    base = {**BASE, **ini('["extra", "src"]'), "extra/tool.py": "x = 1\n"}

    assert told(base, {"extra/shop/calc.py": CALC}) == [
        "pyproject.toml: has extra/shop/calc.py imported in the place of src/shop/calc.py"
    ]
    assert not told(base, {"extra/more.py": "x = 1\n"})
    assert not told({**base, "extra/shop/calc.py": CALC}, {"extra/shop/calc.py": f"{CALC}\n"})


@pytest.mark.parametrize(
    ("more", "is_told"),
    [
        (
            {
                "jest.config.js": "moduleNameMapper: {'../src/db': '<rootDir>/fakes/db.js'}",
                "fakes/db.js": "b",
            },
            True,
        ),
        ({"vitest.config.ts": 'resolve: {alias: {"../src": "./fakes"}}', "fakes/db.js": "b"}, True),
        ({"package.json": '{"jest": {"moduleNameMapper": {"a": "<rootDir>/f/db"}}}', "f/db.js": "b"}, True),
        ({"package.json": '{"scripts": {"test": "NODE_PATH=f node --test"}}', "f/db.js": "b"}, True),
        ({"jest.config.js": "moduleNameMapper: {'^@/(.*)$': '<rootDir>/src/$1'}"}, False),
        (
            {"jest.config.js": "moduleNameMapper: {'css$': '<rootDir>/test/style.js'}", "test/style.js": ""},
            False,
        ),
        ({"vitest.config.ts": 'resolve: {alias: {"@": "./app"}}', "app/index.js": "b"}, False),
    ],
)
def test_a_copy_that_a_script_is_sent_to(more: dict[str, str], is_told: bool) -> None:
    assert bool(told(JS, more)) is is_told


@pytest.mark.parametrize(
    ("more", "is_told"),
    [
        ({"go.mod": "module m\n\nreplace x => ./fakes/x\n", "fakes/x/x.go": "package x\n"}, True),
        ({"go.work": "go 1.22\n\nuse ./fakes/x\n", "fakes/x/x.go": "package x\n"}, True),
        ({"go.mod": GO["go.mod"] + "\nreplace y => ./libs/y\n", "libs/y/y.go": "package y\n"}, False),
        ({"libs/x/more.go": "package x\n"}, False),
    ],
)
def test_a_copy_that_go_is_sent_to(more: dict[str, str], is_told: bool) -> None:
    assert bool(told(GO, more)) is is_told


PACKAGE = {
    "packages/b/package.json": "{}",
    "packages/b/src/db.js": "b",
    "packages/b/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    "packages/b/vitest.config.ts": 'alias: {"@": path.resolve(__dirname, "src")}',
}


@pytest.mark.parametrize(
    ("more", "is_told"),
    [
        (PACKAGE, False),
        ({**PACKAGE, "package-lock.json": '{"packages": {"packages/b": {}}}'}, False),
        ({**PACKAGE, "package.json": '{"scripts": {"test": "vitest -c packages/b/vitest.config.ts"}}'}, True),
        ({**PACKAGE, "packages/b/vitest.config.ts": 'root: x, alias: {"@": "./src"}'}, True),
        ({**PACKAGE, "packages/b/tsconfig.json": '{"include": ["../a"], "paths": {"@": ["./src"]}}'}, True),
        ({"package.json": '{"a": {"eslint-import-resolver-x": "1"}, "test": "x"}', "test/db.js": "b"}, False),
    ],
)
def test_the_configuration_of_a_new_package_sends_nothing_there_was(
    more: dict[str, str], is_told: bool
) -> None:
    assert bool(told(JS, more)) is is_told


WORK = {"go.work": "go 1.22\n\nuse ./api\n", "api/go.mod": "module m/api\n", "api/config.go": "package api\n"}


@pytest.mark.parametrize(
    ("work", "module", "is_told"),
    [
        ("use (\n\t./api\n\t./worker\n)\n", "m/worker", False),
        ("use (\n\t./api\n\t./worker\n)\n", "m/api", True),
        ("use ./api\n\nreplace m/worker v0.0.0 => ./worker\n", "m/worker", False),
        ("use ./api\n\nreplace m/api => ./worker\n", "m/worker", True),
    ],
)
def test_a_module_of_go_that_is_new_stands_for_no_other(work: str, module: str, is_told: bool) -> None:
    new = {"worker/go.mod": f"module {module}\n", "worker/config.go": "package w\n"}

    assert bool(told(WORK, {**new, "go.work": f"go 1.22\n\n{work}"})) is is_told


def test_what_it_comes_to() -> None:
    new = tree({**BASE, **FAKE, **ini('["fakes", "src"]')})
    work = tree({**GO, "go.work": "use ./fakes/x\n", "fakes/x/x.go": "package x\n"})

    assert loosened(tree(BASE), new, ["pyproject.toml"], ["tests/test_calc.py"]).hooks
    assert aware(tree(GO), work, ["go.work", "fakes/x/x.go"])
