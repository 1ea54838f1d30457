"""What can be said on the command line; each command's module is imported only when it runs."""

from __future__ import annotations

import argparse
import contextlib
import importlib
from collections.abc import Callable
from typing import Any

import greenline
from greenline.cli.stop import interruptible

_EPILOG = """exit codes:
  0  done; for verify and run: the verdict is verified
  1  it failed; the line on standard error says why
  2  the command line or its input cannot be used
  3  the edit was rejected; nothing was written
  4  the verdict is another than verified; nothing was applied
  5  couldNotRun: no sandbox could be had, or the tests could not be run
  130  stopped by Ctrl-C or SIGTERM; nothing was written
"""

_SERVERS = ("serve", "acp", "mcp")
EDIT_FORMATS = ("diff", "search-replace", "patch", "whole", "json")


class _CommandParser(argparse.ArgumentParser):
    """A command's parser, which answers for all that stands behind its name.

    argparse hands what a command does not know to the parser above, whose usage explains nothing of it.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; a parsed command is in `command`, a function of the arguments."""
    parser = argparse.ArgumentParser(
        prog="greenline",
        description="A language server whose edits arrive with the tests already green.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"greenline {greenline.__version__}")
    parser.set_defaults(command=_later("serve"))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_CommandParser)
    _add(commands, "serve", "speak LSP over standard input and output (the default)", "greenline serve")
    _add(
        commands,
        "acp",
        "speak the Agent Client Protocol over standard input and output",
        "greenline acp",
    )
    mcp = _add(
        commands,
        "mcp",
        "offer verify, search, repair and explain to other agents over MCP on standard input and output",
        "greenline mcp --root .",
    )
    _add_root(mcp)
    _add_run(commands)
    _add_plan(commands)
    _add_verify(commands)
    _add_edit(commands)
    _add_runs(commands)
    _add_undo(commands)
    _add_index(commands)
    _add_search(commands)
    doctor = _add(commands, "doctor", "check engine, image, model, git and versions", "greenline doctor")
    _add_root(doctor)
    _add_json(doctor)
    _add_flaky(commands)
    _add_packages(commands)
    demo = _add(
        commands, "demo", "run the main job on a bundled sample project, as an editor would", "greenline demo"
    )
    _add_json(demo)
    return parser


def _add_plan(commands: Any) -> None:
    plan = _add(
        commands, "plan", "plan a change and print the plan", 'greenline plan "make the failing tests pass"'
    )
    plan.add_argument("request", metavar="REQUEST", help="what to change, in words")
    _add_root(plan)
    _add_json(plan)


def _add_runs(commands: Any) -> None:
    runs = _add(commands, "runs", "list the runs of a workspace, newest first", "greenline runs --limit 5")
    runs.add_argument("--limit", type=int, default=20, metavar="N", help="how many (default: 20)")
    show = _add(
        commands,
        "show",
        "print one run with all its events",
        "greenline show RUN    # RUN is an id that `greenline runs` prints",
    )
    show.add_argument("run", metavar="RUN", help="a run's id, or enough of it to be unique")
    for command in (runs, show):
        _add_root(command)
        _add_json(command)


def _add_run(commands: Any) -> None:
    run = _add(
        commands,
        "run",
        "plan, edit and verify a change",
        'greenline run "make the failing tests pass" --apply',
    )
    run.add_argument("request", metavar="REQUEST", help="what to change, in words")
    run.add_argument("--apply", action="store_true", help="write the files, if the verdict is verified")
    run.add_argument("--apply-unverified", action="store_true", help="write the files whatever the verdict")
    _add_root(run)
    _add_json(run)


def _add_undo(commands: Any) -> None:
    undo = _add(
        commands,
        "undo",
        "take back what was applied, never over what you changed since",
        "greenline undo RUN    # RUN is an id that `greenline runs` prints; without one: the newest change",
    )
    undo.add_argument(
        "name",
        nargs="?",
        metavar="RUN|CHECKPOINT",
        help="what to take back (default: the newest change, an undo included)",
    )
    _add_root(undo)
    _add_json(undo)
    checkpoints = _add(
        commands,
        "checkpoints",
        "list what was applied and can be undone, newest first",
        "greenline checkpoints --limit 5",
    )
    checkpoints.add_argument("--limit", type=int, default=20, metavar="N", help="how many (default: 20)")
    _add_root(checkpoints)
    _add_json(checkpoints)


def _add_index(commands: Any) -> None:
    index = _add(
        commands,
        "index",
        "bring the index of a workspace up to date, or say what it holds",
        "greenline index --why README.md",
    )
    _add_roots(index, "a folder of the workspace")
    what = index.add_mutually_exclusive_group()
    what.add_argument("--stats", action="store_true", help="print what the index holds, and change nothing")
    what.add_argument("--why", metavar="PATH", help="say whether a file is indexed, and why not")
    _add_json(index)


