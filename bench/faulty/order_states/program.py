"""The life of an order as a state machine."""

MOVES = {
    ("new", "pay"): "paid",
    ("new", "cancel"): "cancelled",
    ("paid", "ship"): "shipped",
    ("paid", "refund"): "refunded",
    ("paid", "deliver"): "delivered",
    ("shipped", "lose"): "refunded",
    ("delivered", "return"): "refunded",
}


class InvalidMove(Exception):
    pass


class Order:
    def __init__(self, number):
        self.number = number
        self.state = "new"
        self.log = []

    def allowed(self):
        return sorted(action for state, action in MOVES if state == self.state)

    def apply(self, action):
        try:
            target = MOVES[self.state, action]
        except KeyError:
            raise InvalidMove(f"cannot {action} an order that is {self.state}") from None
        self.log.append((self.state, target))
        self.state = target
        return self

    @property
    def closed(self):
        return not self.allowed()


def replay(number, actions):
    order = Order(number)
    for action in actions:
        order.apply(action)
    return order
