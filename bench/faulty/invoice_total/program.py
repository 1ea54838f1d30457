"""Totals of an invoice in whole cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    description: str
    quantity: int
    unit_cents: int
    taxable: bool = True

    @property
    def amount(self) -> int:
        return self.quantity * self.unit_cents


def percent_of(cents: int, percent: int) -> int:
    """Round half a cent up."""
    return (cents * percent + 50) // 100


def invoice_total(lines, tax_percent, discount_percent=0):
    """Return subtotal, discount, tax and total of the lines.

    The discount applies to every line; tax is due on discounted taxable lines only.
    """
    subtotal = sum(line.amount for line in lines)
    taxable = sum(line.amount for line in lines if line.taxable)
    discount = percent_of(subtotal, discount_percent)
    taxable -= percent_of(taxable, discount_percent)
    tax = percent_of(subtotal, tax_percent)
    return {
        "subtotal": subtotal,
        "discount": discount,
        "tax": tax,
        "total": subtotal - discount + tax,
    }
