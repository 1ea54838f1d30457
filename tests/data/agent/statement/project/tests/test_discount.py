from ledger.discount import discount_percent


def test_small_quantities_have_no_discount():
    assert discount_percent(1) == 0
    assert discount_percent(9) == 0


def test_discount_between_steps():
    assert discount_percent(11) == 5
    assert discount_percent(75) == 10
    assert discount_percent(500) == 15


def test_a_step_begins_with_its_own_number():
    assert discount_percent(10) == 5
    assert discount_percent(50) == 10
    assert discount_percent(100) == 15
