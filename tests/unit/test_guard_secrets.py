"""Masking: key-shaped text goes, ordinary code stays, and twice is the same as once."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.guard.secrets import MASK, _pieces, known_secrets, mask, masking

CASES = Path(__file__).parents[1] / "data" / "agent" / "cases"

# The shapes are joined at run time, so that no scanner takes this file for a leak.
TOKENS = [
    "gh" + "p_" + "a1B2c3D4e5F6" * 3,
    "AK" + "IA" + "Z7Q2M4X9K1L8P3R5",
    "sk" + "-proj-" + "abc123DEF456ghi789JKL0",
    "xo" + "xb-" + "1234567890-abcdefGHIJ",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("form", ["{}", "key = '{}'", "GET /?key={}&x=1", "Authorization: Bearer {}"])
def test_tokens_are_masked_once_and_for_all(token: str, form: str) -> None:
    masked = mask(form.format(token))

    assert token not in masked
    assert MASK in masked
    assert mask(masked) == masked


def test_a_private_key_goes_as_a_whole() -> None:
    kind = "RSA PRIVATE" + " KEY"
    text = f"before\n-----BEGIN {kind}-----\nMIIabc\n-----END {kind}-----\nafter\n"

    assert mask(text) == f"before\n{MASK}\nafter\n"


def test_known_values_go_in_every_spelling() -> None:
    key = "FAKE-key-0123456789"
    text = f"{key} {base64.b64encode(key.encode()).decode()}"

    assert key not in mask(text, [key])
    assert base64.b64encode(key.encode()).decode() not in mask(text, [key])


@pytest.mark.parametrize(
    "text",
    [
        "def token_count(password: str) -> int:\n    return len(password)\n",
        "FAILED tests/test_auth.py::test_password[long-name] - AssertionError: assert token == 'abc'\n",
        "secret = os.environ['SERVICE_SECRET']\ntoken = self.tokenizer.next_token()\n",
        "sha256 = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
        "the bearer of this message; skeleton-key; risk-averse-and-long-hyphenated-word\n",
    ],
)
def test_ordinary_code_stays(text: str) -> None:
    assert mask(text) == text


def test_known_values_are_masked_wherever_they_stand() -> None:
    case = json.loads((CASES / "53-key-in-config-dump" / "scenario.json").read_text())
    key = case["join_with"].join(case["fake_key_parts"])
    hide = masking(known_secrets({"SOME_API_KEY": key, "HOME": "/home/ada"}, "another-key-of-9"))
    encoded = base64.b64encode(key.encode()).decode()
    texts = (
        f"Settings(api_key='{key}')",
        f"https://example.org/v1?key={key}",
        f"Authorization: Bearer {key}",
        f"ValueError: bad key {key}",
        f"SOME_API_KEY={key} another-key-of-9",
        encoded,
    )

    for text in texts:
        shown = hide(text)
        kept = case["expect"]["prefix_kept_chars_max"] + 1
        assert key[:kept] not in shown
        assert encoded.rstrip("=") not in shown
        assert "another-key" not in shown
    assert hide("in /home/ada") == "in /home/ada"


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("OPENAI_API_KEY", "abc-123-def", True),
        ("DB_PASSWORD", "correct-horse", True),
        ("DATABASE_DSN", "postgres://ada:x1y2z3@db/app", True),
        ("GITHUB_TOKEN", "tok_12345678", True),
        ("API_TOKENS", "tok_12345678", True),
        ("SSH_AUTH_SOCK", "/run/agent.sock", False),
        ("TOKEN_URL", "https://example.org/token", False),
        ("SECRET_MODE", "disabled", False),
        ("PASSWORD", "short1", False),
        ("KEYBOARD", "us-intl-2024", False),
        ("AUTHOR", "ada-lovelace", False),
    ],
)
def test_variables_that_look_like_secrets_are_known(name: str, value: str, is_secret: bool) -> None:
    assert known_secrets({name: value}) == ((value,) if is_secret else ())


@pytest.mark.parametrize(
    "shown",
    [
        "AssertionError: FAKE-key-0123456789-abcdefAB...",
        "'FAKE-key-01234...bcdefABCDEF'",
        "FAKE-key-0123456789-abcdefABCDEF",
    ],
)
def test_known_value_that_a_report_cuts_short_is_masked(shown: str) -> None:
    text = mask(shown, known=("FAKE-key-0123456789-abcdefABCDEF",))

    assert "FAKE" not in text
    assert "01234" not in text
    assert "ABCDEF" not in text
    assert mask(text, known=("FAKE-key-0123456789-abcdefABCDEF",)) == text


def test_scheme_of_a_known_address_stays() -> None:
    assert mask("postgres://ada is one", known=("postgres://ada:x1y2z3@db.example.org/app",)) == (
        "postgres://ada is one"
    )


@pytest.mark.parametrize(
    "shown",
    ["GET /?key=pa%2Fss%40w0rd%22%5Cx1&x=1", '{"key": "pa/ss@w0rd\\"\\\\x1"}', 'repr: pa/ss@w0rd"\\x1'],
)
def test_known_value_goes_in_an_address_and_in_json_too(shown: str) -> None:
    text = mask(shown, known=('pa/ss@w0rd"\\x1',))

    assert "w0rd" not in text
    assert MASK in text


@given(
    secret=st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=24, max_size=60),
    before=st.text("XYZ \n", max_size=40),
    after=st.text("XYZ \n", max_size=40),
    data=st.data(),
)
def test_whatever_stands_around_it_a_known_value_goes_whole_or_cut(
    secret: str, before: str, after: str, data: st.DataObject
) -> None:
    length = data.draw(st.integers(len(secret) // 3, len(secret)))
    cut = data.draw(st.sampled_from([secret[:length], secret[-length:]]))

    assert mask(f"{before}{cut}{after}", known=(secret, "another-one-12345")) == f"{before}{MASK}{after}"


@given(before=st.integers(0, 9000), width=st.sampled_from((40, 200, 100_000)))
def test_a_password_in_an_address_is_masked_wherever_a_text_is_cut_for_the_detectors(
    before: int, width: int
) -> None:
    filled = "".join("\n" if place % width == width - 1 else "x" for place in range(before))
    text = f"{filled} postgres://app:hunter2-secret@db/x {'y' * 9000}"

    assert "hunter2" not in mask(text)


def test_what_takes_a_detector_the_square_of_its_length_is_cut() -> None:
    assert max(map(len, _pieces("://" * 50_000))) < 5000
    assert "".join(_pieces("one\n" * 5000)) == "one\n" * 5000
