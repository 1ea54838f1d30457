"""The whole job in Helix, with no plug-in: a real Helix in a terminal that is typed into."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
from editor_page import documented, with_greenline

from greenline.demo.scene import sample_project

ROOT = Path(__file__).parents[2]
UNPACKED = ROOT / ".venv" / "editors" / "bin" / "hx"
TEST = "test_a_step_begins_with_its_own_number"
OLD, NEW = "if quantity > pieces:", "if quantity >= pieces:"
MARK = "[verified]"
_QUICK_S, _WORK_S = 60.0, 200.0


@attrs.frozen
class Terminal:
    """A terminal with Helix in it."""

    socket: str

    def screen(self) -> str:
        """Return what can be read on it."""
        return self._tmux("capture-pane", "-p", "-t", "helix")

    def press(self, *keys: str) -> None:
        """Press keys, in tmux's words."""
        self._tmux("send-keys", "-t", "helix", *keys)

    def command(self, words: str) -> None:
        """Type a command and give it."""
        self._tmux("send-keys", "-t", "helix", "-l", f":{words}")
        self.press("Enter")

    def until(self, is_so: Callable[[str], bool], what: str, limit_s: float = _QUICK_S) -> str:
        """Wait until the screen is so, and return it."""
        deadline = time.monotonic() + limit_s
        while not is_so(screen := self.screen()):
            assert time.monotonic() < deadline, f"Helix never showed {what}:\n{screen}"
            time.sleep(0.1)
        return screen

    def act(self, title: str) -> None:
        """Choose the code action whose title begins so; asks again while the server is starting."""
        deadline = time.monotonic() + _QUICK_S
        while True:
            self.press("Space", "a")
            try:
                menu = self.until(lambda screen: "Agent: explain" in screen, "code actions", 5)
                break
            except AssertionError:
                assert time.monotonic() < deadline, self.screen()
                self.press("Escape")
        lines = [line for line in menu.splitlines() if "Agent: " in line]
        place = next(n for n, line in enumerate(lines) if f"Agent: {title}" in line)
        self.press(*["Down"] * place, "Enter")
        self.until(lambda screen: "Agent: explain" not in screen, "the menu closed")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def helix(folder: Path, root: Path, file: str, docker_host: str) -> Iterator[Terminal]:
    """Open a file in Helix, with the configuration of docs/editors.md."""
    program = str(UNPACKED) if UNPACKED.exists() else shutil.which("hx")
    assert program, "No Helix: run `bin/editors`, as `make test` does."
    assert shutil.which("tmux"), "No tmux: run `bin/editors`, as `make test` does."
    settings = folder / "config" / "helix"
    settings.mkdir(parents=True)
    (settings / "languages.toml").write_text(documented("toml"))
    environment = {**with_greenline(os.environ), "DOCKER_HOST": docker_host}
    environment |= {"TERM": "tmux-256color", "LC_ALL": "C.UTF-8"}
    environment |= {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}
    # A socket's path is short, which a test's folder need not be.
    socket = f"/tmp/greenline-helix-{os.getpid()}"
    start = ["tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "45"]
    subprocess.run([*start, "-s", "helix", "-c", str(root), program, file], env=environment, check=True)
    terminal = Terminal(socket)
    try:
        yield terminal
    finally:
        subprocess.run(["tmux", "-S", socket, "kill-server"], check=False, capture_output=True)


@pytest.mark.timeout(_WORK_S + 200)
def test_the_whole_job(tmp_path: Path, docker_host: str) -> None:
    with sample_project() as root:
        path, tests = root / "ledger" / "discount.py", root / "tests" / "test_discount.py"
        before = path.read_bytes()
        line = next(n for n, text in enumerate(tests.read_text().splitlines(), 1) if f"def {TEST}" in text)
        place = next(n for n, text in enumerate(before.decode().splitlines(), 1) if OLD in text)

        with helix(tmp_path, root, f"tests/test_discount.py:{line}", docker_host) as on:
            on.until(lambda screen: f"def {TEST}" in screen, "the file")
            on.act(f"fix {TEST}")
            on.until(lambda screen: "1 change(s) proposed: verified" in screen, "a proposal", _WORK_S)

            on.command(f"open ledger/discount.py:{place}")
            on.until(lambda screen: MARK in screen and OLD in screen, "the pending hunk")
            on.press("Space", "k")
            hover = on.until(lambda screen: "Greenline · verified" in screen, "the hover")
            assert f"+        {NEW}" in hover
            assert TEST in hover
            on.press("Escape")
            on.until(lambda screen: "Greenline · verified" not in screen, "the hover closed")

            on.act("accept")
            on.until(lambda screen: NEW in screen and MARK not in screen, "the accepted text")
            on.press("u")
            on.until(lambda screen: OLD in screen, "one step back")
            on.press("U")
            on.until(lambda screen: NEW in screen, "one step forth")
            assert path.read_bytes() == before

            on.command("lsp-workspace-command greenline.server.undo")
            on.until(lambda screen: OLD in screen and MARK in screen, "the hunk again")
            on.act("reject")
            on.until(lambda screen: MARK not in screen, "no hunk")
            assert OLD in on.screen()

            on.command("quit-all!")
        assert path.read_bytes() == before
