"""What commands share: the root, progress on a terminal only, and how evidence and diffs are shown."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError, InvalidInput
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.visible import visible
from greenline.edit.hunk import hunk_diff
from greenline.verify.summary import measured_before
from greenline.workspace.encoding import decode
from greenline.workspace.regular import read_regular

if TYPE_CHECKING:
    from greenline.config.settings import Settings

_MAX_LIMIT = 1_000_000
_PIPE_WIDTH = 10_000
"""No line of a table is broken, and no id cut, where a program reads it."""
_STYLE = {
    Verdict.VERIFIED: "bold green",
    Verdict.TESTS_ONLY: "yellow",
    Verdict.NOT_COVERED: "yellow",
    Verdict.NOT_RUN: "yellow",
    Verdict.FLAKY: "yellow",
    Verdict.STILL_FAILING: "red",
    Verdict.REGRESSED: "bold red",
    Verdict.COULD_NOT_RUN: "bold red",
}


def root_of(given: str) -> str:
    """Return a root as an absolute path; raises `InvalidInput` where it is no folder, or the whole disk."""
    try:
        path = Path(given).resolve()
    except OSError as error:
        # The folder that the shell is in can have been removed.
        raise InvalidInput(f"{given} is gone.", remedy="Name the project's folder with --root.") from error
    if not path.is_dir():
        raise InvalidInput(f"{given} is not a folder.", remedy="Name the project's folder with --root.")
    if path == path.parent:
        raise InvalidInput(
            f"{given} is the whole file system, and no project.",
            remedy="Name the project's folder with --root.",
        )
    return str(path)


def known_root(given: str) -> str:
    """Return the nearest folder, from a given one upwards, with checkpoints; the given one for want of it.

    The way up ends at a git work tree, and never reaches the home folder: what lies there is no workspace.
    Another folder than the given one is named on standard error.
    """
    from greenline.edit.reach import knows

    root = Path(root_of(given))
    home = None
    with contextlib.suppress(RuntimeError):
        home = Path.home()
    for folder in (root, *root.parents):
        if folder != root and folder in (home, Path(folder.anchor)):
            break
        if knows(str(folder)):
            if folder != root:
                print(f"greenline: the workspace is {visible(str(folder))}", file=sys.stderr)
            return str(folder)
        if (folder / ".git").exists():
            break
    return str(root)


def console() -> Console:
    """Return a console on standard output: coloured on a terminal, plain and as wide as needed in a pipe."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def say(text: str) -> None:
    """Print a line of any text on standard output."""
    console().print(visible(text), markup=False)


def warn(warnings: Iterable[str]) -> None:
    """Say on standard error what cannot be used as the user set it."""
    for warning in warnings:
        print(f"greenline: {visible(warning)}", file=sys.stderr)


def known_settings() -> Settings:
    """Return the user's settings, after saying what of them cannot be used."""
    from greenline.config.settings import load_settings

    settings = load_settings()
    warn(settings.warnings)
    return settings


def progress(sentence: str) -> None:
    """Show progress on a terminal, and nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"  … {visible(sentence)}", file=sys.stderr, flush=True)


def verdict_text(evidence: Evidence) -> Text:
    """Return the verdict with its reason, coloured."""
    text = Text(evidence.verdict.value, style=_STYLE[evidence.verdict])
    if evidence.reason:
        text.append(f" ({evidence.reason})", style="default not bold")
    return text


def evidence_table(evidence: Evidence) -> Table:
    """Return base against patched, as the runner reported them."""
    table = Table(title=None, header_style="bold")
    for heading in ("", "passed", "failed", "errors", "skipped", "end", "seconds"):
        table.add_column(heading, justify="left" if heading in ("", "end") else "right")
    for name, report in (
        ("base", evidence.base),
        ("patched", evidence.patched),
        ("new tests on base", evidence.new_tests),
        ("old tests on patch", evidence.old_tests),
    ):
        if report is not None:
            seconds = f"{report.duration_s:.2f}"
            table.add_row(f"{name}{measured_before(report)}", *_counts(report), _end(report), seconds)
    return table


def diff_text(diff: str) -> Text:
    """Return a unified diff, coloured."""
    text = Text()
    # In a pipe it is a patch, to be read by a program to the byte.
    shown = visible(diff) if sys.stdout.isatty() else diff
    for line in shown.splitlines(keepends=True):
        if line.startswith(("+++", "---")):
            text.append(line, style="bold")
        elif line.startswith("@@"):
            text.append(line, style="cyan")
        elif line.startswith("+"):
            text.append(line, style="green")
        elif line.startswith("-"):
            text.append(line, style="red")
        else:
            text.append(line)
    return text


def hunk_text(hunk: Hunk, root: str) -> Text:
    """Return a hunk as a diff over the file as it is now, coloured; its path is relative to the root."""
    return diff_text(hunk_diff(shown_path(hunk.path, root), hunk, _text_of(hunk.path)))


def shown_path(path: str, root: str) -> str:
    """Return a path relative to the root; one that lies elsewhere as it is."""
    return os.path.relpath(path, root) if Path(path).is_relative_to(root) else path


def limit_of(given: int) -> int:
    """Return how many lines of a list to show; raises `InvalidInput` for a number that no list can have."""
    if given < 1:
        raise InvalidInput(f"--limit {given} is too small.", remedy="Give a number from 1 on.")
    if given > _MAX_LIMIT:
        raise InvalidInput(f"--limit {given} is too large.", remedy=f"Give at most {_MAX_LIMIT}.")
    return given


def exit_code(evidence: Evidence) -> int:
    """Return the exit code of evidence: 0 verified by the whole suite, 5 couldNotRun, 4 any other."""
    if evidence.is_vouched_for:
        return 0
    return 5 if evidence.verdict is Verdict.COULD_NOT_RUN else 4


def _text_of(path: str) -> str | None:
    try:
        return decode(read_regular(path)).text
    except (OSError, GreenlineError):
        return None


def _counts(report: TestReport) -> tuple[str, str, str, str]:
    skipped = report.count(Outcome.SKIPPED) + report.count(Outcome.XFAILED) + report.count(Outcome.DESELECTED)
    passed = report.count(Outcome.PASSED) + report.count(Outcome.XPASSED)
    return str(passed), str(report.count(Outcome.FAILED)), str(report.count(Outcome.ERROR)), str(skipped)


def _end(report: TestReport) -> str:
    return "complete" if report.end is RunEnd.COMPLETE else report.end.value
