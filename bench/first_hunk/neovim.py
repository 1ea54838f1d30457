"""A first hunk in Neovim: keys are typed into its terminal, and what holds is asked over its own socket."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.editors.feel import NotMeasured
from bench.editors.neovim import PROGRAM
from bench.editors.terminal import Terminal
from bench.first_hunk.step import Steps, Timed, Way

_KEY_S, _LOOK_S = 300.0, 0.2
_WAITING = 'require("greenline.proposal").waiting()'
_OPENED = '(vim.lsp.get_clients({name="greenline"})[1] or {}).initialized'
_EFFECTS = {
    ":Agent fix": f"{_WAITING}[1] ~= nil",
    "]g": f"vim.api.nvim_win_get_cursor(0)[1] == {_WAITING}[1].hunk.range.start.line + 1",
    "ga": f"{_WAITING}[1] == nil and vim.bo.modified",
    ":w": "not vim.bo.modified",
}


def _need() -> None:
    if not PROGRAM.exists():
        raise NotMeasured("There is no Neovim: run `bin/neovim`.")


def _take(steps: Steps, where: Path, environment: Mapping[str, str]) -> Iterator[Timed]:
    started = time.monotonic()
    with _neovim(steps.commands[-1], where, environment) as (terminal, asks):
        _until(_OPENED, terminal, asks)
        yield Timed(steps.commands[-1], time.monotonic() - started)
        for keys in steps.keys:
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
    sockets = Path(environment["XDG_RUNTIME_DIR"])

    def asks(lua: str) -> str:
        found = list(sockets.glob("nvim.*.0"))
        if not found:
            return ""
        expression = f"luaeval('tostring({lua})')"
        done = subprocess.run(
            [str(PROGRAM), "--server", str(found[0]), "--remote-expr", expression],
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


NEOVIM = Way(
    editor="Neovim",
    heading="## A first hunk in Neovim",
    effects=_EFFECTS,
    need=_need,
    downloads=lambda _: (),
    programs=lambda _: {"nvim": f"#!/bin/sh\nexec '{PROGRAM}' \"$@\"\n"},
    take=_take,
)
