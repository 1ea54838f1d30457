"""What a large edit costs: 10,000 hunks over 1,000 files."""

from __future__ import annotations

import tempfile
import time

from greenline.edit.apply import edit_set_from_diff


def many_hunks(n_files: int = 1_000) -> float:
    """Return the processor seconds of ten hunks in each file into an edit set, the files in memory."""
    lines = [f"line {n}\n" for n in range(200)]
    text = "".join(lines).encode()
    hunks = "".join(
        f"@@ -{n + 1},7 +{n + 1},7 @@\n"
        + "".join(f" line {m}\n" for m in range(n, n + 3))
        + f"-line {n + 3}\n+changed {n + 3}\n"
        + "".join(f" line {m}\n" for m in range(n + 4, n + 7))
        for n in range(0, 200, 20)
    )
    diff = "".join(f"--- a/f{n}.py\n+++ b/f{n}.py\n{hunks}" for n in range(n_files))
    with tempfile.TemporaryDirectory() as root:
        started = time.process_time()
        edits = edit_set_from_diff(diff, lambda path: text if path.endswith(".py") else None, root)
        seconds = time.process_time() - started
    assert len(edits.changes) == n_files
    return seconds
