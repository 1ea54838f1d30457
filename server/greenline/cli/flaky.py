"""`greenline flaky`: the tests of a workspace that gave both outcomes on one text, when and how often."""

from __future__ import annotations

import argparse
import json

from greenline.cli.console import root_of, say
from greenline.core.error import InvalidInput, NotFound
from greenline.core.wire import to_json


def run(arguments: argparse.Namespace) -> int:
    """Print what is remembered, the test that was seen last first; with `--forget`, forget first."""
    from greenline.app import open_memory

    root = root_of(arguments.root)
    memory = open_memory().flaky
    if arguments.forget:
        known = memory.known(root)
        for test in arguments.forget:
            if test not in known:
                raise NotFound(
                    f"{test} is not remembered as flaky.", remedy="List the tests with `greenline flaky`."
                )
        try:
            memory.forget(root, arguments.forget)
        except OSError as error:
            raise InvalidInput(
                f"The record of flaky tests cannot be written: {error.strerror}.",
                remedy="Look at the rights of the state folder.",
            ) from error
    tests = list(memory.known(root).values())
    if arguments.json:
        print(json.dumps(to_json(tests)))
        return 0
    for found in tests:
        kind = "flaky" if found.is_flaky else "depends on its order"
        say(f"{found.test}: {kind}, seen {found.words}")
    if not tests:
        say("No test is remembered as flaky.")
    return 0
