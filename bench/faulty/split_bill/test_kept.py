import pytest
from program import Trip, share


@pytest.mark.parametrize(
    "amount, n, parts",
    [(0, 3, [0, 0, 0]), (9, 3, [3, 3, 3]), (10, 4, [3, 3, 2, 2]), (1, 2, [1, 0]), (11, 3, [4, 4, 3]), (7, 1, [7])],
)
def test_share(amount, n, parts):
    result = share(amount, list("abcd")[:n])
    assert list(result.values()) == parts


def test_among_some():
    trip = Trip("a", "b", "c")
    trip.pay("a", 100, among=["b", "c"])
    assert trip.balances() == {"a": 100, "b": -50, "c": -50}
    assert trip.settle() == [("b", "a", 50), ("c", "a", 50)]


def test_payer_alone():
    trip = Trip("a", "b")
    trip.pay("a", 70, among=["a"])
    assert trip.balances() == {"a": 0, "b": 0}
    assert trip.settle() == []


def test_balances_sum_to_zero():
    trip = Trip("a", "b", "c", "d")
    for index, payer in enumerate("abcdabca"):
        trip.pay(payer, 1000 + 37 * index)
    assert sum(trip.balances().values()) == 0


def test_settling_pays_everyone():
    trip = Trip("a", "b", "c", "d", "e")
    trip.pay("a", 1001)
    trip.pay("b", 2003, among=["c", "d"])
    trip.pay("e", 50, among=["a", "b", "e"])
    balances = trip.balances()
    payments = trip.settle()
    assert len(payments) < 5
    for debtor, creditor, cents in payments:
        assert cents > 0
        balances[debtor] += cents
        balances[creditor] -= cents
    assert set(balances.values()) == {0}


def test_order_of_payments():
    trip = Trip("a", "b", "c")
    trip.pay("a", 50, among=["b"])
    trip.pay("a", 20, among=["c"])
    assert trip.settle() == [("b", "a", 50), ("c", "a", 20)]


def test_strangers():
    trip = Trip("a", "b")
    with pytest.raises(ValueError, match="c is not on the trip"):
        trip.pay("c", 1)
    assert trip.expenses == []


def test_mutual_debts_cancel():
    trip = Trip("a", "b")
    trip.pay("a", 30)
    trip.pay("b", 30)
    assert trip.settle() == []
