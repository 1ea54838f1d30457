"""From an empty home to a first accepted, verified hunk in each editor, by the README; downloads apart.

What the README says is read from it: a step that does not work as it stands there fails the measurement.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import attrs

from bench.editors.feel import ROOT, NotMeasured
from bench.first_hunk.home import Home, run, timed
from bench.first_hunk.neovim import NEOVIM
from bench.first_hunk.step import Timed, Way, read_steps
from bench.first_hunk.vscode import VSCODE
from bench.table import Log, Table, Target, load

LIMIT_S = 180.0
WAYS = (NEOVIM, VSCODE)


def measure(log: Log) -> Table:
    """Follow the README once for each editor; one that cannot be followed is said, and misses its target."""
    rows: list[tuple[str, ...]] = []
    targets: list[Target] = []
    notes = [
        "a fresh clone of the last commit and an empty home; pip and npm have only what was downloaded",
        "reading and typing take no time here; the change was verified, and the suite passes afterwards",
    ]
    for way in WAYS:
        before = load()
        try:
            steps = _take(way, log)
        except Exception as error:  # noqa: BLE001
            # A way that does not lead there must not cost the other.
            notes.append(f"{way.editor}: not measured: {error}")
            targets.append(Target(f"first accepted hunk in {way.editor}", math.nan, LIMIT_S, "s"))
            continue
        total = sum(step.seconds for step in steps if not step.is_download)
        rows += [_row(way, step) for step in steps]
        rows.append((f"{way.editor}: in all, downloads not counted", f"{total:.1f}", "", ""))
        targets.append(Target(f"first accepted hunk in {way.editor}", total, LIMIT_S, "s"))
        notes.append(f"{way.editor}: load average {before} before and {load()} after")
    if not rows:
        raise NotMeasured("; ".join(notes[2:]))
    headers = ("step", "s", "CPU s", "")
    return Table("a first hunk, by the README", headers, tuple(rows), tuple(targets), tuple(notes))


def _row(way: Way, step: Timed) -> tuple[str, ...]:
    processor = "" if step.processor_s is None else f"{step.processor_s:.1f}"
    name = f"{way.editor}: {step.name}"
    return (name, f"{step.seconds:.1f}", processor, "download" if step.is_download else "")


def _take(way: Way, log: Log) -> list[Timed]:
    way.need()
    # The path of the engine's sockets must stay short.
    with tempfile.TemporaryDirectory(prefix="gl-first-", ignore_cleanup_errors=True) as folder:
        return list(_follow(way, Home(Path(folder).resolve()), log))


def _follow(way: Way, home: Home, log: Log) -> Iterator[Timed]:
    for name, command in (*home.downloads(), *way.downloads(home)):
        log(f"first_hunk: {way.editor}: {name}")
        step = timed(name, partial(run, command, ROOT, os.environ))
        yield attrs.evolve(step, is_download=True)
    steps = read_steps((home.checkout / "README.md").read_text("utf-8"), way.heading)
    if unknown := [key for key in steps.keys if key not in way.effects]:
        raise NotMeasured(f"The README says {unknown[0]}, and this table does not know its effect.")
    environment = home.make(way.programs(home))
    try:
        where = home.checkout
        for command in steps.commands[:-1]:
            log(f"first_hunk: {way.editor}: {command}")
            step, where = home.shell(command, where, environment)
            yield step
        log(f"first_hunk: {way.editor}: {steps.commands[-1]}")
        yield from way.take(steps, where, environment)
        # The editor was opened in the project, so its suite is here.
        run([str(home.checkout / ".venv/bin/python"), "-m", "pytest", "-q", "."], where, environment)
    finally:
        home.stop_engine(environment)
