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

import attrs

from bench.real_project import PROJECTS, Broken, Project, make
from bench.table import Log, Table, Target, load

_TIMEOUT_S = 1800


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
    expected: tuple[str, str, str]
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether every verdict is one that the suite's own runs allow."""
        return all(said in due.split("|") for said, due in zip(self.verdicts, self.expected, strict=True))


def measure(log: Log) -> Table:
    """Verify every project; one that cannot be set up here is named and counts for none."""
    before = load()
    wanted = os.environ.get("GREENLINE_BENCH_PROJECTS", "").split()
    rows, outcomes, broken = [], [], []
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
        log(f"{project.name}: {outcome}")
        outcomes.append(outcome)
        rows.append(
            (
                f"{project.name} {project.before} → {project.version}",
                str(outcome.n_tests),
                *outcome.verdicts,
                f"{outcome.host_s:.1f}",
                f"{outcome.seconds:.1f}",
            )
        )
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
        (
            Target("projects with a verdict that their suite contradicts", len(wrong), 0),
            Target("projects short of ten", max(0, 10 - len(outcomes)), 0),
        ),
        (
            f"load average before and after: {before}, {load()}",
            *(f"{o.project.name}: expected {', '.join(o.expected)}" for o in wrong),
            *broken,
        ),
    )


def _verify(project: Project, folder: Path) -> Outcome:
    root = make(project, folder)
    new = _on_host(project, root, "new")
    old = _on_host(project, root, "old")
    evidence = [_greenline(root, span) for span in ("new..noted", "new..old", "old..new")]
    changes = "verified|notCovered"
    expected = {
        (True, False): ("notCovered", "regressed", "verified"),
        (True, True): ("notCovered", changes, changes),
    }.get((new.passes, old.passes))
    if expected is None:
        raise Broken("its own tests do not pass on this machine")
    return Outcome(
        project,
        evidence[2]["patched"]["total"],
        new.seconds + old.seconds,
        tuple(said["verdict"] for said in evidence),
        expected,
        evidence[2]["seconds"],
    )


def _on_host(project: Project, root: Path, revision: str) -> Run:
    _git(root, "checkout", "-q", revision)
    began = time.monotonic()
    done = subprocess.run(
        project.test_command(root), cwd=root, capture_output=True, timeout=_TIMEOUT_S, check=False
    )
    _git(root, "checkout", "-qf", "new")
    return Run(done.returncode == 0, time.monotonic() - began)


def _greenline(root: Path, span: str) -> dict[str, object]:
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
        return json.loads(done.stdout)
    except ValueError:
        raise Broken(done.stderr.strip()[-300:]) from None


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)
