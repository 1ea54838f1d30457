"""What a measurement prints: a table of plain text, its targets, and the same as JSON."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import attrs

Log = Callable[[str], None]
"""Says what is being measured while it is measured."""


@attrs.frozen
class Target:
    """A figure and the limit that it should keep."""

    name: str
    measured: float
    limit: float
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure keeps its limit; one that could not be measured does not."""
        return self.measured <= self.limit

    def line(self) -> str:
        """Return the target as one line."""
        word = "met   " if self.met else "MISSED"
        unit = f" {self.unit}" if self.unit else ""
        return f"  {word}  {self.name}: {self.measured:.2f}{unit}, at most {self.limit:.2f}{unit}"


@attrs.frozen
class Table:
    """One measurement, complete."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the table for people; the first column is to the left, figures are to the right."""
        widths = [max(len(row[n]) for row in (self.headers, *self.rows)) for n in range(len(self.headers))]

        def line(row: Sequence[str]) -> str:
            first, *figures = row
            cells = [first.ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
            return "  " + "  ".join(cells).rstrip()

        body = [self.title, line(self.headers), *(line(row) for row in self.rows)]
        return "\n".join([*body, *(t.line() for t in self.targets), *(f"  {note}" for note in self.notes)])

    def as_json(self) -> dict[str, Any]:
        """Return the table as a JSON value."""
        return {
            "title": self.title,
            "rows": [dict(zip(self.headers, row, strict=True)) for row in self.rows],
            "targets": [{**attrs.asdict(target), "met": target.met} for target in self.targets],
            "notes": list(self.notes),
        }


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed; the nearest rank, never interpolated."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def milliseconds(seconds: float) -> str:
    """Return a duration as text in milliseconds."""
    return f"{seconds * 1000:.1f}"


def median(values: Sequence[float]) -> float:
    """Return the middle of the values."""
    return statistics.median(values)


def load() -> str:
    """Return the machine's load averages as text."""
    return " ".join(f"{value:.1f}" for value in os.getloadavg())
