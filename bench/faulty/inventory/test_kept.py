import pytest
from program import Inventory, OutOfStock


def make(**levels):
    inventory = Inventory()
    for sku, (level, minimum) in levels.items():
        inventory.register(sku, minimum=minimum)
        inventory.receive(sku, level)
    return inventory


def test_minimum_is_enough():
    assert make(a=(5, 5), b=(4, 5), c=(6, 5)).low_stock() == ["b"]


def test_low_stock_is_sorted():
    assert make(z=(0, 1), m=(0, 1), a=(1, 1), b=(2, 3)).low_stock() == ["b", "m", "z"]


def test_reservation_is_not_low_stock():
    inventory = make(a=(6, 5))
    inventory.reserve("a", 6)
    assert inventory.low_stock() == []
    assert inventory.free("a") == 0


def test_zero_minimum():
    assert make(a=(0, 0)).low_stock() == []


def test_reserve_ship_reserve():
    inventory = make(a=(10, 1))
    inventory.reserve("a", 10)
    inventory.ship("a", 4)
    assert inventory.items["a"]["on_hand"] == 6
    assert inventory.items["a"]["reserved"] == 6
    with pytest.raises(OutOfStock):
        inventory.reserve("a", 1)
    inventory.ship("a", 6)
    assert inventory.items["a"]["on_hand"] == 0
    assert inventory.items["a"]["reserved"] == 0
    assert inventory.low_stock() == ["a"]


def test_ship_too_much():
    inventory = make(a=(10, 1))
    inventory.reserve("a", 2)
    with pytest.raises(OutOfStock, match="only 2 of a are reserved"):
        inventory.ship("a", 3)
    assert inventory.items["a"]["on_hand"] == 10


def test_receive_adds():
    inventory = make(a=(1, 5))
    inventory.receive("a", 4)
    assert inventory.items["a"]["on_hand"] == 5
    assert inventory.low_stock() == []


def test_register_twice():
    with pytest.raises(ValueError):
        make(a=(1, 1)).register("a")


def test_defaults():
    inventory = Inventory()
    inventory.register("x", location="B7")
    assert inventory.items["x"] == {"sku": "x", "on_hand": 0, "reserved": 0, "minimum": 5, "location": "B7"}