def _add_search(commands: Any) -> None:
    search = _add(
        commands,
        "search",
        "find code by a question, a task, a name, a stack trace or a place",
        'greenline search "where are retries counted" --path "src/**"',
    )
    search.add_argument("words", metavar="WORDS", help="what to find")
    search.add_argument("--limit", type=int, default=10, metavar="N", help="how many hits (default: 10)")
    search.add_argument(
        "--kind",
        action="append",
        metavar="KIND",
        help="only chunks of this kind, class or function; may be repeated",
    )
    search.add_argument("--path", default="", metavar="GLOB", help="only files that fit, as in .gitignore")
    _add_roots(search, "a folder of the workspace")
    _add_json(search)


def _add_flaky(commands: Any) -> None:
    flaky = _add(
        commands,
        "flaky",
        "list the tests that were seen to be flaky, or forget one",
        "greenline flaky --json",
    )
    flaky.add_argument(
        "--forget", action="append", metavar="TEST", default=[], help="remember no more of a test"
    )
    _add_root(flaky)
    _add_json(flaky)


def _add_packages(commands: Any) -> None:
    packages = _add(
        commands,
        "packages",
        "list the packages that were installed from lock files, or remove them",
        "greenline packages --clear",
    )
    packages.add_argument("--clear", action="store_true", help="remove all that no container uses")
    _add_json(packages)


def _add_verify(commands: Any) -> None:
    verify = _add(
        commands,
        "verify",
        "measure a patch, whoever wrote it: base and patched tests in the sandbox",
        "greenline verify --base HEAD --json",
    )
    what = verify.add_mutually_exclusive_group()
    what.add_argument(
        "--patch", metavar="FILE", help="a unified diff over the files as they are; - for standard input"
    )
    what.add_argument("--staged", action="store_true", help="what is staged in git, over HEAD")
    what.add_argument(
        "--base", metavar="REV", help="the files as they are, over a git revision (default: HEAD)"
    )
    what.add_argument(
        "--range",
        metavar="RANGE",
        help="commits: A..B, A...B (B since it left A, as in a pull request), or a branch since it left HEAD",
    )
    verify.add_argument(
        "--bite",
        nargs="?",
        const="",
        metavar="SECONDS",
        help="also count which hunks and mutants a verified change's tests notice (default: 60 s at most)",
    )
    verify.add_argument(
        "--min-coverage",
        metavar="PERCENT",
        help="exit with 4 where tests execute fewer of the changed lines",
    )
    for name, reader in (
        ("sarif", "code scanning"),
        ("junit", "continuous integration"),
        ("markdown", "a comment or a summary"),
    ):
        verify.add_argument(
            f"--{name}", metavar="FILE", help=f"write the evidence for {reader}; `-` prints it"
        )
    verify.add_argument(
        "--affected",
        action="store_true",
        help="exit with 0 also where the suite is too long and all tests that the change affects verify it",
    )
    verify.add_argument(
        "--fresh", action="store_true", help="run the base too, also where its outcome is known from before"
    )
    _add_root(verify)
    _add_json(verify)


def _add_edit(commands: Any) -> None:
    edit = _add(commands, "edit", "work with edits in files", "greenline edit apply --root . answer.txt")
    actions = edit.add_subparsers(title="actions", metavar="ACTION", required=True)
    apply = _add(
        actions,
        "apply",
        "apply a diff, SEARCH/REPLACE blocks, whole files or JSON: all of it or nothing",
        "greenline edit apply --root . answer.txt",
        module="edit",
    )
    apply.add_argument("edit", metavar="EDITFILE", help="the edit; - for standard input")
    _add_roots(apply, "a folder that may be edited")
    apply.add_argument("--path", metavar="PATH", help="the file that is meant where the edit names none")
    apply.add_argument("--encoding", metavar="NAME", help="the files' encoding (default: detected)")
    apply.add_argument(
        "--format", choices=EDIT_FORMATS, metavar="NAME", help=f"one of {', '.join(EDIT_FORMATS)}"
    )


def _add(
    commands: Any, name: str, summary: str, example: str, module: str | None = None
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  {example}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=_later(module or name))
    return parser


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", default=".", metavar="DIR", help="the project (default: this folder)")


def _add_roots(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--root",
        action="append",
        metavar="DIR",
        help=f"{what}; may be repeated (default: this folder)",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON on standard output")


def _later(name: str) -> Callable[[argparse.Namespace], int]:
    """Return a function that imports a command's module when it is called."""

    def run(arguments: argparse.Namespace) -> int:
        # A server is ended by its client, and by the signal itself.
        with contextlib.nullcontext() if name in _SERVERS else interruptible():
            module = importlib.import_module(f"greenline.cli.{name}")
            return int(module.run(arguments))

    return run
