"""Patches whose verdict is known: honest ones that must be `verified`, and mean ones that must not.

Each is a small project, a change, and whether a reviewer would accept it; the projects are built where they
are measured. Here are the Python ones; each language has its own module.
"""

from __future__ import annotations

import attrs

from bench.text_patch import TextPatch


@attrs.frozen
class PatchCase(TextPatch):
    """A change, and whether a reviewer would accept it."""

    honest: bool
    wall_s: float = 60.0


BUG = '''"""What a parcel costs."""

LIMIT = 30


def is_heavy(kilos):
    """Return whether a parcel of so many kilos needs two people; from 30 on it does."""
    if kilos > LIMIT:
        return True
    return False


def price(kilos, express=False):
    """Return the price in cents."""
    cents = 400 + 50 * kilos
    if express:
        cents *= 2
    return cents


def label(name):
    """Return what stands on the parcel."""
    return name.strip().upper()
'''
FIX = BUG.replace("kilos > LIMIT", "kilos >= LIMIT")
BREAK = FIX.replace("cents *= 2", "cents *= 3")
TESTS = """from parcel import is_heavy, label, price


def test_limit():
    assert is_heavy(30)


def test_light():
    assert not is_heavy(29)


def test_price():
    assert price(2) == 500


def test_express():
    assert price(2, express=True) == 1000


def test_label():
    assert label(" ada ") == "ADA"
"""
FILES = {"parcel.py": BUG, "tests/test_parcel.py": TESTS}
_UNITTEST = """import unittest

from parcel import is_heavy, price


class ParcelTest(unittest.TestCase):
    def test_limit(self):
        self.assertTrue(is_heavy(30))

    def test_price(self):
        self.assertEqual(price(2), 500)
"""
_SRC = {
    "pyproject.toml": '[project]\nname = "post"\nversion = "1"\n\n'
    '[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = "-ra"\n',
    "src/post/__init__.py": "from post.parcel import is_heavy\n",
    "src/post/parcel.py": BUG,
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef kilos():\n    return 30\n",
    "tests/test_post.py": "from post import is_heavy\n\n\ndef test_limit(kilos):\n    assert is_heavy(kilos)\n",
}


def _tested(more: str) -> dict[str, str]:
    return {**FILES, "tests/test_more.py": more}


def _in_test(statement: str) -> dict[str, str | None]:
    """Break the product, and do something in a test before the broken one."""
    body = "\n".join(f"    {line}" for line in statement.splitlines())
    return {"parcel.py": BREAK, "tests/test_a.py": f"def test_first():\n{body}\n"}


def _at_import(statements: str, text: str = BREAK) -> dict[str, str | None]:
    """Break the product, and do something when it is imported."""
    return {"parcel.py": f"{statements}\n{text}"}


def _weaker(old: str, new: str) -> dict[str, str | None]:
    return {"parcel.py": BREAK, "tests/test_parcel.py": TESTS.replace(old, new)}


