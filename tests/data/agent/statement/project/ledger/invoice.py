"""An invoice: lines, their discounts, tax, and when it is due."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from ledger.discount import discount_percent
from ledger.money import percent_of

TAX_PERCENT = 19


@dataclass
class Line:
    """One article with its quantity and the price of one piece in cents."""

    article: str
    quantity: int
    price: int

    def total(self):
        """Return the line's amount in cents, after its discount."""
        gross = self.quantity * self.price
        return gross - percent_of(gross, discount_percent(self.quantity))


@dataclass
class Invoice:
    """Lines for one customer."""

    customer: str
    issued: date
    days: int = 14
    lines: list[Line] = field(default_factory=list)

    def add(self, article, quantity, price):
        """Append a line; returns the invoice."""
        if quantity <= 0:
            raise ValueError(f"a line needs at least one piece, not {quantity}")
        self.lines.append(Line(article, quantity, price))
        return self

    def net(self):
        """Return the sum of the lines in cents."""
        return sum(line.total() for line in self.lines)

    def tax(self):
        """Return the tax in cents."""
        return percent_of(self.net(), TAX_PERCENT)

    def gross(self):
        """Return what the customer pays in cents."""
        return self.net() + self.tax()

    def due(self):
        """Return the last day on which the invoice can be paid in time."""
        return self.issued + timedelta(days=self.days)

    def overdue(self, today):
        """Return whether a reminder may be sent."""
        return today > self.due()
