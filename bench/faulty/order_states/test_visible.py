import pytest
from program import InvalidMove, Order, replay


def test_new_order():
    order = Order(1)
    assert order.allowed() == ["cancel", "pay"]
    assert not order.closed


def test_normal_life():
    order = replay(1, ["pay", "ship", "deliver"])
    assert order.state == "delivered"
    assert order.log == [("new", "paid"), ("paid", "shipped"), ("shipped", "delivered")]


def test_paid_order_must_be_shipped_first():
    with pytest.raises(InvalidMove):
        replay(2, ["pay", "deliver"])


def test_cancelled_is_final():
    assert replay(3, ["cancel"]).closed
