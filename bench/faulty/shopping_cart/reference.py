PRICES = {"apple": 30, "bread": 250, "milk": 110, "cheese": 520}


class Cart:
    def __init__(self, items=None, coupon=None):
        if items is None:
            items = {}
        self.items = items
        self.coupon = coupon

    def add(self, name, quantity=1):
        if name not in PRICES:
            raise KeyError(name)
        self.items[name] = self.items.get(name, 0) + quantity

    def remove(self, name, quantity=None):
        """Remove some, or all when no quantity is given."""
        held = self.items[name]
        if quantity is None or quantity >= held:
            del self.items[name]
        else:
            self.items[name] = held - quantity

    def subtotal(self):
        return sum(PRICES[name] * count for name, count in self.items.items())

    def shipping(self):
        return 0 if not self.items or self.subtotal() >= 2000 else 390

    def total(self):
        goods = self.subtotal()
        if self.coupon == "TENOFF":
            goods -= goods // 10
        return goods + self.shipping()
