"""The way of a new user: a fresh home, a fresh project, and what the pages say, to the first accepted hunk.

What would be downloaded is fetched beforehand, and nothing can be fetched while the clock runs.
Taken as there: Python, git, make, npm, the editor, and a container engine that answers.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from bench.editors.feel import ROOT, NotMeasured
from bench.editors.neovim import PROGRAM
from bench.editors.page import Page
from bench.editors.screen import Screen
from bench.editors.vscode import CLIENT, NODE, driver
from bench.table import Log, load
from greenline.demo.scene import sample_project

_FILE = "ledger/discount.py"
_OLD, _NEW = "if quantity > pieces:", "if quantity >= pieces:"
_SERVER = CLIENT / "host" / "node_modules" / "code-server" / "lib" / "vscode" / "out" / "server-main.js"
_LONG_S = 900.0
Step = tuple[str, float]


@attrs.frozen
class Walk:
    """One way, step by step."""

    editor: str
    steps: tuple[Step, ...]
    load: str

    @property
    def seconds(self) -> float:
        """How long it took, without downloads."""
        return sum(seconds for _, seconds in self.steps)


@attrs.frozen
class Machine:
    """A home in which nothing is, a checkout in it, and what would be downloaded."""

    home: Path
    environment: dict[str, str]

    @property
    def checkout(self) -> Path:
        """The checkout."""
        return self.home / "greenline"

    def run(self, script: str) -> float:
        """Run a block of a page in the checkout; return its seconds."""
        started = time.monotonic()
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.checkout,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_LONG_S,
            check=False,
        )
        if done.returncode != 0:
            words = f"{done.stdout}\n{done.stderr}"[-2000:]
            raise NotMeasured(f"What the page says failed ({done.returncode}): {script}\n{words}")
        return time.monotonic() - started


@contextmanager
def fresh_machine(log: Log) -> Iterator[Machine]:
    """Make a home with a checkout of what is committed here."""
    with tempfile.TemporaryDirectory(prefix="greenline-new-") as folder:
        home = Path(folder, "home")
        home.mkdir()
        checkout = home / "greenline"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(checkout)], check=True)
        log("editors: fetching what a new user would download")
        wheels = _fetch_wheels(checkout, Path(folder, "wheels"))
        kept = ("PATH", "LANG", "DOCKER_HOST", "TERM")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {
            "HOME": str(home),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(wheels),
            "npm_config_cache": str(Path.home() / ".npm"),
            "npm_config_offline": "true",
        }
        yield Machine(home, environment)


def _fetch_wheels(checkout: Path, target: Path) -> Path:
    """Download what `make install` installs."""
    pip = [str(ROOT / ".venv" / "bin" / "python"), "-m", "pip", "download", "-q", "-d", str(target)]
    pip += ["--disable-pip-version-check", "--require-hashes"]
    pure = ["--no-deps", "--only-binary", ":all:", "--platform", "any", "--implementation", "py"]
    pure += ["--abi", "none", "--python-version", "3.9"]
    subprocess.run([*pip, "-r", str(checkout / "requirements" / "dev.txt")], check=True)
    subprocess.run([*pip, *pure, "-r", str(checkout / "sandbox" / "toolbox.txt")], check=True)
    return target


def _project(machine: Machine, name: str) -> Path:
    """Put a fresh copy of the sample into the home: the user's own project, whose test fails."""
    root = machine.home / name
    with sample_project() as sample:
        shutil.copytree(sample, root)
    return root


def _until_saved(root: Path, limit_s: float = 60.0) -> None:
    deadline = time.monotonic() + limit_s
    while _NEW not in (root / _FILE).read_text():
        if time.monotonic() > deadline:
            raise NotMeasured(f"The accepted change was not in {root / _FILE} within {limit_s:g} s.")
        time.sleep(0.1)


