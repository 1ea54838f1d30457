"""Run a project's tests and report each one; the command of a verification container.

Usage: `python run_tests.py [options] [ID …]`, in the project's root

    --runner NAME              which runner drives the tests (default pytest)
    --project JSON             flags, patterns and environment of a runner that is a program of its own
    --folder DIR               where the project lies, relative to the current folder; ids are relative to it
    --no-coverage              do not measure which lines each test executes
    --exitfirst                stop after the first test that fails
    --test-seconds S           count a test that takes so much processor time, or waits five times as long,
                               as failed, and go on (default: no limit)
    --rounds                   say `roundEnd`, then run what each line of the input names (a JSON list)
    --toolbox DIR              pytest and coverage for projects that have none (default: `../toolbox`)
    --report FIFO              where the reporter listens (default: `$GREENLINE_REPORT`)
    --ids FILE                 more test ids, one a line

Without ids the whole suite runs. An id may also name a file, a class, or a function with all its parameters.

The driver imports nothing of the project. It forks one process that only collects, then one that runs the
tests; both send JSON lines through a pipe of their own, each line with a secret of that process, and only the
driver writes to the FIFO. See `greenline_runner` for the parts; the batch runner of the repair engine uses
the same ones.
"""

import os
import sys


def main() -> int:
    """Drive one run; the exit code says only whether the driver itself did its work."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = here
    from greenline_runner import driver

    sys.path.remove(here)
    return driver.main(sys.argv[1:], here)


if __name__ == "__main__":
    sys.exit(main())
