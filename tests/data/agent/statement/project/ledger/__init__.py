"""Invoices of a small shop."""

from ledger.invoice import Invoice, Line
from ledger.money import format_cents, parse_cents

__all__ = ["Invoice", "Line", "format_cents", "parse_cents"]
