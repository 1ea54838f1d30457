from datetime import date

import pytest

from ledger import Invoice

ISSUED = date(2024, 5, 2)


def test_totals_of_one_line():
    invoice = Invoice("Ada", ISSUED).add("paper", 2, 499)

    assert invoice.net() == 998
    assert invoice.tax() == 190
    assert invoice.gross() == 1188


def test_discount_applies_to_each_line():
    invoice = Invoice("Ada", ISSUED).add("pens", 20, 100).add("ink", 1, 1500)

    assert invoice.net() == 1900 + 1500


def test_a_line_needs_pieces():
    with pytest.raises(ValueError, match="at least one piece"):
        Invoice("Ada", ISSUED).add("paper", 0, 499)


def test_due_two_weeks_later():
    assert Invoice("Ada", ISSUED).due() == date(2024, 5, 16)


def test_the_last_day_is_not_overdue():
    invoice = Invoice("Ada", ISSUED)

    assert not invoice.overdue(date(2024, 5, 16))
    assert invoice.overdue(date(2024, 5, 17))
