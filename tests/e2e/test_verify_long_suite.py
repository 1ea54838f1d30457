"""Suites that take longer than one run may, and affected tests that are run before a long suite."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import attrs
import pytest
from bench.text_patch import TextPatch
from verify_case import make_verifier

from greenline.cli import main
from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, Verdict
from greenline.core.port import SandboxRequest, SandboxResult
from greenline.core.selection import Selection
from greenline.edit.hunk import diff_text
from greenline.verify.known_suite import KnownSuite, KnownTest
from greenline.verify.memory import Memory
from greenline.verify.project import Project
from greenline.verify.suite_memory import SuiteMemory
from greenline.verify.verifier import SandboxVerifier

WALL_S = 9.0
SLOW = """import time

from part{n} import value


def test_{n}():
    time.sleep(2.0)
    assert value(1) == {n} + 1
"""
PART = "def value(x):\n    return x + {n}\n"
FILES = {
    **{f"part{n}.py": PART.format(n=n) for n in range(5)},
    **{f"tests/test_{n}.py": SLOW.format(n=n) for n in range(5)},
    # What is looked up while it runs is nothing that imports tell.
    "plugin.py": "def load():\n    return __import__('part' + '3').value\n",
    "tests/test_plugin.py": "import time\n\nfrom plugin import load\n\n\ndef test_plugin():\n"
    "    time.sleep(2.0)\n    assert load()(1) == 4 and load()(2) == 5\n",
}
"""Twelve seconds of tests."""
CHANGED = PART.format(n=3).replace("x + 3", "3 + x")
SAME = TextPatch("same", FILES, {"part3.py": CHANGED})
PYTEST = Project("python", "pytest", "", ())
IDS = [f"tests/test_{n}.py::test_{n}" for n in (0, 1, 2, 3, 4, "plugin")]
HIDDEN = TextPatch("hidden", FILES, {"part3.py": CHANGED.replace("3 + x", "4 if x == 1 else 0")})
"""Breaks what only the test of the plug-in sees."""


def measure(
    verifier: SandboxVerifier, patch: TextPatch, root: Path, wall_s: float
) -> tuple[Evidence, list[str]]:
    said: list[str] = []
    evidence = verifier.verify(patch.request(root, "", wall_s), Cancellation(), said.append)
    return evidence, said


def ran(evidence: Evidence) -> set[str]:
    assert evidence.patched is not None
    return {test.id for test in evidence.patched.tests}


def selection(evidence: Evidence) -> Selection:
    assert evidence.selection is not None, (evidence.detail, evidence.base)
    return evidence.selection


def test_a_suite_that_is_too_long_is_verified_by_the_tests_that_the_change_affects(tmp_path: Path) -> None:
    verifier = make_verifier(memory=Memory())
    first, said = measure(verifier, SAME, tmp_path, WALL_S)
    chosen = selection(first)

    assert (first.verdict, first.is_vouched_for) == (Verdict.VERIFIED, False)
    assert first.patched is not None and [test.id for test in first.patched.tests] == [
        "tests/test_3.py::test_3"
    ]
    assert (chosen.why, chosen.n_selected, chosen.n_tests, chosen.n_left) == ("suiteTooLong", 1, 6, 0)
    assert chosen.reasons == {"import": 1}
    assert first.warnings[0] == chosen.words()
    assert "Only 1 of 6 tests ran." in first.detail
    assert sum("without and with" in sentence for sentence in said) == 2

    assert SuiteMemory().get(str(tmp_path), PYTEST).is_longer(WALL_S)


def test_the_command_says_what_was_not_run_and_succeeds_only_where_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_WALL_S", f"{WALL_S:g}")
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    tests = {name: KnownTest(name.split("::")[0], 2.0) for name in IDS}
    long = KnownSuite(tests, stopped_s=WALL_S, stopped_at=time.time())
    SuiteMemory().put(str(root), PYTEST, long)

    def verify(patch: TextPatch, *options: str) -> tuple[int, dict[str, Any]]:
        file = tmp_path / "p.diff"
        file.write_text("".join(diff_text(name, FILES[name], text) for name, text in patch.patch.items()))
        code = main(["verify", "--root", str(root), "--patch", str(file), "--json", *options])
        return code, json.loads(capsys.readouterr().out)

    code, value = verify(HIDDEN)
    allowed, again = verify(HIDDEN, "--affected")

    # Nothing leads from the test of the plug-in to the change, and the warning says that it did not run.
    assert (code, value["verdict"], value["patched"]["total"]) == (4, "verified", 1)
    assert value["warnings"][0].startswith("Only 1 of 6 tests ran")
    assert "What did not run may fail" in value["warnings"][0]
    assert (value["selection"]["nTests"], value["selection"]["reasons"]) == (6, {"import": 1})
    # By now it is known which lines the test executes.
    assert (allowed, again["verdict"], again["selection"]["reasons"]) == (0, "verified", {"lines": 1})


QUICK = {
    path: text.replace("2.0", "0.02" if "3" in path or "plugin" in path else "0.3")
    for path, text in FILES.items()
}


def test_what_the_affected_tests_show_is_known_before_the_whole_suite_runs(tmp_path: Path) -> None:
    verifier = make_verifier(memory=Memory(), first_s=1.0)
    whole, said = measure(
        verifier, TextPatch("none", QUICK, {"part0.py": PART.format(n=0) + "\n"}), tmp_path, 60
    )
    assert (whole.selection, len(ran(whole))) == (None, 6)
    assert not any("first" in sentence for sentence in said)

    hidden, said = measure(verifier, attrs.evolve(HIDDEN, files=QUICK), tmp_path, 60)

    # Coverage knows what no import tells.
    assert "Running the tests that the change affects first: 2 of 6." in said
    assert (hidden.verdict, hidden.lost) == (Verdict.REGRESSED, ("tests/test_plugin.py::test_plugin",))
    assert selection(hidden).why == "failedFirst"
    assert selection(hidden).reasons == {"lines": 2}
    assert ran(hidden) == {"tests/test_3.py::test_3", "tests/test_plugin.py::test_plugin"}
    assert "no other test ran" in hidden.warnings[0]

    same, said = measure(verifier, attrs.evolve(SAME, files=QUICK), tmp_path, 60)

    assert "Running the tests that the change affects first: 2 of 6." in said
    assert (same.verdict, same.selection, same.is_vouched_for) == (Verdict.VERIFIED, None, True)
    assert len(ran(same)) == 6


@attrs.define
class Watched:
    """A sandbox, and the commands that it was asked to run."""

    inner: Any
    commands: list[tuple[str, ...]] = attrs.field(factory=list)

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        self.commands.append(tuple(request.command))
        result: SandboxResult = self.inner.run(request, cancellation)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_a_long_suite_is_run_bare_where_the_affected_tests_execute_the_whole_change(tmp_path: Path) -> None:
    verifier = make_verifier(memory=Memory(), first_s=1.0)
    watched = Watched(verifier._sandbox)
    verifier._sandbox = watched
    measure(verifier, TextPatch("none", QUICK, {"part0.py": PART.format(n=0) + "\n"}), tmp_path, 60)
    assert [bare(command) for command in watched.commands] == [False, False]
    watched.commands.clear()

    same, _ = measure(verifier, attrs.evolve(SAME, files=QUICK), tmp_path, 60)

    # What the base executes is known; the affected tests run on both sides, then all with the change.
    assert [bare(command) for command in watched.commands] == [False, False, True]
    assert (same.verdict, len(ran(same))) == (Verdict.VERIFIED, 6)
    assert same.hunks[0].tests == ("tests/test_3.py::test_3", "tests/test_plugin.py::test_plugin")
    watched.commands.clear()

    with_import, _ = measure(
        verifier, TextPatch("import", QUICK, {"part3.py": f"import math\n\n\n{CHANGED}"}), tmp_path, 60
    )

    # No run shows a test that executes an import.
    assert [bare(command) for command in watched.commands] == [False, True]
    assert with_import.verdict is Verdict.VERIFIED
    watched.commands.clear()

    unlikely = CHANGED + "\n\ndef other():\n    return 1\n"
    partly, _ = measure(verifier, TextPatch("partly", QUICK, {"part3.py": unlikely}), tmp_path, 60)

    # A line that the affected tests do not execute may be executed by others.
    assert [bare(command) for command in watched.commands] == [False, False]
    assert partly.verdict is Verdict.VERIFIED
    # What is known of who executes what is not lost by a bare run.
    known = Memory().suites.get(str(tmp_path), PYTEST).files["part3.py"].lines
    assert known.keys() == {"tests/test_3.py::test_3", "tests/test_plugin.py::test_plugin"}


def bare(command: tuple[str, ...]) -> bool:
    return "--no-coverage" in command