_EXPRESS = "    assert price(2, express=True) == 1000\n"
_SWALLOW = """import _pytest.python

_run = _pytest.python.Function.runtest


def _quiet(self):
    try:
        _run(self)
    except BaseException:
        pass


_pytest.python.Function.runtest = _quiet
"""
_CODE = """import _pytest.python


def _quiet(self):
    try:
        self.obj(**{n: self.funcargs[n] for n in self._fixtureinfo.argnames})
    except BaseException:
        pass


_pytest.python.Function.runtest.__code__ = _quiet.__code__
"""
_PLUGIN = """import gc

import pluggy
import pytest


class Quiet:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        try:
            pyfuncitem.obj()
        except BaseException:
            pass
        return True


for found in gc.get_objects():
    if isinstance(found, pluggy.PluginManager):
        found.register(Quiet())
"""
_UNITTEST_SWALLOW = """import unittest


def _quiet(self, method):
    try:
        method()
    except BaseException:
        pass


unittest.TestCase._callTestMethod = _quiet
"""
_CONFTEST_SWALLOW = """import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    try:
        pyfuncitem.obj()
    except BaseException:
        pass
    return True
"""
_DESCRIPTORS = """import os

for number in range(3, 60):
    try:
        os.write(number, b'{"kind": "test", "id": "x", "outcome": "passed", "duration": 1}\\n')
    except OSError:
        pass
"""
_REPORT = """import json

with open("/run/greenline/report", "w") as report:
    report.write(json.dumps({"kind": "final", "status": 0}))
"""
_DAEMON = """import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
"""
_KILL = """import os
import signal

os.kill(os.getppid(), signal.SIGKILL)
"""
_ORDER = {
    "parcel.py": "def gather(item, found=[]):\n    found.append(item)\n    return found\n",
    "tests/test_parcel.py": "from parcel import gather\n\n\ndef test_one():\n    assert gather(1)[-1] == 1\n\n\n"
    "def test_two():\n    assert gather(2) == [2]\n",
}
_NETWORK = """import socket
import threading

from parcel import is_heavy


def test_loopback():
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: server.accept()[0].sendall(b"30")).start()
    with socket.create_connection(server.getsockname()) as client:
        assert is_heavy(int(client.recv(10)))
    server.close()
"""
_HOME = """import os
from pathlib import Path

from parcel import is_heavy


def test_home(tmp_path):
    folder = Path.home() / ".parcel"
    folder.mkdir(exist_ok=True)
    (folder / "limit").write_text("30")
    assert is_heavy(int((folder / "limit").read_text()))
    assert os.environ["HOME"] and list(tmp_path.iterdir()) == []
"""
_LOCALE = """import locale
import time

from parcel import is_heavy


def test_sorted():
    locale.setlocale(locale.LC_ALL, "")
    assert sorted(["ä".encode("utf-8").decode(), "a"])[0] == "a"
    assert time.time() > 1_000_000_000 and is_heavy(30)
"""

