"""What the mask removes, and what it leaves alone."""

from __future__ import annotations

import pytest

from greenline.guard.secrets import MASK, mask


@pytest.mark.parametrize(
    "secret",
    ["AKIA" + "IOSFODNN7EXAMPLE", "ghp_" + "a1B2" * 9, "sk_live_" + "a1B2c3D4" * 3],
)
def test_a_known_token_is_masked(secret: str) -> None:
    assert mask(f"before {secret} after\nnext") == f"before {MASK} after\nnext"


def test_a_private_key_is_removed_whole() -> None:
    edge = "RSA PRIVATE " + "KEY-----"

    masked = mask(f"a\n-----BEGIN {edge}\nMIIE\n-----END {edge}\nb")

    assert masked == f"a\n{MASK}\nb"


def test_test_output_stays() -> None:
    text = "FAILED tests/test_a.py::test_b[1-deadbeef] - assert 3 == 4\nE   +3\n"

    assert mask(text) == text