def walk_both(log: Log) -> list[Walk]:
    """Install once, as both pages say, then go on in each editor."""
    with fresh_machine(log) as machine:
        log(f"editors: a new user installs, load {load()}")
        install = ("make install", machine.run(Page.read("docs/neovim.md").span("make install")))
        return [walk_neovim(machine, install, log), walk_vscode(machine, install, log)]


def walk_neovim(machine: Machine, install: Step, log: Log) -> Walk:
    """Follow docs/neovim.md."""
    log(f"editors: a new user of Neovim, load {load()}")
    page = Page.read("docs/neovim.md")
    steps = [install, ("the plug-in", machine.run(page.block("sh", "ln -s")))]
    init = machine.home / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True)
    init.write_text(page.block("lua", "vim.lsp.enable"))
    plan, write = page.span(r":Agent plan make .*"), page.span(":wq")
    onward, accept, save = page.span("]g"), page.span("ga"), page.span(":wall")
    root = _project(machine, "neovim-ledger")
    environment = {**machine.environment, "LC_ALL": "C.UTF-8"}
    started = time.monotonic()
    with Screen(machine.home / "tmux", f"{shlex.quote(str(PROGRAM))} {_FILE}", root, environment) as screen:
        screen.until("STEPS = ", "the file")
        steps.append(("the editor", time.monotonic() - started))
        started = time.monotonic()
        screen.type(plan)
        screen.until("# Plan", "the plan", _LONG_S)
        steps.append(("the plan", time.monotonic() - started))
        started = time.monotonic()
        screen.type(write)
        screen.until("1 change proposed, verified", "the change", _LONG_S)
        steps.append(("a verified change", time.monotonic() - started))
        started = time.monotonic()
        screen.press(onward)
        screen.until("ga accept", "the change at its place")
        screen.press(accept)
        screen.until("1 change accepted", "that it is accepted")
        screen.type(save)
        _until_saved(root)
        steps.append(("accepted and saved", time.monotonic() - started))
    return Walk("Neovim", tuple(steps), load().split()[0])


def walk_vscode(machine: Machine, install: Step, log: Log) -> Walk:
    """Follow docs/vscode.md."""
    log(f"editors: a new user of VS Code, load {load()}")
    page = Page.read("docs/vscode.md")
    root = _project(machine, "vscode-ledger")
    base = machine.home / "vscode"
    _put_code_on_path(machine, base)
    # What is installed already is made no second time.
    steps = [install, ("make vsix", machine.run(page.block("sh", "make vsix")))]
    steps.append(("the extension", machine.run(page.span(r"code --install-extension \S+"))))
    steps.append(("the server on PATH", machine.run(page.block("sh", "~/.local/bin"))))
    titles = [page.span("Agent: fix failing tests"), page.span("✓ Accept")]
    with driver("test/bench/first-hunk.ts", str(base), str(machine.home), str(root), *titles) as vscode:
        for name in ("the editor", "a verified change", "accepted and saved"):
            started = time.monotonic()
            vscode.answer(name)
            steps.append((name, time.monotonic() - started))
    _until_saved(root, 5.0)
    return Walk("VS Code", tuple(steps), load().split()[0])


def _put_code_on_path(machine: Machine, base: Path) -> None:
    """Stand in for the program `code` of an installed VS Code: the same server, with its own folder."""
    folder = machine.home / "bin"
    folder.mkdir()
    program = folder / "code"
    options = f"--server-data-dir {shlex.quote(str(base / 'srv'))} --accept-server-license-terms"
    server = f"{shlex.quote(str(NODE))} {shlex.quote(str(_SERVER))}"
    program.write_text(f'#!/bin/sh\nexec {server} {options} "$@"\n')
    program.chmod(0o755)
    machine.environment["PATH"] = f"{folder}{os.pathsep}{machine.environment['PATH']}"
    machine.environment["EXTENSIONS_GALLERY"] = '{"serviceUrl":""}'
