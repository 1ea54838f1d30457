import pytest
from program import Trip, share


def test_odd_cents():
    assert share(100, ["a", "b", "c"]) == {"a": 34, "b": 33, "c": 33}


def test_balances():
    trip = Trip("ann", "bob")
    trip.pay("ann", 500)
    assert trip.balances() == {"ann": 250, "bob": -250}


def test_settle():
    trip = Trip("ann", "bob", "cy")
    trip.pay("ann", 900)
    trip.pay("bob", 300)
    assert trip.settle() == [("cy", "ann", 400), ("bob", "ann", 100)]


def test_nothing_to_settle():
    assert Trip("ann").settle() == []


def test_stranger():
    with pytest.raises(ValueError):
        Trip("ann").pay("zed", 100)
