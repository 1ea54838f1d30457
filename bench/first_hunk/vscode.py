"""A first hunk in VS Code: its own server, and a window in a browser in which a person's steps are taken."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.editors.driver import CLIENT, NODE, RUN_TYPESCRIPT, SERVER, Driver, need_vscode
from bench.first_hunk.home import Home
from bench.first_hunk.step import Download, Steps, Timed, Way

_FIRST = CLIENT / "test" / "bench" / "first.ts"
_STEP_S = 400.0
_EFFECTS = {
    "Restricted Mode": "asked",
    "Trust": "ready",
    "Agent: fix failing tests": "proposed",
    "Review": "shown",
    "✓ Accept": "accepted",
    "Ctrl+S": "saved",
}
"""What is chosen, pressed or clicked → what the driver waits for."""
_CODE = f"""#!/bin/bash
# What VS Code's command does, with its server; the window is a page of a browser.
data=$HOME/.vscode-server
if [ "$1" = --install-extension ]; then
  exec '{NODE}' '{SERVER}' --server-data-dir "$data" --accept-server-license-terms "$@"
fi
exec {" ".join(f"'{word}'" for word in (*RUN_TYPESCRIPT, str(_FIRST)))} "$data" "$1"
"""


def _downloads(home: Home) -> list[Download]:
    """Return the packages from which the extension is made; they are in npm's cache afterwards."""
    client, copy = home.checkout / "editor-clients" / "vscode", home.base / "client"
    lines = (
        f"mkdir '{copy}'",
        f"cp '{client}/package.json' '{client}/package-lock.json' '{client}/.npmrc' '{copy}'",
        f"cd '{copy}'",
        f"npm ci --ignore-scripts --no-audit --no-fund --cache '{home.npm}' >/dev/null",
        f"rm -r '{copy}'",
    )
    return [("npm's packages", ["bash", "-euc", "\n".join(lines)])]


def _take(steps: Steps, where: Path, environment: Mapping[str, str]) -> Iterator[Timed]:
    started = time.monotonic()
    command = steps.commands[-1]
    with Driver(("bash", "-c", f"exec {command}"), where, environment) as driver:
        driver.ask("open", _STEP_S)
        yield Timed(command, time.monotonic() - started)
        for key in steps.keys:
            started = time.monotonic()
            driver.ask("take", _STEP_S, step=key, until=_EFFECTS[key])
            yield Timed(key, time.monotonic() - started)


VSCODE = Way(
    editor="VS Code",
    heading="## A first hunk in VS Code",
    effects=_EFFECTS,
    need=need_vscode,
    downloads=_downloads,
    programs=lambda _: {"code": _CODE},
    take=_take,
)
