import pytest
from program import Line, invoice_total, percent_of


def test_empty_invoice():
    assert invoice_total([], 20, 10) == {"subtotal": 0, "discount": 0, "tax": 0, "total": 0}


def test_only_untaxed():
    bill = invoice_total([Line("stamp", 3, 110, taxable=False)], 25)
    assert bill == {"subtotal": 330, "discount": 0, "tax": 0, "total": 330}


def test_mixed_with_discount():
    lines = [Line("a", 1, 1000), Line("b", 1, 3000, taxable=False)]
    bill = invoice_total(lines, 20, 10)
    assert bill == {"subtotal": 4000, "discount": 400, "tax": 180, "total": 3780}


def test_full_discount():
    assert invoice_total([Line("a", 4, 25)], 19, 100)["total"] == 0


def test_discount_does_not_change_subtotal():
    assert invoice_total([Line("a", 4, 25)], 0, 50) == {"subtotal": 100, "discount": 50, "tax": 0, "total": 50}


@pytest.mark.parametrize(
    "cents, percent, expected", [(0, 50, 0), (49, 1, 0), (50, 1, 1), (149, 1, 1), (333, 10, 33), (335, 10, 34)]
)
def test_percent_of(cents, percent, expected):
    assert percent_of(cents, percent) == expected


def test_odd_cents():
    bill = invoice_total([Line("a", 3, 333), Line("b", 1, 1, taxable=False)], 7, 5)
    assert bill["subtotal"] == 1000
    assert bill["discount"] == 50
    assert bill["tax"] == percent_of(999 - percent_of(999, 5), 7)
    assert bill["total"] == 950 + bill["tax"]
