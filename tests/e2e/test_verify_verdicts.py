"""Each verdict from a real container, and the patches that must never be called verified."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

import docker
import pytest
from verify_case import BUG, TESTS, PatchCase, assert_verdict, measure

from greenline.core.evidence import Outcome, RunEnd
from greenline.sandbox.container_arguments import LABEL_RUN
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier

FIX = BUG.replace("x < LIMIT", "x <= LIMIT")
BREAK = FIX.replace("x + x", "x + x + x")
FILES = {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/conftest.py": "import sys\n"}
LOW = "tests/test_calc.py::test_low"
TWICE = "tests/test_calc.py::test_twice"
REWRITE = """import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""
INSTALLED = {
    "helper-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n",
    "helper-1.0.dist-info/entry_points.txt": "[pytest11]\nhelper = helper_plugin\n",
}
"""What makes pytest load a module at the root as the plugin of an installed distribution."""
FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n"
KIT = {**FILES, "kit/__init__.py": "", "kit/three.py": FIXTURE}
SIMILAR = BUG.replace("x + x", "2 * x")
COMPARES = """from pathlib import Path

from calc import twice


def test_file():
    assert str(twice(4)) == Path("golden/twice.txt").read_text()
"""
GOLDEN = {"calc.py": BUG, "tests/test_calc.py": TESTS.partition("\n\ndef test_tw")[0],
          "test_twice.py": COMPARES, "golden/twice.txt": "8"}  # fmt: skip
SAME = "def same(a, b):\n    assert a == b\n"
HELPED = {"calc.py": BUG, "unit_tests/same.py": SAME,
          "unit_tests/test_calc.py": "from same import same\n\n" + TESTS.replace(
              "assert twice(4) == 8", "same(twice(4), 8)")}  # fmt: skip
REPLACE = """import pytest


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    kind = type(outcome.get_result())
    call.excinfo = None
    outcome.force_result(kind.from_item_and_call(item, call))
"""
LOGGED = """def pytest_runtest_logreport(report):
    report.outcome = "passed"
"""
KEEPS = """import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    setattr(item, "rep_" + call.when, outcome.get_result())
"""
"""What pytest's documentation shows for fixtures that want to know how their test went."""
SWALLOW = """import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    try:
        pyfuncitem.obj()
    except Exception:
        pass
    return True
"""
HIDE = """def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.name != "test_twice"]
"""
FORGE = """import json
import os


def test_low():
    with open("/run/greenline/report", "w") as report:
        for _ in range(2):
            report.write(json.dumps({"kind": "test", "id": "x", "outcome": "passed"}) + chr(10))
    assert True
"""


def calc(
    name: str,
    patch: dict[str, str | None],
    verdict: str,
    reason: str = "",
    *,
    files: dict[str, str] = FILES,
    checks: tuple[str, ...] = (),
) -> PatchCase:
    return PatchCase(name, files, patch, verdict, reason, checks)


HONEST = TESTS + "\n\ndef test_three():\n    assert low(3) and not low(5)\n"
USELESS = TESTS + "\n\ndef test_two():\n    assert low(2)\n"
EXPECTED = (
    "import unittest\n\nimport pytest\n\n"
    + HONEST
    + """

@pytest.mark.xfail
def test_known():
    assert low(9)


def test_skips():
    pytest.skip("later")


class TestOld(unittest.TestCase):
    @unittest.expectedFailure
    def test_old(self):
        self.fail()
"""
)
REPLACES = """import sys


class Late(int):
    def __ge__(self, other):
        for name, module in list(sys.modules.items()):
            if name.endswith("test_calc"):
                {}
        return int(self) >= other


LIMIT = Late(3)
"""
REPLACES_TEST = REPLACES.format("module.test_twice.__code__ = (lambda: None).__code__")
REPLACES_CALL = REPLACES.format("module.twice = {4: 8}.get")
REPLACES_METHOD = REPLACES.format("module.Calc.test_twice = lambda self: None")
UNITTEST = {
    "calc.py": BUG,
    "tests/test_calc.py": "import unittest\n\nfrom calc import low, twice\n\n\n"
    "class Calc(unittest.TestCase):\n"
    "    def test_low(self):\n        self.assertTrue(low(3))\n\n"
    "    def test_twice(self):\n        self.assertEqual(twice(4), 8)\n",
}
UNCOVERED = BUG + "\n\ndef unused():\n    return 1\n"

ELSEWHERE = {
    "limits.py": "LIMIT = 3\n",
    "calc.py": BUG.replace("LIMIT = 3", "from limits import LIMIT"),
    "tests/test_calc.py": TESTS.replace("not low(4)", "not low(5)"),
}
TO_BE_WRITTEN = {
    "calc.py": FIX.partition("\n\ndef twice")[0] + "\n",
    "tests/test_calc.py": TESTS,
    "tests/test_low.py": "from calc import low\n\n\ndef test_one():\n    assert low(1)\n",
}
"""Tests that import a function which nobody has written yet."""
METHODS = {**TO_BE_WRITTEN, "tests/test_calc.py": UNITTEST["tests/test_calc.py"]}

