"""aider's own appliers beside ours: installed into an environment outside of the repository when measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from bench.table import Log

_WANTED = "aider-chat==0.86.2"
_INSTALL_S = 900
_HOST = Path(__file__).with_name("aider_host.py")


class NotInstalled(Exception):
    """Why the peer cannot be measured."""


@attrs.define
class Host:
    """One process in which aider's coders apply edits."""

    process: subprocess.Popen[str]
    version: str

    def diff(self, folder: Path, edit: str) -> bool:
        """Apply a diff as aider's udiff coder does; return whether it says that it did."""
        return self._ask("udiff", folder, edit if "```" in edit else f"```diff\n{edit}```\n")

    def blocks(self, folder: Path, edit: str) -> bool:
        """Apply SEARCH/REPLACE blocks as aider's editblock coder does."""
        return self._ask("diff", folder, edit)

    def _ask(self, form: str, folder: Path, edit: str) -> bool:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"form": form, "folder": str(folder), "edit": edit}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("aider's process ended.")
        return bool(json.loads(line)["claimed"])


@contextmanager
def aider(log: Log) -> Iterator[Host]:
    """Install aider where it is not there yet, and start its process; raises `NotInstalled`."""
    python = _installed(log)
    pipe = subprocess.PIPE
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONWARNINGS": "ignore"}
    process = subprocess.Popen(
        [str(python), str(_HOST)],
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        if not first:
            raise NotInstalled("its process does not start")
        yield Host(process, json.loads(first)["version"])
    finally:
        process.kill()
        process.communicate()


def _installed(log: Log) -> Path:
    """Return the interpreter of an environment that has aider."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "greenline-bench" / _WANTED.replace("==", "-")
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python
    log(f"installing {_WANTED} into {folder}")
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", _WANTED],
    ):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_INSTALL_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotInstalled(f"it cannot be installed ({type(error).__name__})") from error
        if done.returncode:
            words = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason"]
            raise NotInstalled(f"it cannot be installed ({words[-1][:120]})")
    (folder / "complete").touch()
    return python
