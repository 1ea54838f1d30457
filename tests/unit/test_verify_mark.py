"""Marks, hooks and options that change tests whose own text stays as it was."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.loosened import Loosened, loosened

SUITE = "import pytest\n\n\ndef test_a():\n    assert f(1) == 2\n"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def change(before: dict[str, str], after: dict[str, str]) -> Loosened:
    """Return what a patch to a suite, and its configuration, may have loosened."""
    old, new = {"tests/test_a.py": SUITE, **before}, {"tests/test_a.py": SUITE, **before, **after}
    paths = [path for path in new if new[path] != old.get(path)]
    return loosened(tree(old), tree(new), paths, ["tests/test_a.py"])


def marked(mark: str, **more: str) -> set[str]:
    """Return the tests that a new mark of their module loosens."""
    text = SUITE.replace("pytest\n", f"pytest\n\n{mark}\n", 1) + "\n\ndef test_b():\n    assert f(2) == 3\n"
    files = {f"{name.replace('__', '.')}": text for name, text in more.items()}
    return {name for _, name in change(files, {"tests/test_a.py": text}).places}


@pytest.mark.parametrize(
    ("mark", "is_loosened"),
    [
        ("pytestmark = pytest.mark.xfail(reason='unstable')", True),
        ("pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures('quiet')]", True),
        ("pytestmark = pytest.mark.filterwarnings('ignore')", True),
        ("pytestmark = pytest.mark.timeout(100)", True),
        ("from marks import pytestmark", True),
        ("pytestmark = MARKS", True),
        ("pytestmark = pytest.mark.unknown", True),
        ("pytestmark = pytest.mark.asyncio", False),
        ("pytestmark = [pytest.mark.anyio]", False),
    ],
)
def test_a_mark_of_a_module_changes_the_tests_that_it_had(mark: str, is_loosened: bool) -> None:
    assert marked(mark) == ({"test_a"} if is_loosened else set())


@pytest.mark.parametrize("said", ["slow: takes long", "slow", "slow(n): don't ask", "slow: a\n    fast"])
def test_a_mark_that_only_names_a_group_changes_nothing(said: str) -> None:
    ini = f"[pytest]\nmarkers =\n    {said}\n"
    read = "def pytest_runtest_setup(item):\n    item.get_closest_marker('slow')\n"

    assert not marked("pytestmark = pytest.mark.slow", pytest__ini=ini)
    hook = f"def pytest_configure(config):\n    config.addinivalue_line('markers', {said!r})\n"
    assert not marked("pytestmark = pytest.mark.slow", conftest__py=hook)
    old = {"pytest.ini": ini, "tests/conftest.py": read}
    new = {"tests/test_a.py": SUITE.replace("pytest\n", "pytest\n\npytestmark = pytest.mark.slow\n", 1)}
    assert change(old, new).places


def test_a_mark_of_a_new_module_changes_nothing() -> None:
    text = "import pytest\n\npytestmark = pytest.mark.timeout(3)\n\n\ndef test_b():\n    assert 1\n"

    assert change({}, {"tests/test_b.py": text}) == Loosened()


@pytest.mark.parametrize(
    ("old", "new", "is_loosened"),
    [
        ("pytest.mark.xfail", "[]", False),
        ("[pytest.mark.skip, pytest.mark.asyncio]", "[pytest.mark.asyncio]", False),
        ("pytest.mark.usefixtures('block')", "[]", True),
        ("pytest.mark.timeout(1)", "pytest.mark.timeout(100)", True),
    ],
)
def test_a_mark_that_goes_or_changes(old: str, new: str, is_loosened: bool) -> None:
    before, after = (SUITE.replace("pytest\n", f"pytest\n\npytestmark = {mark}\n", 1) for mark in (old, new))
    found = change({"tests/test_a.py": before}, {"tests/test_a.py": after})

    assert bool(found.places) is is_loosened


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("def pytest_itemcollected(item):\n    item.fixturenames.insert(0, 'offline')\n", True),
        ("def pytest_runtest_setup(item):\n    names = item.fixturenames\n    names.append('x')\n", True),
        ("def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.usefixtures('x'))\n", True),
        ("def pytest_itemcollected(item):\n    item.add_marker('flaky')\n", True),
        ("def pytest_configure(config):\n    config.addinivalue_line('usefixtures', 'x')\n", True),
        ("def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: long')\n", False),
        ("def pytest_runtest_setup(item):\n    if 'db' in item.fixturenames:\n        log(item)\n", False),
        ("def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.slow)\n", False),
        ("def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.timeout(10))\n", False),
    ],
)
def test_hooks_that_give_tests_fixtures_or_marks(text: str, is_told: bool) -> None:
    assert bool(change({}, {"conftest.py": text}).hooks) is is_told
    assert not change({"conftest.py": text}, {"conftest.py": f"{text}\nX = 1\n"}).hooks


def test_a_hook_that_has_another_path_is_not_new() -> None:
    text = "def pytest_itemcollected(item):\n    item.add_marker('flaky')\n"
    old, new = tree({"a/conftest.py": text}), tree({"b/conftest.py": text})

    assert not loosened(old, new, ["a/conftest.py", "b/conftest.py"], []).hooks


@pytest.mark.parametrize(
    ("calls", "is_told"),
    [
        ("settings.register_profile('fast', max_examples=1)\nsettings.load_profile('fast')\n", True),
        ("settings.load_profile('fast')\n", True),
        ("settings.register_profile('ci', phases=[])\nsettings.load_profile('ci')\n", True),
        ("settings.register_profile('ci', max_examples=500)\nsettings.load_profile('ci')\n", False),
        ("settings.register_profile('ci', deadline=None)\nsettings.load_profile('ci')\n", False),
    ],
)
def test_profiles_that_try_less(calls: str, is_told: bool) -> None:
    text = f"from hypothesis import settings\n\n{calls}"

    assert bool(change({}, {"conftest.py": text}).hooks) is is_told


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("", "usefixtures = offline", "usefixtures"),
        ("xfail_strict = true", "xfail_strict = false", "xfail_strict"),
        ("xfail_strict = true", "", "xfail_strict"),
        ("xfail_strict = true", "addopts = -o xfail_strict=false\nxfail_strict = true", "xfail_strict"),
        ("filterwarnings = error", "filterwarnings = ignore", "filterwarnings"),
        ("filterwarnings = error", "filterwarnings =\n    error\n    ignore::UserWarning", "filterwarnings"),
        ("filterwarnings = error", "filterwarnings =\n    error\n    ignore:old:UserWarning:six", ""),
        ("filterwarnings = error", "addopts = -p no:warnings\nfilterwarnings = error", "filterwarnings"),
        ("", "filterwarnings = ignore", ""),
        ("addopts = -W error", "addopts = -q", "filterwarnings"),
        ("addopts = -q", "addopts = -q --reruns=3", "addopts"),
        ("addopts = -q", "addopts = --snapshot-update", "addopts"),
        ("addopts = -q", "addopts = -ra --strict-markers --cov=x -n auto", ""),
        ("timeout = 1", "timeout = 100", "timeout"),
        ("", "timeout = 100", ""),
        ("timeout =", "timeout = 5", ""),
        ("timeout = 5", "timeout =", "timeout"),
        ("", "doctest_optionflags = ELLIPSIS", "doctest_optionflags"),
        ("", "markers =\n    slow: takes long", ""),
    ],
)
def test_options_that_ask_less_of_tests(before: str, after: str, told: str) -> None:
    old, new = ({"pytest.ini": f"[pytest]\n{text}\n"} for text in (before, after))

    assert change(old, new).hooks == ({f"pytest.ini: {told}"} if told else set())


def test_a_file_before_the_one_that_counted_takes_its_options_away() -> None:
    toml = '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'

    assert change({"pyproject.toml": toml}, {"pytest.ini": "[pytest]\n"}).hooks
    assert not change({"pyproject.toml": toml}, {"tox.ini": "[pytest]\n"}).hooks


def test_a_configuration_that_is_nested_too_deep_says_nothing() -> None:
    deep = {"pyproject.toml": f"a = {'[' * 5000}{']' * 5000}\n"}

    assert change({}, deep).hooks == set()
