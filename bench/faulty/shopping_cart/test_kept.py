import pytest
from program import Cart


def test_new_cart_is_empty_each_time():
    for _ in range(3):
        cart = Cart()
        assert cart.items == {}
        cart.add("apple")
        assert cart.items == {"apple": 1}


def test_given_items_are_used():
    items = {"milk": 1}
    cart = Cart(items)
    assert cart.subtotal() == 110
    cart.add("milk")
    assert cart.subtotal() == 220


def test_empty_dictionary_given_by_caller():
    cart = Cart({})
    cart.add("bread")
    assert Cart().items == {}
    assert cart.items == {"bread": 1}


def test_coupon_only():
    cart = Cart(coupon="TENOFF")
    cart.add("cheese", 2)
    assert cart.total() == 1040 - 104 + 390
    assert Cart(coupon="TENOFF").total() == 0


def test_unknown_coupon():
    assert Cart({"apple": 1}, coupon="NOPE").total() == 420


def test_shipping_limit():
    assert Cart({"bread": 8}).shipping() == 0
    assert Cart({"bread": 7}).shipping() == 390
    assert Cart().shipping() == 0


def test_remove_all():
    cart = Cart({"apple": 3})
    cart.remove("apple")
    assert cart.items == {}
    with pytest.raises(KeyError):
        cart.remove("apple")


def test_remove_more_than_held():
    cart = Cart({"apple": 3})
    cart.remove("apple", 3)
    assert cart.items == {}


def test_unknown_product():
    with pytest.raises(KeyError):
        Cart().add("caviar")
    assert Cart().items == {}
