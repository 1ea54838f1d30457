"""What end-to-end tests of verification share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from greenline.verify.verifier import SandboxVerifier


@pytest.fixture(scope="module")
def verifier() -> SandboxVerifier:
    """Return a verifier without an environment of somebody's: no plugins, and the toolbox's runner."""
    from verify_case import make_verifier

    return make_verifier()
