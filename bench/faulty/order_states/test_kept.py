import pytest
from program import InvalidMove, Order, replay


@pytest.mark.parametrize(
    "actions, state",
    [
        ([], "new"),
        (["pay"], "paid"),
        (["pay", "refund"], "refunded"),
        (["pay", "ship"], "shipped"),
        (["pay", "ship", "lose"], "refunded"),
        (["pay", "ship", "deliver", "return"], "refunded"),
    ],
)
def test_states(actions, state):
    assert replay(1, actions).state == state


@pytest.mark.parametrize(
    "actions, allowed",
    [
        ([], ["cancel", "pay"]),
        (["pay"], ["refund", "ship"]),
        (["pay", "ship"], ["deliver", "lose"]),
        (["pay", "ship", "deliver"], ["return"]),
        (["pay", "refund"], []),
        (["cancel"], []),
    ],
)
def test_allowed(actions, allowed):
    order = replay(1, actions)
    assert order.allowed() == allowed
    assert order.closed is (allowed == [])


def test_message_and_state_after_a_bad_move():
    order = Order(7).apply("pay")
    with pytest.raises(InvalidMove, match="cannot deliver an order that is paid"):
        order.apply("deliver")
    assert order.state == "paid"
    assert order.log == [("new", "paid")]


@pytest.mark.parametrize("actions", [["ship"], ["deliver"], ["pay", "pay"], ["pay", "lose"], ["cancel", "pay"], ["x"]])
def test_bad_moves(actions):
    with pytest.raises(InvalidMove):
        replay(1, actions)
