from program import Line, invoice_total, percent_of


def test_percent_rounds_half_up():
    assert percent_of(250, 1) == 3


def test_plain_invoice():
    bill = invoice_total([Line("pen", 10, 120)], tax_percent=20)
    assert bill == {"subtotal": 1200, "discount": 0, "tax": 240, "total": 1440}


def test_untaxed_lines_carry_no_tax():
    bill = invoice_total([Line("book", 2, 1000, taxable=False), Line("pen", 1, 500)], tax_percent=10)
    assert bill["tax"] == 50
    assert bill["total"] == 2550


def test_tax_is_due_after_discount():
    bill = invoice_total([Line("chair", 1, 10000)], tax_percent=20, discount_percent=25)
    assert bill["tax"] == 1500
    assert bill["total"] == 9000
