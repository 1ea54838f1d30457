"""`python -m bench [NAME…]`: measure, print a table for each name, and say which targets were missed."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any, Protocol

from bench.table import Log, Table, load

TABLES = (
    "start",
    "latency",
    "queued",
    "cold",
    "sandbox_cost",
    "patches",
    "edits",
    "repair_bench",
    "retrieval",
    "index",
    "live",
    "editors",
    "first_hunk",
    "scale",
)
"""Modules of this package with `measure(log) -> Table`, in the order in which they are run."""
ON_REQUEST = ("real",)
"""Those that run only where they are named: they download what they measure."""


class Measurement(Protocol):
    """What a table's module offers."""

    def measure(self, log: Log) -> Table:
        """Measure and return the table."""


def main() -> int:
    """Run the tables; return 0 where all of them could be measured, whether or not a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(TABLES)} (default: all), {', '.join(ON_REQUEST)}",
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON as well")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in TABLES + ON_REQUEST]:
        parser.error(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES + ON_REQUEST)}")
    print(f"{machine()}, load average {load()}", flush=True)
    tables: dict[str, Any] = {}
    n_failed = 0
    for name in arguments.names or TABLES:
        started = time.monotonic()
        measurement: Measurement = importlib.import_module(f"bench.{name}")
        try:
            table = measurement.measure(_log)
        except Exception as error:  # noqa: BLE001
            # One table that cannot be measured must not cost the others.
            print(f"\n{name}\n  MISSED  could not be measured: {type(error).__name__}: {error}", flush=True)
            tables[name] = {"error": f"{type(error).__name__}: {error}"}
            n_failed += 1
            continue
        print(f"\n{table.text()}\n  measured in {time.monotonic() - started:.0f} s", flush=True)
        tables[name] = table.as_json()
    if arguments.json:
        value = {"machine": machine(), "tables": tables}
        Path(arguments.json).write_text(json.dumps(value, indent=1) + "\n")
    return 1 if n_failed else 0


def machine() -> str:
    """Return the machine in one line."""
    model = "unknown processor"
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        n_processors = sum(line.startswith("processor") for line in lines)
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = f"{n_processors} x {names[0] if names else platform.machine()}"
    return f"{model}, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def _log(text: str) -> None:
    print(f"  … {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