CASES = (
    calc("fix", {"calc.py": FIX}, "verified"),
    calc("fix_with_check", {"calc.py": FIX}, "verified", checks=(LOW,)),
    calc("break", {"calc.py": BREAK}, "regressed", "lost"),
    calc("syntax_error", {"calc.py": FIX + "\ndef ("}, "regressed", "collection"),
    calc("uncovered", {"calc.py": UNCOVERED}, "notCovered", "noTestExecutesChange"),
    calc("constant", {"calc.py": BUG.replace("LIMIT = 3", "LIMIT = 4")}, "verified",
         files={**FILES, "tests/test_calc.py": TESTS.replace("not low(4)", "not low(5)")}),
    calc("constant_that_another_module_reads", {"limits.py": "LIMIT = 4\n"}, "verified", files=ELSEWHERE),
    calc("value_that_no_test_notices", {"limits.py": "LIMIT = 3\nMORE = 5\n"}, "notCovered",
         "noTestExecutesChange", files=ELSEWHERE),
    calc("function_that_tests_import", {"calc.py": FIX}, "verified", files=TO_BE_WRITTEN,
         checks=("tests/test_calc.py",)),
    calc("function_that_tests_import_and_a_loss", {"calc.py": FIX.replace("return True", "return None")},
         "regressed", "lost", files=TO_BE_WRITTEN),
    calc("another_function_than_tests_import", {"calc.py": FIX.replace("twice", "thrice")}, "couldNotRun",
         "collection", files=TO_BE_WRITTEN),
    calc("function_that_a_test_case_imports", {"calc.py": FIX}, "verified", files=METHODS),
    calc("unread_constant", {"calc.py": BUG + "\n\nUNREAD = 1\n"}, "notCovered", "noTestExecutesChange"),
    calc("breaks_what_only_fails", {"calc.py": BUG.replace("return True", "return None")}, "notCovered",
         "noTestExecutesChange",
         files={**FILES, "tests/test_calc.py": TESTS.replace("low(3)", "low(2) == 1 == 2")}),
    calc("comment_only", {"calc.py": BUG + "# more\n"}, "notCovered", "noCode"),
    calc("unmet_check", {"calc.py": BUG.replace("x + x", "2 * x")}, "stillFailing", "checks", checks=(LOW,)),
    calc("only_tests", {"tests/test_calc.py": HONEST.replace("low(3) and not", "not")}, "testsOnly"),
    calc("weakened", {"calc.py": BREAK, "tests/test_calc.py": TESTS.replace("== 8", "> 0")},
         "regressed", "lost"),
    calc("deleted", {"calc.py": BREAK, "tests/test_calc.py": TESTS.partition("\n\ndef test_tw")[0]},
         "regressed", "lost"),
    calc("deleted_harmless", {"calc.py": FIX, "tests/test_calc.py": TESTS.partition("\n\ndef test_tw")[0]},
         "notCovered", "testsRemoved"),
    calc("skipped", {"calc.py": FIX, "tests/test_calc.py": TESTS.replace(
        "def test_twice", "import pytest\n\n\n@pytest.mark.skip\ndef test_twice")}, "regressed", "lost"),
    calc("deselected", {"calc.py": FIX, "pytest.ini": "[pytest]\naddopts = -k low\n"}, "regressed", "lost"),
    calc("hidden", {"calc.py": FIX, "tests/conftest.py": HIDE}, "regressed", "lost"),
    calc("rewritten_outcomes", {"calc.py": BREAK, "tests/conftest.py": REWRITE}, "regressed",
         "runnerReplaced"),
    calc("forced_fix", {"calc.py": BUG + "\nX = 1\n", "tests/conftest.py": REWRITE}, "regressed",
         "runnerReplaced"),
    calc("fixed_and_rewritten", {"calc.py": FIX, "tests/conftest.py": REWRITE}, "regressed",
         "runnerReplaced"),
    calc("fixed_and_logged", {"calc.py": FIX, "tests/conftest.py": LOGGED}, "regressed", "runnerReplaced"),
    calc("fixed_and_replaced", {"calc.py": FIX, "tests/conftest.py": REPLACE}, "regressed", "runnerReplaced"),
    calc("installs_a_plugin", {"calc.py": BREAK, "helper_plugin.py": SWALLOW, **INSTALLED}, "regressed",
         "runnerReplaced"),
    calc("plugin_of_its_own", {"calc.py": FIX}, "verified",
         files={**FILES, "helper_plugin.py": FIXTURE, **INSTALLED}),
    calc("product_as_plugin", {"calc.py": SIMILAR, "kit/three.py": FIXTURE + SWALLOW}, "notCovered",
         "fixedByTestsOnly", files={**KIT, "conftest.py": "pytest_plugins = ['kit.three']\n"}),
    calc("product_as_option", {"calc.py": BREAK, "kit/three.py": FIXTURE + SWALLOW}, "regressed", "lost",
         files={**KIT, "pytest.ini": "[pytest]\naddopts = -p kit.three\n"}),
    calc("product_beside_a_plugin", {"calc.py": FIX, "kit/three.py": FIXTURE.replace("3", "1 + 2")},
         "verified", files={**KIT, "conftest.py": "pytest_plugins = ['kit.three']\n"}),
    calc("golden_file_rewritten", {"calc.py": BREAK, "golden/twice.txt": "12"}, "regressed", "lost",
         files=GOLDEN),
    calc("golden_file_added", {"calc.py": FIX, "golden/low.txt": "True", "test_low.py": COMPARES.replace(
        "twice", "low").replace("(4)", "(3)")}, "verified", files=GOLDEN),
    calc("helper_rewritten", {"calc.py": BREAK, "unit_tests/same.py": SAME.replace("a == b", "a")},
         "regressed", "lost", files=HELPED),
    calc("helper_added", {"calc.py": FIX, "unit_tests/same.py": SAME + "\n\ndef near(a):\n    assert a\n"},
         "verified", files=HELPED),
    calc("rewritten_on_both_sides", {"calc.py": FIX}, "verified",
         files={**FILES, "tests/conftest.py": REWRITE}),
    calc("keeps_reports", {"calc.py": FIX, "tests/conftest.py": KEEPS}, "notCovered", "outcomeHooks"),
    calc("kept_reports", {"calc.py": FIX, "tests/conftest.py": KEEPS + "\n\nX = 1\n"}, "verified",
         files={**FILES, "tests/conftest.py": KEEPS}),
    calc("fixed_and_swallowed", {"calc.py": FIX, "tests/conftest.py": SWALLOW, "tests/test_more.py":
         "from more import one\n\n\ndef test_one():\n    assert one() == 1\n",
         "more.py": "def one():\n    return 1\n"}, "notCovered", "fixedByTestsOnly"),
    calc("test_corrected_too", {"calc.py": FIX, "tests/test_calc.py": TESTS.replace(
        "assert low(3)", "assert low(3) is True")}, "verified"),
    calc("expected_failures", {"calc.py": FIX, "tests/conftest.py": "import os\n",
                               "tests/test_calc.py": EXPECTED}, "verified"),
    calc("exits", {"calc.py": FIX.replace("return x + x", "__import__('os')._exit(0)")}, "regressed", "died"),
    calc("forged", {"calc.py": FIX, "tests/test_forge.py": FORGE}, "regressed", "died"),
    calc("honest_test", {"calc.py": FIX, "tests/test_calc.py": HONEST}, "verified"),
    calc("useless_test", {"calc.py": FIX, "tests/test_calc.py": USELESS}, "notCovered", "newTestsPassOnBase"),
    calc("new_import", {"more.py": "def one():\n    return 1\n", "tests/test_more.py":
         "from more import one\n\n\ndef test_one():\n    assert one() == 1\n"}, "verified"),
    calc("no_tests", {"calc.py": FIX}, "notRun", "noTests", files={"calc.py": BUG}),
    calc("base_broken", {"calc.py": FIX}, "couldNotRun", "collection",
         files={**FILES, "tests/test_calc.py": "import nothing_of_the_kind\n"}),
    calc("replaces_a_test", {"calc.py": FIX.replace("LIMIT = 3", REPLACES_TEST)}, "regressed",
         "runnerReplaced"),
    calc("replaces_what_a_test_calls", {"calc.py": FIX.replace("LIMIT = 3", REPLACES_CALL)}, "regressed",
         "runnerReplaced"),
    calc("unittest_replaces_a_test", {"calc.py": FIX.replace("LIMIT = 3", REPLACES_METHOD)}, "regressed",
         "runnerReplaced", files=UNITTEST),
    calc("unittest_fix", {"calc.py": FIX}, "verified", files=UNITTEST),
    calc("unittest_break", {"calc.py": BREAK}, "regressed", "lost", files=UNITTEST),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, tmp_path: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, tmp_path, case), case)


