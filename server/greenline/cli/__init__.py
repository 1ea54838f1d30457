"""The command line: argv → one front end.

Invariant: what goes wrong is one line on standard error with its remedy, never a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from greenline.cli.parser import make_parser
from greenline.cli.stop import STOPPED
from greenline.cli.stream import prepare
from greenline.core.error import (
    Cancelled,
    EditRejected,
    GreenlineError,
    InvalidInput,
    OutsideWorkspace,
    SandboxUnavailable,
)
from greenline.core.visible import visible

OK, FAILED, USAGE, NOT_VERIFIED, COULD_NOT_RUN = 0, 1, 2, 4, 5
_INPUT = (InvalidInput, EditRejected, OutsideWorkspace)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code (see `greenline --help`)."""
    try:
        prepare()
        arguments = make_parser().parse_args(sys.argv[1:] if argv is None else argv)
        return int(arguments.command(arguments))
    except KeyboardInterrupt:
        print("greenline: stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        return FAILED
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        print(f"greenline: {visible(f'{place}{error.strerror or error}')}.", file=sys.stderr)
        return FAILED
    except Cancelled:
        print("greenline: stopped", file=sys.stderr)
        return STOPPED
    except GreenlineError as error:
        print(f"greenline: {visible(str(error))}", file=sys.stderr)
        if isinstance(error, SandboxUnavailable):
            return COULD_NOT_RUN
        return USAGE if isinstance(error, _INPUT) else FAILED
