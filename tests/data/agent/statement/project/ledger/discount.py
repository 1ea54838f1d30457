"""Quantity discounts: the more of one article, the larger the discount."""

# From how many pieces on, and how many percent.
STEPS = [(100, 15), (50, 10), (10, 5)]


def discount_percent(quantity):
    """Return the discount for a quantity; a step begins with its own number of pieces."""
    for pieces, percent in STEPS:
        if quantity > pieces:
            return percent
    return 0
