"""Real projects, pinned: an upstream change of the product taken back and applied, and a change of nothing.

The project is the new version, with the old version's product files in a commit before it. Its own suite, run
by its own runner on the host, says what the verdicts must be. `GREENLINE_BENCH_PROJECTS` names some of the
projects. It downloads by pip and npm, and is not among the tables that run by default.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import attrs

from bench.real_project import PROJECTS, Broken, Project, make, run
from bench.table import Log, Table, Target, load

_TIMEOUT_S = 1800
_FIX = (frozenset({"notCovered"}), frozenset({"regressed"}), frozenset({"verified"}))
_NO_FIX = (frozenset({"notCovered"}), *(frozenset({"verified", "notCovered"}) for _ in range(2)))
"""Verdicts that are due where the old version passes the tests of the new one as well."""


@attrs.frozen
class Run:
    """What the host's own run of the suite says."""

    passes: bool
    seconds: float


@attrs.frozen
class Outcome:
    """One project's row."""

    project: Project
    n_tests: int
    host_s: float
    verdicts: tuple[str, str, str]
    """Of no change, of the change taken back, of the change."""
    expected: tuple[frozenset[str], ...]
    """What the suite's own runs allow each to be."""
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether every verdict is one that the suite's own runs allow."""
        return all(said in due for said, due in zip(self.verdicts, self.expected, strict=True))

    def line(self) -> str:
        """Return what was found, and what was due."""
        due = ", ".join("/".join(sorted(one)) for one in self.expected)
        return f"{self.project.name}: {', '.join(self.verdicts)} (due: {due}), {self.seconds:.1f} s"


def measure(log: Log) -> Table:
    """Verify every project; one that cannot be set up here is named and counts for none."""
    before = load()
    wanted = os.environ.get("GREENLINE_BENCH_PROJECTS", "").split()
    outcomes: list[Outcome] = []
    broken: list[str] = []
    for project in PROJECTS:
        if wanted and project.name not in wanted:
            continue
        with tempfile.TemporaryDirectory(prefix="greenline-real-") as folder:
            try:
                outcome = _verify(project, Path(folder).resolve())
            except (Broken, subprocess.SubprocessError, ValueError) as error:
                log(f"{project.name}: not run: {error}")
                broken.append(f"not run: {project.name}: {error}")
                continue
        log(outcome.line())
        outcomes.append(outcome)
    rows = (
        (
            f"{o.project.name} {o.project.before} → {o.project.version}",
            str(o.n_tests),
            *o.verdicts,
            f"{o.host_s:.1f}",
            f"{o.seconds:.1f}",
        )
        for o in outcomes
    )
    targets = [
        Target(
            "projects with a verdict that their suite contradicts", sum(not o.is_right for o in outcomes), 0
        )
    ]
    if not wanted:
        targets.append(Target("projects short of ten", max(0, 10 - len(outcomes)), 0))
    wrong = [outcome for outcome in outcomes if not outcome.is_right]
    return Table(
        "real projects",
        (
            "project",
            "tests",
            "no change",
            "taken back",
            "applied",
            "both runs on the host, s",
            "verification, s",
        ),
        tuple(rows),
        tuple(targets),
        (
            f"load average before and after: {before}, {load()}",
            *(outcome.line() for outcome in wrong),
            *broken,
        ),
    )


def _verify(project: Project, folder: Path) -> Outcome:
    root = make(project, folder)
    new = _on_host(project, root, "new")
    if not new.passes:
        raise Broken("its own tests do not pass on this machine")
    old = _on_host(project, root, "old")
    evidence = [_greenline(root, span) for span in ("new..noted", "new..old", "old..new")]
    none, back, there = (said["verdict"] for said in evidence)
    return Outcome(
        project,
        evidence[2]["patched"]["total"],
        new.seconds + old.seconds,
        (none, back, there),
        _NO_FIX if old.passes else _FIX,
        evidence[2]["seconds"],
    )


def _on_host(project: Project, root: Path, revision: str) -> Run:
    run(root, "git", "checkout", "-q", revision)
    began = time.monotonic()
    done = subprocess.run(
        project.test_command(root), cwd=root, capture_output=True, timeout=_TIMEOUT_S, check=False
    )
    run(root, "git", "checkout", "-qf", "new")
    return Run(done.returncode == 0, time.monotonic() - began)


def _greenline(root: Path, span: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "greenline", "verify", "--root", str(root), "--range", span]
    done = subprocess.run(
        [*command, "--fresh", "--json"],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise Broken(done.stderr.strip()[-300:]) from None
    return found
