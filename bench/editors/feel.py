"""What was measured in one editor, and the work that is under way meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from greenline.edit.hunk import diff_text

N_SAMPLES = 120
"""Of each kind, idle and at work."""
ROOT = Path(__file__).parents[2]
Times = dict[str, list[float]]
"""`hover`, `code action`, `key` → seconds."""


class NotMeasured(Exception):
    """An editor did not do what was to be measured."""


def run_to_end(command: Sequence[str], where: Path, environment: Mapping[str, str], limit_s: float) -> None:
    """Run a command to its end; raises `NotMeasured` with its last words where it fails."""
    done = subprocess.run(
        command,
        cwd=where,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit_s,
        check=False,
    )
    if done.returncode != 0:
        raise NotMeasured(f"{' '.join(command)} ended with {done.returncode}: {done.stdout[-2000:]}")


@attrs.frozen
class Feel:
    """The times of one editor."""

    editor: str
    idle: Times
    busy: Times
    load: str
    """The load average when idle and after the work, one minute each."""
    work: str
    """How much work ended meanwhile, in words."""
    is_control: bool = False
    """Whether this is measured beside the editor, to say where the time goes; it has no target."""


@attrs.define
class Verifications:
    """`greenline verify` of a right patch over a project, begun again whenever it ends."""

    root: Path
    environment: Mapping[str, str]
    n_done: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def keep_going(self) -> None:
        """Begin what has ended; call often."""
        if self._process is not None and self._process.poll() is None:
            return
        if self._process is not None:
            if self._process.returncode != 0:
                raise NotMeasured(f"`greenline verify` ended with {self._process.returncode} under load.")
            self.n_done += 1
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._command(), stdin=null, stdout=null, stderr=null, env=dict(self.environment)
        )

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def _command(self) -> list[str]:
        path = self.root / "ledger" / "discount.py"
        patch = self.root.parent / "fix.diff"
        if not patch.exists():
            before = path.read_text()
            patch.write_text(diff_text("ledger/discount.py", before, before.replace("> pieces", ">= pieces")))
        greenline = [sys.executable, "-m", "greenline", "verify", "--json"]
        return [*greenline, "--root", str(self.root), "--patch", str(patch)]