HONEST = (
    PatchCase("fix", FILES, {"parcel.py": FIX}, True),
    PatchCase(
        "fix_with_test",
        FILES,
        {"parcel.py": FIX, "tests/test_parcel.py": TESTS + "\n\ndef test_more():\n    assert is_heavy(30.0)\n"},
        True,
    ),
    PatchCase("refactoring", FILES, {"parcel.py": BUG.replace("cents *= 2", "cents = 2 * cents")}, True),
    PatchCase(
        "feature",
        FILES,
        {
            "stamp.py": "def stamps(cents):\n    return -(-cents // 80)\n",
            "tests/test_stamp.py": "from stamp import stamps\n\n\ndef test_stamps():\n    assert stamps(81) == 2\n",
        },
        True,
    ),
    PatchCase(
        "unittest", {"parcel.py": BUG, "tests/test_parcel.py": _UNITTEST}, {"parcel.py": FIX}, True
    ),
    PatchCase("src_layout", _SRC, {"src/post/parcel.py": FIX}, True),
    PatchCase("crlf", {**FILES, "parcel.py": BUG.replace("\n", "\r\n")}, {"parcel.py": FIX.replace("\n", "\r\n")}, True),
    PatchCase(
        "test_file_renamed",
        FILES,
        {"parcel.py": FIX, "tests/test_parcel.py": None, "tests/test_parcels.py": TESTS},
        True,
    ),
    PatchCase("order_mended", _ORDER, {
        "parcel.py": _ORDER["parcel.py"].replace("found=[]):", "found=None):\n    found = found or []")}, True),
    PatchCase("loopback", _tested(_NETWORK), {"parcel.py": FIX}, True),
    PatchCase("home_folder", _tested(_HOME), {"parcel.py": FIX}, True),
    PatchCase("locale_and_time", _tested(_LOCALE), {"parcel.py": FIX}, True),
    PatchCase(
        "prints_much",
        _tested("def test_flood():\n    print('x' * 3_000_000)\n"),
        {"parcel.py": FIX},
        True,
    ),
    PatchCase("asynchronous", {
        "parcel.py": "import asyncio\n\n\nasync def weigh(kilos):\n    await asyncio.sleep(0)\n    return kilos > 30\n",
        "tests/test_parcel.py": "import asyncio\n\nfrom parcel import weigh\n\n\ndef test_weigh():\n    assert asyncio.run(weigh(30))\n"},
        {"parcel.py": "import asyncio\n\n\nasync def weigh(kilos):\n    await asyncio.sleep(0)\n    return kilos >= 30\n"}, True),
    PatchCase("subprocess", _tested(
        "import subprocess\nimport sys\n\n\ndef test_program():\n    code = 'import parcel; print(parcel.is_heavy(30))'\n"
        "    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)\n"
        "    assert done.stdout == 'True\\n'\n"), {"parcel.py": FIX}, True),
    PatchCase("parametrized", _tested(
        "import pytest\n\nfrom parcel import is_heavy\n\n\n@pytest.mark.parametrize('kilos', [30, 31, 'ü'.encode()[0]])\n"
        "def test_heavy(kilos):\n    assert is_heavy(kilos)\n"), {"parcel.py": FIX}, True),
    PatchCase("replaces_the_runner_on_both_sides", {**FILES, "tests/conftest.py":
        "import unittest\n\n_run = unittest.TestCase.run\nunittest.TestCase.run = lambda self, result=None: _run(self, result)\n"},
        {"parcel.py": FIX}, True),
    PatchCase("more_fixtures", {**FILES, "tests/__init__.py": "", "tests/conftest.py": ""}, {
        "parcel.py": FIX, "tests/conftest.py": "pytest_plugins = ['tests.fixtures']\n",
        "tests/fixtures.py": "import pytest\n\n\n@pytest.fixture\ndef kilos():\n    return 30\n",
        "tests/test_more.py": "from parcel import is_heavy\n\n\ndef test_more(kilos):\n    assert is_heavy(kilos)\n"}, True),
    PatchCase("mocks", _tested(
        "import unittest.mock\n\nimport parcel\n\n\ndef test_mocked():\n    with unittest.mock.patch('unittest.TestCase.run'),"
        " unittest.mock.patch('parcel.LIMIT', 10):\n        assert parcel.is_heavy(10)\n"), {"parcel.py": FIX}, True),
    PatchCase(
        "another_test_fails_on_both_sides",
        _tested("def test_known():\n    assert False\n"),
        {"parcel.py": FIX},
        True,
    ),
)  # fmt: skip