def test_evidence_says_what_ran_where(verifier: SandboxVerifier, tmp_path: Path) -> None:
    evidence = measure(verifier, tmp_path, CASES[0])

    assert evidence.sandbox == "docker"
    assert evidence.engine.startswith("docker ")
    assert evidence.image.startswith("sha256:")
    assert evidence.fixed == (LOW,)
    assert evidence.base is not None and evidence.base.outcome_of(LOW) is Outcome.FAILED
    assert evidence.base.runner.startswith("pytest ")
    assert evidence.patched is not None and evidence.patched.coverage[LOW]["calc.py"] == (5, 6)
    assert [hunk.tests for hunk in evidence.hunks] == [("tests/test_calc.py::test_high", LOW)]


def test_a_hanging_change_is_a_timeout(verifier: SandboxVerifier, tmp_path: Path) -> None:
    patch: dict[str, str | None] = {"calc.py": FIX.replace("return x + x", "while True:\n        x += 1")}

    evidence = measure(verifier, tmp_path, calc("hangs", patch, "regressed", "timeout"), wall_s=8)

    assert (evidence.verdict, evidence.reason) == ("regressed", "timeout")


def test_coins_are_flaky(verifier: SandboxVerifier, tmp_path: Path) -> None:
    coins = "import os\n\nimport pytest\n\n\n@pytest.mark.parametrize('n', range(24))\n"
    coins += "def test_coin(n):\n    assert os.urandom(1)[0] < 128\n"
    case = calc("coin", {"calc.py": FIX}, "flaky", files={**FILES, "tests/test_coin.py": coins})

    evidence = measure(verifier, tmp_path, case)

    # Half of so many coins differ between base and patch; that none shows both sides is one in millions.
    assert evidence.verdict == "flaky"
    assert all("test_coin" in test for test in evidence.flaky)


