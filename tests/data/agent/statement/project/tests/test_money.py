import pytest

from ledger.money import format_cents, parse_cents, percent_of


def test_parse_whole_and_fraction():
    assert parse_cents("12.50") == 1250
    assert parse_cents("12.5") == 1250


def test_parse_negative():
    assert parse_cents("-0.99") == -99


def test_parse_refuses_thousandths():
    with pytest.raises(ValueError, match="more than two decimals"):
        parse_cents("1.005")


def test_format_pads_cents():
    assert format_cents(1205) == "12.05"


def test_percent_rounds_half_up():
    assert percent_of(50, 19) == 10
    assert percent_of(1000, 19) == 190
