"""Cuts a list of results into numbered pages."""

from dataclasses import dataclass


@dataclass
class Page:
    number: int
    items: list
    has_previous: bool
    has_next: bool


class Paginator:
    def __init__(self, items, per_page=10):
        if per_page < 1:
            raise ValueError("per_page must be at least 1")
        self.items = list(items)
        self.per_page = per_page

    @property
    def page_count(self):
        return max(1, (len(self.items) + self.per_page - 1) / self.per_page)

    def page(self, number):
        if not 1 <= number <= self.page_count:
            raise IndexError(f"page {number} of {self.page_count}")
        start = (number - 1) * self.per_page
        return Page(
            number=number,
            items=self.items[start : start + self.per_page],
            has_previous=number > 1,
            has_next=number < self.page_count,
        )

    def window(self, number, around=1):
        """Return the page numbers to show near a page, None standing for a gap."""
        shown = {1, self.page_count, *range(number - around, number + around + 1)}
        numbers = []
        for candidate in sorted(n for n in shown if 1 <= n <= self.page_count):
            if numbers and candidate - numbers[-1] > 1:
                numbers.append(None)
            numbers.append(candidate)
        return numbers