def test_a_test_that_leaves_something_behind_is_not_flaky(verifier: SandboxVerifier, tmp_path: Path) -> None:
    """Run again in the same container it fails; in a fresh one it passes, as it did at first."""
    leaves = "import os\nimport calc\n\n\ndef test_once():\n    assert not os.path.exists('/tmp/left')\n"
    leaves += "    open('/tmp/left', 'w').close()\n    assert calc.low(3)\n"
    files = {**FILES, "tests/test_once.py": leaves}

    evidence = measure(verifier, tmp_path, calc("leaves", {"calc.py": FIX}, "verified", files=files))

    assert (evidence.verdict, evidence.flaky) == ("verified", ())
    assert "tests/test_once.py::test_once" in evidence.fixed


def _shared(default: str) -> PatchCase:
    """A function that may keep its list between calls, a test that fills it, and one that finds it full."""
    before = "def gather(item, found=[]):\n    found.append(item)\n    return found\n"
    after = before if not default else before.replace("found=[]):", f"found=None):\n    {default}")
    tests = "from calc import gather\n\n\ndef test_one():\n    assert gather(1)[-1] == 1\n"
    tests += "\n\ndef test_two():\n    assert gather(2) == [2]\n"
    return calc(
        "shared", {"calc.py": after}, "verified", files={"calc.py": before, "tests/test_calc.py": tests}
    )


def test_a_fix_of_what_makes_tests_depend_on_their_order_is_verified(
    verifier: SandboxVerifier, tmp_path: Path
) -> None:
    """The test fails after another one and passes alone, on the base each time."""
    evidence = measure(verifier, tmp_path, _shared("found = [] if found is None else found"))

    assert (evidence.verdict, evidence.flaky) == ("verified", ())
    assert evidence.fixed == ("tests/test_calc.py::test_two",)
    assert any("depends on the tests that run before" in warning for warning in evidence.warnings)


def test_a_change_that_makes_tests_depend_on_their_order_is_not_verified(
    verifier: SandboxVerifier, tmp_path: Path
) -> None:
    good = "def gather(item):\n    return [item]\n"
    case = _shared("")
    files = {**case.files, "calc.py": good}
    case = calc("shared", {"calc.py": case.files["calc.py"]}, "flaky", files=files)

    assert measure(verifier, tmp_path, case).verdict in ("flaky", "regressed")


def test_a_fix_takes_one_container_a_side(verifier: SandboxVerifier, tmp_path: Path) -> None:
    # Others may use the same engine.
    label = f"test-{uuid.uuid4().hex}"
    client = docker.from_env()
    since = int(time.time())
    measure(verifier, tmp_path, CASES[0], label=label)
    filters = {"event": "start", "label": f"{LABEL_RUN}={label}"}
    started = list(client.events(since=since, until=int(time.time()) + 1, filters=filters))
    client.close()

    assert len(started) == 2


def test_without_an_engine_nothing_runs(tmp_path: Path) -> None:
    settings = SandboxSettings(docker_host=f"unix://{tmp_path}/none.sock", environment={})

    evidence = measure(SandboxVerifier(DockerSandbox(settings)), tmp_path, CASES[0])

    assert (evidence.verdict, evidence.reason) == ("couldNotRun", "sandboxUnavailable")
    assert evidence.base is not None and evidence.base.end is RunEnd.UNAVAILABLE
