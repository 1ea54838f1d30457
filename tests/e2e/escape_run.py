"""Make every attempt to escape and print one JSON line for each: `python escape_run.py WORLD.json`.

`--table` prints the table of docs/sandbox.md instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# Each import registers its attempts, in the order of the table.
import escape_elsewhere  # noqa: F401
import escape_kernel
import escape_outside
import escape_process
from escape_attempt import ATTEMPTS, World, outcome, table

FAMILIES = (escape_kernel, escape_process, escape_outside)
_REPORTER_UID = 64001
_WAITS = "import sys; sys.stdin.read()"


def main() -> None:
    """Make the attempts; the control has no sandbox around it and brings its own reporter."""
    if sys.argv[1] == "--table":
        print(table(), end="")
        return
    world = World(**json.loads(Path(sys.argv[1]).read_text()))
    reporter = _stand_in(world) if world.control else None
    for one in (one for one in ATTEMPTS if one.name not in world.left_out):
        print(json.dumps({"name": one.name, "outcome": outcome(one, world)}), flush=True)
    if reporter is None:
        # The reporter ends with its last writer.
        Path(world.report).open("w").close()
    else:
        reporter.kill()
        reporter.wait()


def _stand_in(world: World) -> subprocess.Popen[bytes]:
    Path(world.report).parent.mkdir(parents=True)
    os.mkfifo(world.report, 0o622)
    argv = [sys.executable, "-c", _WAITS, world.reporter]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, user=_REPORTER_UID, cwd="/")


if __name__ == "__main__":
    main()
