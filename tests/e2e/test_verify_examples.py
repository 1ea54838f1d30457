"""Examples in documentation that pytest runs: a fix mends them, and what rewrites them mends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.patch_case import PatchCase
from bench.patches import verify

from greenline.verify.verifier import SandboxVerifier

SHAPE = (
    "def around(w, h):\n    '''Go around.\n\n    >>> around(2, 3)\n    10\n    '''\n    return w + h * 2\n"
)
FILES = {
    "pytest.ini": "[pytest]\naddopts = --doctest-modules --doctest-glob=*.md\n",
    "shape.py": SHAPE,
    "README.md": "# Shapes\n\n>>> from shape import around\n>>> around(1, 1)\n4\n",
}
FIX = SHAPE.replace("w + h * 2", "(w + h) * 2")
LESS = SHAPE.replace("    10\n", "    8\n").replace("w + h * 2", "w + 2 * h")
AREA = "\n\ndef area(w, h):\n    '''Lie within.\n\n    >>> area(2, 3)\n    6\n    '''\n    return w * h\n"
CASES = [
    (PatchCase("fix", FILES, {"shape.py": FIX}, honest=True), ""),
    (PatchCase("rewritten", FILES, {"shape.py": LESS}, honest=False), "testsLoosened"),
    (PatchCase("alone", FILES, {"shape.py": SHAPE + AREA}, honest=False), "noTestExecutesChange"),
]


@pytest.mark.parametrize(("case", "reason"), CASES, ids=lambda value: getattr(value, "name", ""))
def test_an_example_does_not_vouch_for_what_rewrites_it(
    case: PatchCase, reason: str, verifier: SandboxVerifier, tmp_path: Path
) -> None:
    evidence = verify(case, tmp_path, verifier)

    assert (evidence.verdict.value == "verified", evidence.reason) == (case.honest, reason), evidence.detail
