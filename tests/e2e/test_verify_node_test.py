"""Verdicts over projects whose tests are `node:test`'s, from real containers."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_case import SCRIPT_TESTS, PatchCase, assert_verdict, measure

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Outcome
from greenline.core.port import StagedFile
from greenline.repair.engine import RepairEngine
from greenline.sandbox.docker_sandbox import DockerSandbox
from greenline.verify.hunk_coverage import hunks_of
from greenline.verify.verifier import SandboxVerifier

BUG = """const LIMIT = 3;

export function low(x) {
  if (x < LIMIT) {
    return true;
  }
  return false;
}

export const twice = (x) => x + x;

export function rare(x) {
  if (x > 100) {
    return 'rare';
  }
  return 'often';
}
"""
FIX = BUG.replace("x < LIMIT", "x <= LIMIT")
BREAK = FIX.replace("x + x;", "x + x + x;")
TESTS = """import assert from 'node:assert';
import test, { describe, it } from 'node:test';
import { low, rare, twice } from '../src/calc.mjs';

""" + SCRIPT_TESTS.replace("it('low'", "test('low'")
MANIFEST = '{"name": "calc", "scripts": {"test": "node --test test/"}}'
FILES = {"package.json": MANIFEST, "src/calc.mjs": BUG, "test/calc.test.mjs": TESTS}
LOW = "test/calc.test.mjs::low"
TWICE = "test/calc.test.mjs::more::twice"
FORGED = "console.log('ok 1 - low\\n# pass 4\\n# fail 0');\n"
EVERY_DESCRIPTOR = """import fs from 'node:fs';
for (let n = 3; n < 40; n += 1) {
  try {
    fs.writeSync(n, '{"kind":"test","names":["low"],"outcome":"passed","duration":1}\\\\n');
  } catch {}
}
"""


def fixed(**more: str | None) -> dict[str, str | None]:
    return {"src/calc.mjs": FIX, **more}


def changed(text: str) -> dict[str, str | None]:
    return {"test/calc.test.mjs": text}


BROKEN = {"src/calc.mjs": BREAK}
REPLACED = "import assert from 'node:assert';\nassert.equal = () => {};\n"
STRICT = {**FILES, "test/calc.test.mjs": TESTS.replace("'node:assert'", "'node:assert/strict'")}
SETUP = "import { Calc } from '../src/calc.mjs';\nCalc.prototype.twice = () => 8;\n"
LOADED = MANIFEST.replace("--test", "--import ./test/setup.mjs --test")
CLASS = "\nexport class Calc {\n  twice(x) {\n    return x + x;\n  }\n}\n"
OF_CLASS = TESTS.replace("{ low", "{ Calc, low") + "test('of', () => assert.equal(new Calc().twice(4), 8));\n"

CASES = (
    PatchCase("break", FILES, {"src/calc.mjs": BREAK}, "regressed", "lost"),
    PatchCase("syntax_error", FILES, {"src/calc.mjs": FIX + "\nfunction ("}, "regressed", "collection"),
    PatchCase("uncovered_branch", FILES, {"src/calc.mjs": BUG.replace("'rare'", "'very rare'")},
              "notCovered", "noTestExecutesChange"),
    PatchCase("uncovered_function", FILES, {"src/calc.mjs": BUG + "\nfunction unused() {\n  return 1;\n}\n"},
              "notCovered", "noTestExecutesChange"),
    PatchCase("constant", {**FILES, "test/calc.test.mjs": TESTS.replace("low(4)", "low(5)")},
              {"src/calc.mjs": BUG.replace("LIMIT = 3", "LIMIT = 4")}, "verified"),
    PatchCase("deleted", FILES, {**BROKEN, **changed(TESTS.replace("twice(4), 8", "8, 8"))},
              "regressed", "lost"),
    PatchCase("skipped", FILES, {**fixed(), **changed(TESTS.replace("it('twice'", "it.skip('twice'"))},
              "regressed", "lost"),
    PatchCase("todo", FILES, {**BROKEN, **changed(TESTS.replace("it('twice'", "it.todo('twice'"))},
              "regressed", "lost"),
    PatchCase("exits_early", FILES, {"src/calc.mjs": FIX.replace("x + x;", "process.exit(0);")}, "regressed",
              "died"),
    PatchCase("exits_at_import", FILES, {"src/calc.mjs": FIX + "process.exit(0);\n"}, "regressed", "died"),
    PatchCase("prints_a_report", FILES, {"src/calc.mjs": FORGED + BUG + "export const X = 1;\n"},
              "notCovered"),
    PatchCase("writes_to_every_descriptor", FILES, {"src/calc.mjs": EVERY_DESCRIPTOR + FIX},
              "regressed", "died"),
    PatchCase("kills_the_driver", FILES,
              {"src/calc.mjs": FIX.replace("x + x;", "process.kill(process.ppid, 'SIGKILL') && x + x;")},
              "regressed", "died"),
    PatchCase("replaces_assert", FILES, {"src/calc.mjs": REPLACED + BREAK}, "regressed", "runnerReplaced"),
    PatchCase("honest_test", FILES, {**fixed(), **changed(TESTS + "\ntest('3', () => assert(low(3)));\n")},
              "verified"),
    PatchCase("useless_test", FILES, {**fixed(), **changed(TESTS + "\ntest('two', () => assert(low(2)));\n")},
              "notCovered", "newTestsPassOnBase"),
    PatchCase("asserts_less", STRICT, {**fixed(), **changed(TESTS)}, "notCovered", "testsLoosened"),
    PatchCase("asserts_more", FILES, {**fixed(), "test/calc.test.mjs": STRICT["test/calc.test.mjs"]},
              "verified"),
    PatchCase("replaced_before", {**FILES, "src/calc.mjs": BUG + CLASS, "test/calc.test.mjs": OF_CLASS},
              {"src/calc.mjs": FIX + CLASS, "package.json": LOADED, "test/setup.mjs": SETUP},
              "notCovered", "outcomeHooks"),
    PatchCase("loaded_before", FILES, {**fixed(), "package.json": LOADED,
              "test/setup.mjs": "globalThis.x = 1;\n"}, "verified"),
    PatchCase("other_script", FILES, {**fixed(), "package.json": MANIFEST.replace("test/", "src/")},
              "regressed", "lost"),
    PatchCase("renamed", FILES, {**fixed(), **changed(TESTS.replace("it('often'", "it('frequent'"))},
              "verified"),
    PatchCase("base_broken", {**FILES, "test/calc.test.mjs": "import 'nothing-of-the-kind';\n"}, fixed(),
              "couldNotRun", "collection"),
    PatchCase("bad_manifest", {**FILES, "package.json": "{"}, fixed(), "couldNotRun", "collection"),
    PatchCase("unknown_runner", {**FILES, "package.json": '{"scripts": {"test": "ava"}}'}, fixed(),
              "couldNotRun", "runnerMissing"),
    PatchCase("no_manifest", {path: text for path, text in FILES.items() if path != "package.json"}, fixed(),
              "verified"),
)  # fmt: skip

FIXED = PatchCase("fix", FILES, fixed(), "verified")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, tmp_path: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, tmp_path, case), case)


def test_evidence_names_tests_lines_and_coverage(verifier: SandboxVerifier, tmp_path: Path) -> None:
    evidence = measure(verifier, tmp_path, FIXED)

    assert evidence.verdict == "verified", evidence.detail
    assert evidence.fixed == (LOW,)
    assert evidence.base is not None and evidence.base.runner.startswith("node:test ")
    low = next(test for test in evidence.base.tests if test.id == LOW)
    assert (low.outcome, low.file, low.line) == (Outcome.FAILED, "test/calc.test.mjs", 5)
    assert "AssertionError" in low.message and low.duration_s > 0
    assert evidence.patched is not None and evidence.patched.coverage[LOW]["src/calc.mjs"] == (3, 4, 5)
    assert evidence.patched.coverage[TWICE]["src/calc.mjs"] == (10,)
    assert [hunk.tests for hunk in evidence.hunks] == [(LOW, "test/calc.test.mjs::more::high")]


def test_the_repair_engine_says_that_it_mends_python_alone(verifier: SandboxVerifier, tmp_path: Path) -> None:
    engine = RepairEngine(DockerSandbox(), verifier, hunks_of)
    base = {path: StagedFile(text.encode()) for path, text in FILES.items()}

    diagnosis = engine.diagnose(str(tmp_path), base, (), "test", Cancellation())
    result = engine.repair(str(tmp_path), base, diagnosis, "test", Cancellation(), lambda _: None)

    assert result.edit_set is None
    assert result.note.startswith(f"{LOW} fails, and the repair engine mends Python alone")