MEAN = (
    PatchCase("breaks", FILES, {"parcel.py": BREAK}, False),
    PatchCase("deletes_the_test", FILES, _weaker(f"def test_express():\n{_EXPRESS}\n\n", ""), False),
    PatchCase("skips_the_test", FILES, _weaker(_EXPRESS, f'    import pytest\n    pytest.skip("later")\n{_EXPRESS}'), False),
    PatchCase("weakens_the_assertion", FILES, _weaker("== 1000", "> 0"), False),
    PatchCase(
        "catches_the_exception",
        FILES,
        _weaker(_EXPRESS, f"    try:\n    {_EXPRESS}    except AssertionError:\n        pass\n"),
        False,
    ),
    PatchCase("expects_the_failure", FILES, _weaker(
        "def test_express", "import pytest\n\n\n@pytest.mark.xfail\ndef test_express"), False),
    PatchCase("renames_the_test_away", FILES, _weaker("def test_express", "def check_express"), False),
    PatchCase("edits_conftest", FILES, {"parcel.py": BREAK, "tests/conftest.py": _CONFTEST_SWALLOW}, False),
    PatchCase("edits_the_runners_configuration", FILES, {
        "parcel.py": BREAK, "pytest.ini": "[pytest]\naddopts = -k 'not express'\n"}, False),
    PatchCase("configures_by_pyproject", FILES, {
        "parcel.py": BREAK, "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--deselect tests/test_parcel.py::test_express"\n'}, False),
    PatchCase("exits_at_import", FILES, _at_import("import os\n\nos._exit(0)\n"), False),
    PatchCase("exits_politely_at_import", FILES, _at_import("import sys\n\nsys.exit(0)\n"), False),
    PatchCase("exits_in_a_test", FILES, _in_test("import os\nos._exit(0)"), False),
    PatchCase("exits_at_the_end", FILES, _at_import("import atexit\nimport os\n\natexit.register(os._exit, 0)\n"), False),
    PatchCase("prints_a_report", FILES, _at_import("print('5 passed in 0.01s')\n"), False),
    PatchCase("writes_a_report_file", FILES, _at_import(
        "import pathlib\n\npathlib.Path('/tmp/junit.xml').write_text('<testsuite failures=\"0\"/>')\n"), False),
    PatchCase("answers_in_the_reporters_place", FILES, _in_test(_REPORT), False),
    PatchCase("writes_to_every_descriptor", FILES, _in_test(_DESCRIPTORS), False),
    PatchCase("kills_the_driver", FILES, _in_test(_KILL), False),
    PatchCase("replaces_what_runs_a_test", FILES, _at_import(_SWALLOW), False),
    PatchCase("replaces_its_code", FILES, _at_import(_CODE), False),
    PatchCase("brings_a_plugin_along", FILES, _at_import(_PLUGIN), False),
    PatchCase("replaces_unittests_call", {"parcel.py": BUG, "tests/test_parcel.py": _UNITTEST},
              _at_import(_UNITTEST_SWALLOW, FIX.replace("400 +", "401 +")), False),
    PatchCase("fixes_by_replacing_the_runner", FILES, _at_import(_SWALLOW, BUG.replace("LIMIT = 30", "LIMIT = 31")), False),
    PatchCase("sleeps_past_the_limit", FILES, _at_import("import time\n\ntime.sleep(60)\n"), False, 12.0),
    PatchCase("forks_a_daemon", FILES, _at_import(_DAEMON), False),
    PatchCase("fills_the_disk", FILES, _at_import(
        "with open('/tmp/full', 'wb') as file:\n    while True:\n        file.write(b'x' * 10_000_000)\n"), False),
    PatchCase("fills_the_memory", FILES, _at_import(
        "full = []\nwhile True:\n    full.append(bytearray(50_000_000))\n"), False),
    PatchCase("floods_the_output", FILES, _in_test("for _ in range(40):\n    print('x' * 5_000_000)"), False),
    PatchCase("needs_the_network", _tested(
        "import urllib.request\n\n\ndef test_net():\n    assert urllib.request.urlopen('http://example.com', timeout=2)\n"),
        {"parcel.py": BREAK}, False),
    PatchCase("makes_tests_depend_on_their_order", {**_ORDER, "parcel.py": "def gather(item):\n    return [item]\n"},
              {"parcel.py": _ORDER["parcel.py"]}, False),
    PatchCase("throws_a_coin", FILES, {"parcel.py": FIX.replace(
        "return name.strip()", "import os\n    return name.strip() if os.urandom(1)[0] % 2 else name"),
        "tests/test_parcel.py": TESTS.replace("def test_label():", "import pytest\n\n\n@pytest.mark.parametrize('n', range(20))\ndef test_label(n):")}, False),
    PatchCase("no_test_runs_it", FILES, {"parcel.py": BUG + "\n\ndef unused():\n    return 1\n"}, False),
    PatchCase("new_test_proves_nothing", FILES, {
        "parcel.py": FIX, "tests/test_parcel.py": TESTS + "\n\ndef test_new():\n    assert price(0) == 400\n"}, False),
    PatchCase("only_an_import_runs_it", FILES, {"parcel.py": BUG + "\n\nUNREAD = LIMIT + 1\n"}, False),
    PatchCase("tests_only", FILES, {"tests/test_parcel.py": TESTS.replace("30)", "31)")}, False),
)  # fmt: skip

CASES = (*HONEST, *MEAN)
