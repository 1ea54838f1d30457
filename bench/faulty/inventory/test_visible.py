import pytest
from program import Inventory, OutOfStock


@pytest.fixture
def stock():
    inventory = Inventory()
    inventory.register("bolt", minimum=10)
    inventory.register("nut")
    inventory.receive("bolt", 12)
    inventory.receive("nut", 5)
    return inventory


def test_reserve(stock):
    stock.reserve("bolt", 8)
    assert stock.free("bolt") == 4
    with pytest.raises(OutOfStock):
        stock.reserve("bolt", 5)


def test_ship(stock):
    stock.reserve("bolt", 8)
    stock.ship("bolt", 6)
    assert stock.items["bolt"]["on_hand"] == 6
    assert stock.free("bolt") == 4


def test_low_stock(stock):
    assert stock.low_stock() == []
    stock.register("gear", minimum=1)
    assert stock.low_stock() == ["gear"]


def test_low_stock_after_shipping(stock):
    stock.reserve("bolt", 3)
    stock.ship("bolt", 3)
    assert stock.low_stock() == ["bolt"]


def test_only_reserved_goods_are_shipped(stock):
    with pytest.raises(OutOfStock):
        stock.ship("nut", 1)
