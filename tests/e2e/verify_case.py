"""One patch over one small project, and the evidence that the real sandbox gives for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import attrs
from bench.text_patch import TextPatch

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.verifier import SandboxVerifier


@attrs.frozen
class PatchCase(TextPatch):
    """A change, and the verdict that it must get."""

    verdict: str
    reason: str = ""
    checks: tuple[str, ...] = ()


BUG = """LIMIT = 3


def low(x):
    if x < LIMIT:
        return True
    return False


def twice(x):
    return x + x
"""
TESTS = """from calc import low, twice


def test_low():
    assert low(3)


def test_high():
    assert not low(4)


def test_twice():
    assert twice(4) == 8
"""
"""Tests of `BUG`, of which the first fails."""
SCRIPT_TESTS = """it('low', () => {
  assert.equal(low(3), true);
});

describe('more', () => {
  it('high', () => {
    assert.equal(low(4), false);
  });
  it('twice', async () => {
    assert.equal(twice(4), 8);
  });
  it('often', () => {
    assert.equal(rare(1), 'often');
  });
});
"""
"""Tests of JavaScript for any of its runners; what they import comes first."""


def make_verifier(**options: Any) -> SandboxVerifier:
    """Return a verifier over the system's own interpreter, without an environment of somebody's."""
    kept = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    sandbox = DockerSandbox(SandboxSettings(environment={**kept, "PATH": "/usr/bin:/bin"}))
    return SandboxVerifier(sandbox, **options)


def measure(
    verifier: SandboxVerifier, root: Path, case: PatchCase, wall_s: float = 60, label: str = "test"
) -> Evidence:
    """Verify the case's patch in the project at `root`, whose files need not be there."""
    request = case.request(root, label, wall_s, case.checks)
    return verifier.verify(request, Cancellation(), lambda _: None)


def assert_verdict(evidence: Evidence, case: PatchCase) -> None:
    """Compare the verdict, and the reason where the case names one; a failure shows the whole evidence."""
    seen = (evidence.verdict.value, evidence.reason if case.reason else "")
    assert seen == (case.verdict, case.reason), (
        evidence.reason,
        evidence.detail,
        evidence.base,
        evidence.patched,
        evidence.new_tests,
        evidence.old_tests,
    )
