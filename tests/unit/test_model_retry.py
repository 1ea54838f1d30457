"""Waiting for a busy server: in seconds, until a date, or growing; bounded, and never for a refused key."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.model.retry import MAX_TRIES, MAX_WAIT_S, seconds_asked, wait_before

CASE = Path(__file__).parents[1] / "data" / "agent" / "cases" / "60-retry-after"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Refusal(Exception):
    """An error in the form in which litellm hands it on."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__("slow down")
        self.status_code = status
        self.litellm_response_headers = {name.replace("_", "-"): value for name, value in headers.items()}


def test_each_answer_of_the_case_is_waited_for_as_it_asks() -> None:
    replies = json.loads((CASE / "http.json").read_text())
    expected = json.loads((CASE / "expected.json").read_text())
    date = format_datetime(datetime.fromtimestamp(NOW.timestamp() + 4, UTC), usegmt=True)
    waits = []
    for attempt, reply in enumerate(replies[:-1], 1):
        header = reply["headers"].get("Retry-After", "").replace("HTTP-date now+4s", date)
        waits.append(wait_before(Refusal(reply["status"], retry_after=header), attempt, NOW.timestamp()))

    for wait, least in zip(waits, expected["min_wait_s"], strict=True):
        assert wait is not None
        assert least <= wait <= MAX_WAIT_S
    assert expected["attempts"] == MAX_TRIES
    assert wait_before(Refusal(429), MAX_TRIES) is None
    for status in expected["no_retry_on"]:
        assert wait_before(Refusal(status, retry_after="1"), 1) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("-1", 0.0),
        ("Sun, 01 Mar 2026 12:00:04 GMT", 4.0),
        ("Sun, 01 Mar 2026 12:00:04 -0000", 4.0),
        ("Sun, 01 Mar 2026 13:00:04 +0100", 4.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("", None),
    ],
)
def test_header_is_read_in_seconds_and_as_a_date(header: str, seconds: float | None) -> None:
    assert seconds_asked(header, NOW.timestamp()) == seconds


def test_server_that_asks_for_too_much_is_not_asked_again() -> None:
    assert wait_before(Refusal(429, retry_after="31"), 1) is None


@given(st.text())
def test_any_header_is_a_wait_or_none(header: str) -> None:
    seconds = seconds_asked(header, NOW.timestamp())

    assert seconds is None or seconds >= 0
