"""A random editor beside a live index: `python tests/e2e/soak.py --seconds 1800 [--seed N] [--files N]`.

It writes, saves over a rename, moves, removes, makes folders, switches branches, changes ignore files, types
in open buffers and kills the worker. Each time that it rests the index must equal one that is built from
nothing; the worker's memory must stay flat and the file bounded. Prints one JSON line; exits 1 on any fault.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import attrs

sys.path.append(str(Path(__file__).parents[1] / "unit"))

from index_dump import dump  # type: ignore[import-not-found]

from greenline.app import index_path
from greenline.core.index_port import IndexStatus
from greenline.guard.gate import Gate
from greenline.index.indexer import Indexer
from greenline.index.live.client import LiveIndexClient
from greenline.index.schema import connect
from greenline.index.store import IndexStore

SETTLE_S = 120.0
_WORDS = ("garden", "river", "stone", "market", "window", "letter", "engine", "copper", "violet", "hammer")
_MAX_GROWTH_MB = 60.0
_MAX_FILE_RATIO = 4.0


@attrs.define
class Soak:
    """What happened."""

    seconds: float = 0.0
    n_actions: int = 0
    n_rounds: int = 0
    n_kills: int = 0
    drift: list[str] = attrs.field(factory=list)
    """One line for each rest at which the index was another than a fresh one."""
    settle_s: list[float] = attrs.field(factory=list)
    memory_mb: list[float] = attrs.field(factory=list)
    """Of the worker at each rest."""
    file_ratio: list[float] = attrs.field(factory=list)
    """Size of the index file over that of a fresh one, at each rest."""

    def faults(self) -> list[str]:
        """Return what must not be."""
        found = list(self.drift)
        grown = self.growth_mb()
        if grown > _MAX_GROWTH_MB:
            found.append(f"the worker's memory grew by {grown:.0f} MB")
        if self.file_ratio and self.file_ratio[-1] > _MAX_FILE_RATIO:
            found.append(f"the file is {self.file_ratio[-1]:.1f} times a fresh one")
        return found

    def growth_mb(self) -> float:
        """Return the median memory of the last third over that of the third before."""
        third = len(self.memory_mb) // 3
        if third == 0:
            return 0.0
        later, middle = self.memory_mb[-third:], self.memory_mb[-2 * third : -third]
        return statistics.median(later) - statistics.median(middle)

    def line(self) -> str:
        """Return the figures as JSON."""
        figures = {
            "seconds": round(self.seconds, 1),
            "actions": self.n_actions,
            "rounds": self.n_rounds,
            "kills": self.n_kills,
            "settleS": {"median": statistics.median(self.settle_s), "max": max(self.settle_s)},
            "memoryMB": {"first": self.memory_mb[0], "last": self.memory_mb[-1], "max": max(self.memory_mb)},
            "fileRatio": {"last": self.file_ratio[-1], "max": max(self.file_ratio)},
            "faults": self.faults(),
        }
        return json.dumps(figures)


class RandomEditor:
    """Does to a folder what people and tools do."""

    def __init__(self, root: Path, client: LiveIndexClient, choice: random.Random, n_files: int) -> None:
        self.root = root
        self.client = client
        self.random = choice
        self.buffers: dict[str, str] = {}
        self.n_kills = 0
        self.did: deque[str] = deque(maxlen=400)
        """The last actions, each with its time."""
        self._number = 0
        for n in range(n_files):
            folder = root / f"pkg{n % 12}"
            folder.mkdir(exist_ok=True)
            (folder / f"m{n}.py").write_text(self.text())
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.git("branch", "side")

    def git(self, *arguments: str) -> None:
        """Run git; a checkout that would lose changes may refuse."""
        identity = ["-c", "user.name=s", "-c", "user.email=s@s.test", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=False, capture_output=True)

    def text(self) -> str:
        """Return a small module."""
        names = self.random.sample(_WORDS, 4)
        parts = [
            f"def {name}_{self.random.randrange(10_000)}(a, b):\n    return {name}(a + {n}, b)\n"
            for n, name in enumerate(names)
        ]
        return "\n\n".join(parts)

    def act(self) -> None:
        """Do one thing."""
        actions = {
            self.write: 30,
            self.save_over: 15,
            self.make: 10,
            self.remove: 6,
            self.move: 6,
            self.type: 20,
            self.type_unsaved: 3,
            self.close: 8,
            self.save: 6,
            self.make_folder: 3,
            self.move_folder: 2,
            self.remove_folder: 1,
            self.ignore: 2,
            self.track: 1,
            self.untrack: 1,
            self.commit: 2,
            self.switch: 3,
        }
        (action,) = self.random.choices(list(actions), list(actions.values()))
        self.did.append(f"{time.monotonic():.3f} {action.__name__} {action()}")

    def some_file(self) -> Path | None:
        """Return a file, if there is one."""
        files = sorted(p for p in self.root.rglob("*.py") if ".git" not in p.parts)
        return self.random.choice(files) if files else None

    def some_folder(self) -> Path | None:
        """Return a folder, if there is one."""
        folders = sorted(p for p in self.root.rglob("*") if p.is_dir() and ".git" not in p.parts)
        return self.random.choice(folders) if folders else None

    def new_path(self) -> Path:
        """Return a path where nothing is."""
        self._number += 1
        return (self.some_folder() or self.root) / f"n{self._number}.py"

    def write(self) -> Path | None:
        """Write a file in place."""
        if (path := self.some_file()) is not None:
            path.write_text(self.text())
        return path

    def save_over(self) -> Path | None:
        """Save as careful editors do."""
        if (path := self.some_file()) is not None:
            beside = path.with_name(f".{path.name}.swp~")
            beside.write_text(self.text())
            beside.replace(path)
        return path

    def make(self) -> Path:
        """Make a file."""
        path = self.new_path()
        path.write_text(self.text())
        return path

    def remove(self) -> Path | None:
        """Remove a file."""
        if (path := self.some_file()) is not None:
            path.unlink()
        return path

    def move(self) -> tuple[Path, Path] | None:
        """Rename a file."""
        if (path := self.some_file()) is None:
            return None
        return path, path.rename(self.new_path())

    def type(self) -> Path | None:
        """Type in a buffer, open or newly opened."""
        open_paths = [Path(path) for path in self.buffers]
        path = self.random.choice(open_paths) if len(open_paths) > 5 else self.some_file()
        if path is not None:
            self.put(path, self.text())
        return path

    def type_unsaved(self) -> Path:
        """Type in a buffer that was never saved."""
        path = self.new_path()
        self.put(path, self.text())
        return path

    def put(self, path: Path, text: str) -> None:
        """Have a text in a buffer."""
        self.buffers[str(path)] = text
        self.client.put_buffer(str(path), text)

    def save(self) -> str:
        """Save a buffer to where it belongs, if its folder is still there."""
        path = self.random.choice(sorted(self.buffers)) if self.buffers else ""
        if path and Path(path).parent.is_dir():
            Path(path).write_text(self.buffers[path])
        return path

    def close(self) -> str:
        """Close a buffer."""
        path = self.random.choice(sorted(self.buffers)) if self.buffers else ""
        if path:
            del self.buffers[path]
            self.client.put_buffer(path, None)
        return path

    def make_folder(self) -> Path:
        """Make a folder and fill it at once."""
        self._number += 1
        folder = (self.some_folder() or self.root) / f"d{self._number}" / "inner"
        folder.mkdir(parents=True)
        for n in range(5):
            (folder / f"x{n}.py").write_text(self.text())
        return folder

    def move_folder(self) -> tuple[Path, Path] | None:
        """Move a folder with all that it holds."""
        if (folder := self.some_folder()) is None:
            return None
        self._number += 1
        return folder, folder.rename(self.root / f"moved{self._number}")

    def remove_folder(self) -> Path | None:
        """Remove a folder with all that it holds."""
        if (folder := self.some_folder()) is not None:
            shutil.rmtree(folder)
        return folder

    def ignore(self) -> tuple[str, str]:
        """Ignore something else, in one of the files that can say so."""
        names = [".gitignore", ".greenlineignore", "pkg5/.gitignore", ".git/info/exclude"]
        name = self.random.choice(names)
        rules = self.random.choice(["", "n1*.py\n", "pkg3/\n", "*.md\nd*/\n", "pkg*/m1*.py\n!m11.py\n"])
        if (self.root / name).parent.is_dir():
            (self.root / name).write_text(rules)
        return name, rules

    def track(self) -> Path | None:
        """Have git track a file, whatever the rules say."""
        if (path := self.some_file()) is not None:
            self.git("add", "-f", str(path))
        return path

    def untrack(self) -> Path | None:
        """Have git forget a file that stays."""
        if (path := self.some_file()) is not None:
            self.git("rm", "-q", "--cached", str(path))
        return path

    def commit(self) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-qm", "more")

    def switch(self) -> str:
        """Switch to another branch, throwing away what is not committed."""
        branch = self.random.choice(["main", "side"])
        self.git("checkout", "-qf", branch)
        return branch

    def kill(self) -> None:
        """Kill the worker."""
        if self.client.pid is not None:
            os.kill(self.client.pid, signal.SIGKILL)
            self.n_kills += 1
            self.did.append(f"{time.monotonic():.3f} kill")


def memory_mb(pid: int | None) -> float:
    """Return a process's resident memory."""
    status = Path(f"/proc/{pid}/status").read_text() if pid is not None else ""
    return next(
        (int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0
    )


def difference(found: dict[str, Any] | None, wanted: dict[str, Any]) -> str:
    """Say where an index is another than a fresh one."""
    if found is None:
        return "the index never rested"
    said = []
    for key in sorted({*found, *wanted}):
        if key not in wanted:
            said.append(f"{key} should not be there")
        elif key not in found:
            said.append(f"{key} is missing")
        elif found[key] != wanted[key] and key == "skipped":
            said.append(f"skipped {sorted(set(found[key]) ^ set(wanted[key]))}")
        elif found[key] != wanted[key] and key not in ("search", "graph"):
            said.append(f"{key} is outdated: {found[key].get('file')} for {wanted[key].get('file')}")
    return "; ".join(said[:6]) or "the words differ"


def fresh_of(root: Path, buffers: dict[str, str]) -> tuple[dict[str, Any], int]:
    """Return what an index built from nothing says, and its size."""
    with tempfile.TemporaryDirectory() as home:
        indexer = Indexer(Path(home) / "index.db", [str(root)], Gate([str(root)]))
        try:
            indexer.scan()
            indexer.set_buffers(buffers)
            return dump(indexer.store), indexer.store.stats().index_bytes
        finally:
            indexer.close()


def kept_of(root: Path) -> tuple[dict[str, Any] | None, int]:
    """Return what the live index says, and its size."""
    path = index_path([str(root)])
    store = IndexStore(path, connect(path, writable=True))
    try:
        return dump(store), store.stats().index_bytes
    except KeyError:
        # It was written between two questions.
        return None, 0
    finally:
        store.close()


def compare(root: Path, buffers: dict[str, str], soak: Soak) -> None:
    """Wait until the live index says what a fresh one says, and note how long that took."""
    began = time.monotonic()
    wanted, fresh_bytes = fresh_of(root, buffers)
    while True:
        found, n_bytes = kept_of(root)
        if found == wanted:
            break
        if time.monotonic() - began > SETTLE_S:
            soak.drift.append(f"round {soak.n_rounds}: {difference(found, wanted)}")
            return
        time.sleep(0.05)
    soak.settle_s.append(round(time.monotonic() - began, 2))
    soak.file_ratio.append(round(n_bytes / max(1, fresh_bytes), 2))


async def run(seconds: float, seed: int, n_files: int, home: Path) -> Soak:
    """Edit for so long, in a folder of its own."""
    root = home / "ws"
    root.mkdir()
    os.environ["GREENLINE_STATE_DIR"] = str(home / "state")
    os.environ["GREENLINE_EMBEDDER"] = "none"
    argv = [sys.executable, "-P", "-m", "greenline.app", "index", "{}"]
    client = LiveIndexClient(argv, home / "worker.log")
    soak = Soak()
    choice = random.Random(seed)
    editor = RandomEditor(root, client, choice, n_files)
    told: list[IndexStatus] = []
    client.on_status = told.append
    client.start([str(root)])
    began = time.monotonic()
    try:
        while time.monotonic() - began < seconds:
            # The same seed does the same things, however fast the machine is.
            for _ in range(choice.randrange(2, 200)):
                editor.act()
                soak.n_actions += 1
                await asyncio.sleep(choice.expovariate(25))
            if choice.random() < 0.15:
                editor.kill()
            await client.search("garden", 5, (), "")
            n_drift = len(soak.drift)
            await asyncio.to_thread(compare, root, dict(editor.buffers), soak)
            if len(soak.drift) > n_drift:
                print(*editor.did, soak.drift[-1], sep="\n", file=sys.stderr)
            soak.n_rounds += 1
            soak.memory_mb.append(round(memory_mb(client.pid), 1))
    finally:
        await client.stop()
    soak.n_kills = editor.n_kills
    soak.seconds = time.monotonic() - began
    return soak


def main() -> int:
    """Soak, print the figures, and return whether all was well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="greenline-soak-") as home:
        soak = asyncio.run(run(arguments.seconds, arguments.seed, arguments.files, Path(home)))
        if soak.faults():
            print((Path(home) / "worker.log").read_text()[-4000:], file=sys.stderr)
    print(soak.line())
    return 1 if soak.faults() else 0


if __name__ == "__main__":
    sys.exit(main())
