"""Verdicts over projects whose tests are jest's, vitest's or mocha's, from real containers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import attrs
import pytest
from verify_case import SCRIPT_TESTS, PatchCase, assert_verdict, measure

from greenline.core.evidence import Outcome
from greenline.verify.verifier import SandboxVerifier

RUNTIMES = Path(__file__).parents[2] / ".venv" / "runtimes" / "node_modules"
"""What `bin/runtimes` has installed."""
LATEST = RUNTIMES.parent / "latest" / "node_modules"
"""The same runners, years later."""
_LATEST_NODE = (20, 19)
"""What the latest mocha needs."""

TYPED = """interface Options {
  limit: number;
}

const LIMIT = 3;

export function low(x: number, options: Options = { limit: LIMIT }): boolean {
  if (x < options.limit) {
    return true;
  }
  return false;
}

export const twice = (x: number): number => x + x;

export function rare(x: number): string {
  if (x > 100) {
    return 'rare';
  }
  return 'often';
}
"""
PLAIN = """const LIMIT = 3;

function low(x) {
  const options = { limit: LIMIT };
  if (x < options.limit) {
    return true;
  }
  return false;
}

const twice = (x) => x + x;

function rare(x) {
  if (x > 100) {
    return 'rare';
  }
  return 'often';
}

module.exports = { low, twice, rare };
"""
CJS = "const assert = require('node:assert');\nconst { low, rare, twice } = require('../src/calc');"
ESM = (
    "import assert from 'node:assert';\nimport { describe, it } from 'vitest';\n"
    "import { low, rare, twice } from '../src/calc';"
)


def node_version() -> tuple[int, ...]:
    said = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout
    return tuple(int(part) for part in said.strip().removeprefix("v").split("."))


@attrs.frozen
class Kind:
    """How one runner's projects look."""

    runner: str
    script: str
    product: str
    text: str
    test: str
    head: str

    @property
    def files(self) -> dict[str, str]:
        manifest = json.dumps({"name": "calc", "scripts": {"test": self.script}})
        return {"package.json": manifest, self.product: self.text, self.test: self.tests}

    @property
    def tests(self) -> str:
        return f"{self.head}\n\n{SCRIPT_TESTS}"

    @property
    def fix(self) -> str:
        return self.text.replace("x < options", "x <= options")

    def case(
        self, name: str, product: str, verdict: str, reason: str = "", tests: str | None = None
    ) -> PatchCase:
        patch: dict[str, str | None] = {self.product: product}
        if tests is not None:
            patch[self.test] = tests
        return PatchCase(f"{self.runner}-{name}", self.files, patch, verdict, reason)


KINDS = (
    Kind("jest", "jest", "src/calc.js", PLAIN, "test/calc.test.js", CJS),
    Kind("vitest", "vitest run", "src/calc.ts", TYPED, "test/calc.test.ts", ESM),
    Kind("mocha", "NODE_ENV=test mocha 'test/**/*.js'", "src/calc.js", PLAIN, "test/calc.test.js", CJS),
)


def cases(kind: Kind) -> list[PatchCase]:
    fix, tests = kind.fix, kind.tests
    broken = fix.replace("x + x", "x + x + x")
    printed = "console.log(JSON.stringify({ numFailedTests: 0, success: true }));\n"
    # vitest takes a call of `process.exit` for a failure of the test.
    how = "" if kind.runner == "vitest" else "died"
    rare = kind.text.replace("'rare'", "'very rare'")
    replaced = "require('mocha').Runner.prototype.fail = () => {};\n" + broken
    only = tests.replace("it('low'", "it.only('low'")
    skipped = tests.replace("it('twice'", "it.skip('twice'")
    honest = tests + "\nit('3', () => assert(low(3)));\n"
    useless = tests + "\nit('2', () => assert(low(2)));\n"
    # What a report is worth is the runner's own; what is made of it is the same for all, and tested once.
    own = {
        "jest": [
            kind.case("prints", printed + rare, "notCovered"),
            kind.case("skipped", fix, "regressed", "lost", skipped),
        ],
        "vitest": [
            kind.case("honest_test", fix, "verified", "", honest),
            kind.case("skipped", fix, "regressed", "lost", skipped),
        ],
        "mocha": [
            kind.case("replaces", replaced, "regressed", "runnerReplaced"),
            kind.case("only", fix, "regressed", "lost", only),
            kind.case("useless_test", fix, "notCovered", "newTestsPassOnBase", useless),
        ],
    }
    return [
        *own[kind.runner],
        kind.case("break", broken, "regressed", "lost"),
        kind.case("syntax_error", fix + "\nfunction (", "regressed", "collection"),
        kind.case("uncovered", rare, "notCovered", "noTestExecutesChange"),
        kind.case("exits", fix.replace("x + x", "process.exit(0) || x + x"), "regressed", how),
    ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "node_modules").symlink_to(RUNTIMES)
    return tmp_path


