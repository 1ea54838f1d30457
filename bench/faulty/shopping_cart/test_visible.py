from program import Cart


def test_add_and_subtotal():
    cart = Cart({"apple": 1})
    cart.add("milk", 2)
    assert cart.subtotal() == 250


def test_remove_some():
    cart = Cart({"bread": 3})
    cart.remove("bread", 2)
    assert cart.items == {"bread": 1}


def test_carts_are_independent():
    first, second = Cart(), Cart()
    first.add("cheese")
    assert second.items == {}
    assert second.total() == 0


def test_coupon():
    cart = Cart({"cheese": 5}, coupon="TENOFF")
    assert cart.total() == 2340
