"""An empty home beside a fresh clone, as a user has them at first, and the commands that are run there."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import attrs

from bench.editors.feel import ROOT, run_to_end
from bench.first_hunk.step import Download, Timed

_STEP_S = 900.0
_FOREIGN = re.compile(
    r"(GREENLINE|NVIM|XDG|PYTHON|MAKE|MFLAGS|VIRTUAL_ENV|VSCODE|NODE_|npm_|PIP_(NO_INDEX|FIND_LINKS))"
)


@attrs.frozen
class Home:
    """The folder that holds the clone, the home and what was downloaded."""

    base: Path

    @property
    def checkout(self) -> Path:
        """The clone."""
        return self.base / "greenline"

    @property
    def npm(self) -> Path:
        """What npm has downloaded."""
        return self.base / "npm"

    def downloads(self) -> list[Download]:
        """Return what every way needs."""
        wheels = str(self.base / "wheels")
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        pip += ["--require-hashes", "-d", wheels]
        toolbox = str(self.checkout / "sandbox/build_toolbox.py")
        return [
            ("git clone", ["git", "clone", "-q", str(ROOT), str(self.checkout)]),
            ("packages", [*pip, "-r", str(self.checkout / "requirements/dev.txt")]),
            ("the toolbox", [sys.executable, toolbox, "--download", wheels]),
        ]

    def make(self, programs: Mapping[str, str]) -> dict[str, str]:
        """Make the home of a user who has nothing yet but these programs; returns its environment."""
        for name in ("home", "run", "bin"):
            (self.base / name).mkdir(mode=0o700)
        for name, script in programs.items():
            (self.base / "bin" / name).write_text(script)
            (self.base / "bin" / name).chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)}
        if os.getuid() == 0:
            # Root gets an engine by the first command; anybody else must have one.
            kept.pop("DOCKER_HOST", None)
        return {
            **kept,
            "HOME": str(self.base / "home"),
            "XDG_RUNTIME_DIR": str(self.base / "run"),
            "PATH": f"{self.base / 'bin'}{os.pathsep}{kept['PATH']}",
            "LC_ALL": "C.UTF-8",
            # What would be downloaded meanwhile fails the step.
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.base / "wheels"),
            "npm_config_cache": str(self.npm),
            "npm_config_offline": "true",
        }

    def shell(self, command: str, where: Path, environment: Mapping[str, str]) -> tuple[Timed, Path]:
        """Run a line as a shell does that goes on; returns what it took and the folder that it ends in."""
        ended_in = self.base / "where"
        line = ["bash", "-euc", f"{command}\npwd >'{ended_in}'"]
        step = timed(command, partial(run, line, where, environment))
        return step, Path(ended_in.read_text().rstrip("\n"))

    def stop_engine(self, environment: Mapping[str, str]) -> None:
        """Stop the engine that was started in the empty home, and none else."""
        run(["bash", str(self.checkout / "sandbox/engine.sh"), "stop"], self.checkout, environment)


def run(command: list[str], where: Path, environment: Mapping[str, str]) -> None:
    """Run a command to its end; raises with what it wrote where it fails."""
    run_to_end(command, where, environment, _STEP_S)


def timed(name: str, act: Callable[[], None]) -> Timed:
    """Do something, and return what it took."""
    started, before = time.monotonic(), os.times()
    act()
    after = os.times()
    processor_s = sum(after[2:4]) - sum(before[2:4])
    return Timed(name, time.monotonic() - started, processor_s)
