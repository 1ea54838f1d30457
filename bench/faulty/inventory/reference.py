"""Stock keeping for a small warehouse."""


class OutOfStock(Exception):
    pass


def new_item(sku, minimum=5, location="A1"):
    return {"sku": sku, "on_hand": 0, "reserved": 0, "minimum": minimum, "location": location}


class Inventory:
    def __init__(self):
        self.items = {}

    def register(self, sku, **options):
        if sku in self.items:
            raise ValueError(f"{sku} is registered already")
        self.items[sku] = new_item(sku, **options)

    def receive(self, sku, quantity):
        self.items[sku]["on_hand"] += quantity

    def free(self, sku):
        item = self.items[sku]
        return item["on_hand"] - item["reserved"]

    def reserve(self, sku, quantity):
        if quantity > self.free(sku):
            raise OutOfStock(sku)
        self.items[sku]["reserved"] += quantity

    def ship(self, sku, quantity):
        """Send out goods that were reserved before."""
        item = self.items[sku]
        if quantity > item["reserved"]:
            raise OutOfStock(f"only {item['reserved']} of {sku} are reserved")
        item["reserved"] -= quantity
        item["on_hand"] -= quantity

    def low_stock(self):
        return sorted(sku for sku, item in self.items.items() if item["on_hand"] < item["minimum"])
