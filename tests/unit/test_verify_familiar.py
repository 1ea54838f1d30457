"""Product code that knows what only tests have, and fields that stop counting in a comparison."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.aware import aware
from greenline.verify.familiar import familiar
from greenline.verify.uncompared import uncompared

CONFTEST = "import os\n\nos.environ['TODO_ENV'] = 'test'\n\n\nclass FakeClock:\n    pass\n"


def tree(**files: str) -> Tree:
    names = {"product": "todo/app.py", "other": "todo/other.py", "conftest": "tests/conftest.py"}
    return {names[name]: StagedFile(text.encode()) for name, text in files.items()}


def found(before: str, after: str, **more: str) -> list[str]:
    old, new = tree(product=before, **more), tree(product=after, **more)
    return [*familiar(old, new, ["todo/app.py"], lambda path: path.startswith("todo/"))]


@pytest.mark.parametrize(
    "text",
    [
        "if os.environ.get('TODO_ENV') == 'test': x()\n",
        "if os.getenv('TODO_ENV'): x()\n",
        "if os.environ['TODO_ENV']: x()\n",
        "if 'TODO_ENV' in os.environ: x()\n",
        "if type(self.clock).__name__ == 'FakeClock': x()\n",
        "if type(clock).__qualname__ in ('FakeClock', 'Other'): x()\n",
    ],
)
def test_what_only_tests_have_is_known(text: str) -> None:
    (what,) = found("import os\n", f"import os\n{text}", conftest=CONFTEST)

    assert what.startswith("todo/app.py:2: asks for ")


@pytest.mark.parametrize(
    "conftest",
    [
        "def set_up(monkeypatch):\n    monkeypatch.setenv('TODO_ENV', 'x')\n",
        "with mock.patch.dict(os.environ, {'TODO_ENV': 'x'}):\n    pass\n",
        "os.environ.update({'TODO_ENV': 'x'})\n",
        "os.environ.setdefault('TODO_ENV', 'x')\n",
    ],
)
def test_however_the_tests_set_it(conftest: str) -> None:
    assert found("", "x = os.getenv('TODO_ENV')\n", conftest=conftest)


def test_a_variable_that_only_tests_read_is_set() -> None:
    golden = "import os\n\nif os.environ.get('UPDATE'):\n    write()\n"
    (what,) = found("import os\n", "import os\nos.environ.setdefault('UPDATE', 'yes')\n", conftest=golden)

    assert what == "todo/app.py:2: sets UPDATE, which the tests ask for"
    assert not found("", "os.environ['LANG'] = 'C'\n", conftest=golden)
    assert not found("", "cache.setdefault('UPDATE', 'yes')\n", conftest=golden)


def test_what_others_have_too_is_none() -> None:
    reads = "x = os.getenv('TODO_ENV')\n"

    # The tests set it because the product reads it.
    assert not found("", reads, conftest=CONFTEST, other=reads)
    assert not found(reads, f"{reads}{reads}", conftest=CONFTEST)
    # A new setting, which only tests of the patch set.
    assert not found("", "x = os.getenv('TODO_COLOUR')\n", conftest=CONFTEST)
    assert not found("", "x = config.get('TODO_ENV')\n", conftest=CONFTEST)
    assert not found("", "x = self.environ.get('TODO_ENV')\n", conftest=CONFTEST)
    home = "def set_up(monkeypatch):\n    monkeypatch.setenv('XDG_CACHE_HOME', 'x')\n"
    assert not found("", "x = os.environ.get('XDG_CACHE_HOME')\n", conftest=home)
    assert not found("", "x = os.environ.get('\\ud800')\n", conftest=home)
    assert not found("", "if type(c).__name__ == 'Clock': x()\n", conftest=CONFTEST)
    both = "class FakeClock:\n    pass\n"
    assert not found("", "if type(c).__name__ == 'FakeClock': x()\n", conftest=CONFTEST, other=both)


@pytest.mark.parametrize(
    ("text", "n_found"),
    [
        ("if hasattr(mailer, 'assert_called_once_with'): x()\n", 1),
        ("if getattr(mailer, 'mock_calls', None): x()\n", 1),
        ("if 'pytest-of-' in str(path): x()\n", 1),
        ("if hasattr(mailer, 'send'): x()\n", 0),
        ("def f():\n    '''Tell where a folder pytest-of-name of a run lies, for people.'''\n", 0),
    ],
)
def test_mocks_and_folders_of_tests_are_asked_for(text: str, n_found: int) -> None:
    assert len(aware(tree(product=""), tree(product=text), ["todo/app.py"])) == n_found


PARCEL = "@dataclass\nclass Parcel:\n    weight: int\n    code: str = field(default='')\n"


@pytest.mark.parametrize(
    ("after", "n_found"),
    [
        (PARCEL.replace("default=''", "default='', compare=False"), 1),
        (PARCEL.replace("weight: int", "weight: int = field(compare=False)"), 1),
        (PARCEL.replace("field(default='')", "attrs.field(default='', eq=False)"), 1),
        (PARCEL + "    seen: int = field(default=0, compare=False)\n", 0),
        (PARCEL.replace("default=''", "default='', repr=False"), 0),
    ],
)
def test_a_field_that_stops_counting(after: str, n_found: int) -> None:
    old, new = tree(product=PARCEL), tree(product=after)

    assert len([*uncompared(old, new, ["todo/app.py"])]) == n_found
