"""What an editor's own script prints: a line of JSON for each step that it took."""

from __future__ import annotations

import json
import subprocess
from typing import Any

Results = dict[str, dict[str, Any]]
"""Step → `ok`, and `failure` where it is not."""


def results_of(done: subprocess.CompletedProcess[str]) -> Results:
    """Return the results that were printed; an editor prints other lines beside them."""
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return {result["name"]: result for result in map(json.loads, lines)}
