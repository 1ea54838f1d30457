"""No mean patch is called verified, and every honest one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.patch_case import CASES, PatchCase
from bench.patches import verify

from greenline.verify.verifier import SandboxVerifier


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_patch_gets_the_verdict_that_it_deserves(
    case: PatchCase, verifier: SandboxVerifier, tmp_path: Path
) -> None:
    evidence = verify(case, tmp_path, verifier)

    shown = (evidence.verdict.value, evidence.reason, evidence.detail, evidence.base, evidence.patched)
    assert (evidence.verdict.value == "verified") is case.honest, shown


def test_there_are_enough_of_both() -> None:
    assert len(CASES) >= 40
    assert 3 * sum(case.honest for case in CASES) >= len(CASES)
