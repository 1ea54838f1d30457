"""From an empty home to a first accepted, verified hunk in Neovim, as the README tells it; downloads apart.

What the README says is read from it: a step that does not work as it stands there fails the measurement.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import attrs

from bench.editors.feel import ROOT, NotMeasured
from bench.editors.neovim import PROGRAM
from bench.editors.terminal import Terminal
from bench.table import Log, Table, Target, load

LIMIT_S = 180.0
HEADING = "## A first hunk in Neovim"
_STEP_S, _KEY_S, _LOOK_S = 900.0, 300.0, 0.2
_FOREIGN = re.compile(r"(GREENLINE|NVIM|XDG|PYTHON|MAKE|MFLAGS|VIRTUAL_ENV|PIP_(NO_INDEX|FIND_LINKS))")
_WAITING = 'require("greenline.proposal").waiting()'
_OPENED = '(vim.lsp.get_clients({name="greenline"})[1] or {}).initialized'
_EFFECTS = {
    ":Agent fix": f"{_WAITING}[1] ~= nil",
    "]g": f"vim.api.nvim_win_get_cursor(0)[1] == {_WAITING}[1].hunk.range.start.line + 1",
    "ga": f"{_WAITING}[1] == nil and vim.bo.modified",
    ":w": "not vim.bo.modified",
}
"""What is typed → what holds in Neovim once it is done."""


@attrs.frozen
class Steps:
    """What a part of the README tells its reader to do."""

    commands: tuple[str, ...]
    """In a shell, in the checkout; the last one opens the editor."""
    keys: tuple[str, ...]
    """In the editor."""


@attrs.frozen
class Timed:
    """A step that was taken."""

    name: str
    seconds: float
    processor_s: float | None = None
    """None where the editor and its server, which go on, did the work."""
    is_download: bool = False


def read_steps(text: str, heading: str) -> Steps:
    """Return the steps below a heading: its `sh` block, and what the entries of its list begin with."""
    _, found, rest = text.partition(f"{heading}\n")
    part = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    block = re.search(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    keys = tuple(re.findall(r"^\d+\. `([^`]+)`", part, re.MULTILINE))
    if not found or block is None or not keys:
        raise NotMeasured(f"The text has no commands and keys below {heading!r}.")
    lines = block[1].replace("\\\n", " ").splitlines()
    return Steps(tuple(line for line in lines if line.strip()), keys)


def measure(log: Log) -> Table:
    """Follow the README once."""
    before = load()
    if not PROGRAM.exists():
        raise NotMeasured("There is no Neovim: run `bin/neovim`.")
    # The path of the engine's sockets must stay short.
    with tempfile.TemporaryDirectory(prefix="gl-first-", ignore_cleanup_errors=True) as folder:
        steps = list(_follow(Path(folder).resolve(), log))
    total = sum(step.seconds for step in steps if not step.is_download)
    rows = [_row(step) for step in steps]
    rows.append(("in all, downloads not counted", f"{total:.1f}", "", ""))
    notes = (
        "a fresh clone of the last commit and an empty home; pip has what was downloaded and no index",
        "reading and typing take no time here; the change was verified, and the suite passes afterwards",
        f"load average {before} before and {load()} after",
    )
    target = Target("first accepted hunk in Neovim", total, LIMIT_S, "s")
    return Table("a first hunk, by the README", ("step", "s", "CPU s", ""), tuple(rows), (target,), notes)


def _row(step: Timed) -> tuple[str, ...]:
    processor = "" if step.processor_s is None else f"{step.processor_s:.1f}"
    return (step.name, f"{step.seconds:.1f}", processor, "download" if step.is_download else "")


def _follow(base: Path, log: Log) -> Iterator[Timed]:
    checkout = base / "greenline"
    for name, command in _downloads(base, checkout):
        log(f"first_hunk: {name}")
        yield attrs.evolve(_timed(name, partial(_run, command, ROOT, os.environ)), is_download=True)
    steps = read_steps((checkout / "README.md").read_text("utf-8"), HEADING)
    environment = _empty_environment(base)
    try:
        where = checkout
        for command in steps.commands[:-1]:
            log(f"first_hunk: {command}")
            ended_in = base / "where"
            yield _timed(command, partial(_shell, command, where, ended_in, environment))
            where = Path(ended_in.read_text().rstrip("\n"))
        log(f"first_hunk: {steps.commands[-1]}")
        yield from _in_neovim(steps, where, environment)
        _run([str(checkout / ".venv/bin/python"), "-m", "pytest", "-q", str(where)], where, environment)
    finally:
        _stop_engine(checkout, environment)


def _downloads(base: Path, checkout: Path) -> list[tuple[str, list[str]]]:
    wheels = str(base / "wheels")
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    pip += ["--require-hashes", "-d", wheels]
    return [
        ("git clone", ["git", "clone", "-q", str(ROOT), str(checkout)]),
        ("packages", [*pip, "-r", str(checkout / "requirements/dev.txt")]),
        (
            "the toolbox",
            [sys.executable, str(checkout / "sandbox/build_toolbox.py"), "--download", wheels],
        ),
    ]


def _empty_environment(base: Path) -> dict[str, str]:
    """Return the environment of a user who has nothing yet but Neovim."""
    for name in ("home", "run", "bin"):
        (base / name).mkdir(mode=0o700)
    (base / "bin" / "nvim").symlink_to(PROGRAM)
    kept = {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)}
    if os.getuid() == 0:
        # Root gets an engine by the first command; anybody else must have one.
        kept.pop("DOCKER_HOST", None)
    return {
        **kept,
        "HOME": str(base / "home"),
        "XDG_RUNTIME_DIR": str(base / "run"),
        "PATH": f"{base / 'bin'}{os.pathsep}{kept['PATH']}",
        "LC_ALL": "C.UTF-8",
        # What would be downloaded meanwhile fails the step.
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(base / "wheels"),
    }


def _in_neovim(steps: Steps, where: Path, environment: Mapping[str, str]) -> Iterator[Timed]:
    started = time.monotonic()
    with _neovim(steps.commands[-1], where, environment) as (terminal, asks):
        _until(_OPENED, terminal, asks)
        yield Timed(steps.commands[-1], time.monotonic() - started)
        for keys in steps.keys:
            if keys not in _EFFECTS:
                raise NotMeasured(f"The README says {keys}, and this table does not know its effect.")
            started = time.monotonic()
            terminal.type(f"{keys}\r" if keys.startswith(":") else keys)
            _until(_EFFECTS[keys], terminal, asks)
            yield Timed(keys, time.monotonic() - started)
            if keys == ":Agent fix":
                verdict = asks(f"{_WAITING}[1].proposal.evidence.verdict")
                if verdict != "verified":
                    why = asks(f"{_WAITING}[1].proposal.evidence.detail")
                    raise NotMeasured(f"The change is {verdict}: {why}")


@contextmanager
def _neovim(
    command: str, where: Path, environment: Mapping[str, str]
) -> Iterator[tuple[Terminal, Callable[[str], str]]]:
    """Open Neovim by a command; what holds in it is asked over the socket that it always has."""
    run = Path(environment["XDG_RUNTIME_DIR"])

    def asks(lua: str) -> str:
        sockets = list(run.glob("nvim.*.0"))
        if not sockets:
            return ""
        expression = f"luaeval('tostring({lua})')"
        done = subprocess.run(
            [str(PROGRAM), "--server", str(sockets[0]), "--remote-expr", expression],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_KEY_S,
            check=False,
        )
        return done.stdout.strip()

    with Terminal(["bash", "-c", f"exec {command}"], where, environment) as terminal:
        yield terminal, asks


def _until(lua: str, terminal: Terminal, asks: Callable[[str], str]) -> None:
    deadline = time.monotonic() + _KEY_S
    while asks(lua) != "true":
        if time.monotonic() > deadline:
            said = asks('vim.inspect(require("greenline.say").history)')
            raise NotMeasured(f"Not within {_KEY_S:g} s in Neovim: {lua}. It said: {said}")
        terminal.drain(_LOOK_S)


def _shell(command: str, where: Path, ended_in: Path, environment: Mapping[str, str]) -> None:
    """Run a line as a shell does that goes on; the folder that it ends in is written to `ended_in`."""
    _run(["bash", "-euc", f"{command}\npwd >'{ended_in}'"], where, environment)


def _run(command: list[str], where: Path, environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        cwd=where,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_STEP_S,
        check=False,
    )
    if done.returncode != 0:
        raise NotMeasured(f"{' '.join(command)} ended with {done.returncode}: {done.stdout[-2000:]}")


def _stop_engine(checkout: Path, environment: Mapping[str, str]) -> None:
    """Stop the engine that was started in the empty home, and none else."""
    _run(["bash", str(checkout / "sandbox/engine.sh"), "stop"], checkout, environment)


def _timed(name: str, act: Callable[[], None]) -> Timed:
    started, before = time.monotonic(), os.times()
    act()
    after = os.times()
    processor_s = sum(after[2:4]) - sum(before[2:4])
    return Timed(name, time.monotonic() - started, processor_s)