@pytest.mark.parametrize("case", [case for kind in KINDS for case in cases(kind)], ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, root: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, root, case), case)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.runner)
def test_evidence_names_tests_lines_and_coverage(verifier: SandboxVerifier, root: Path, kind: Kind) -> None:
    evidence = measure(verifier, root, kind.case("fix", kind.fix, "verified"))

    assert evidence.verdict == "verified", evidence.detail
    low = f"{kind.test}::low"
    assert evidence.fixed == (low,)
    assert evidence.base is not None and evidence.base.runner.startswith(f"{kind.runner} ")
    result = next(test for test in evidence.base.tests if test.id == low)
    line = kind.tests.split("\n").index("it('low', () => {") + 1
    assert (result.outcome, result.file, result.line) == (Outcome.FAILED, kind.test, line)
    assert "Assertion" in result.message or "assert" in result.message
    changed = kind.text.split("\n").index(next(t for t in kind.text.split("\n") if "x < options" in t)) + 1
    assert evidence.patched is not None and changed in evidence.patched.coverage[low][kind.product]
    assert evidence.patched.coverage_of == "test"
    assert [hunk.tests for hunk in evidence.hunks] == [(low, f"{kind.test}::more::high")]


@pytest.mark.skipif(node_version() < _LATEST_NODE, reason="the latest runners need a newer Node")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.runner)
def test_the_latest_runner_tells_the_same(verifier: SandboxVerifier, tmp_path: Path, kind: Kind) -> None:
    (tmp_path / "node_modules").symlink_to(LATEST)
    cases = [
        kind.case("fix", kind.fix, "verified"),
        kind.case(
            "uncovered", kind.text.replace("'rare'", "'very rare'"), "notCovered", "noTestExecutesChange"
        ),
        kind.case("syntax_error", kind.fix + "\nfunction (", "regressed", "collection"),
    ]
    for case in cases:
        evidence = measure(verifier, tmp_path, case)

        assert_verdict(evidence, case)
        assert evidence.base is not None and len(evidence.base.tests) == SCRIPT_TESTS.count("it(")


def test_a_runner_that_is_not_installed_is_named(verifier: SandboxVerifier, tmp_path: Path) -> None:
    evidence = measure(verifier, tmp_path, KINDS[0].case("fix", KINDS[0].fix, "verified"))

    assert (evidence.verdict, evidence.reason) == ("couldNotRun", "runnerMissing")
    assert "jest is not installed" in evidence.detail


def test_a_package_of_a_workspace_is_run_in_its_folder(verifier: SandboxVerifier, tmp_path: Path) -> None:
    (tmp_path / "packages" / "a").mkdir(parents=True)
    (tmp_path / "packages" / "a" / "node_modules").symlink_to(RUNTIMES)
    inside = {f"packages/a/{path}": text for path, text in KINDS[2].files.items()}
    files = {"package.json": '{"workspaces": ["packages/*"]}', "tool.py": "X = 1\n", **inside}
    patch: dict[str, str | None] = {"packages/a/src/calc.js": KINDS[2].fix}

    evidence = measure(verifier, tmp_path, PatchCase("workspace", files, patch, "verified"))

    assert evidence.verdict == "verified", evidence.detail
    assert evidence.fixed == ("packages/a/test/calc.test.js::low",)
