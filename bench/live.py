"""Saves, switches of branches and queries on a large workspace: what the live index costs at work.

The workspace is made up: 14,000 files, 100,000 chunks. Saves are plain writes that only the disk tells of,
and each is searched for until it is found. A switch changes 1,000 files; it is searched for likewise.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import attrs

from bench.table import Log, Table, Target, load, quantile
from greenline.app import index_path, make_embedder, make_retriever
from greenline.config.settings import Settings
from greenline.index.live.client import LiveIndexClient
from greenline.index.store import IndexStore

N_FILES = 14_000
N_SAVES = 60
N_QUERIES = 120
N_SWITCHED = 1000
_N_FUNCTIONS = 7
_SWITCH_SHARE = 0.1
_FIRST = "where does it begin"
_LAST_NAME = "zebraquagga"
_DEADLINE_S = 3600.0
_SAVE_LIMIT_MS, _SAVE_P95_MS = 150.0, 500.0
_QUERY_P95_MS = 50.0
_GIT_RESTS_S = 5.0
"""After git wrote, all files are looked at once more; what follows must not be measured with it."""
_TICKS = os.sysconf("SC_CLK_TCK")
_N_WORDS = 4000


@attrs.define
class Measured:
    """What one run took."""

    cold_s: float = 0.0
    cold_cpu_s: float = 0.0
    n_chunks: int = 0
    save_ms: list[float] = attrs.field(factory=list)
    save_cpu_s: float = 0.0
    """Of the worker for all saves, searches included."""
    switch: dict[str, tuple[float, float]] = attrs.field(factory=dict)
    """Which switch → seconds until it is found, and the worker's processor seconds."""
    query_ms: list[float] = attrs.field(factory=list)
    query_cpu_ms: list[float] = attrs.field(factory=list)


def measure(log: Log) -> Table:
    """Build, save and search; return the figures."""
    before = load()
    with tempfile.TemporaryDirectory(prefix="greenline-bench-") as folder:
        home = Path(folder)
        os.environ["GREENLINE_STATE_DIR"] = str(home / "state")
        root = home / "ws"
        make_workspace(root, N_FILES)
        log(f"live: {N_FILES} files written, load {load()}")
        measured = asyncio.run(_live(root, home, log))
        _queries(root, measured)
    return _table(measured, before)


class Vocabulary:
    """Invented words, a few of them in most texts and most of them in few, as words are."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
        every = ("".join(word) for word in itertools.product(syllables, repeat=3))
        self._words = list(itertools.islice(every, 0, 80 * _N_WORDS, 80))
        self._weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(_N_WORDS)))

    def words(self, count: int) -> list[str]:
        """Return some words."""
        return self.random.choices(self._words, cum_weights=self._weights, k=count)

    def name(self, count: int = 2) -> str:
        """Return an identifier."""
        return "_".join(self.words(count))


def make_workspace(root: Path, n_files: int) -> None:
    """Write a committed workspace of modules that import one another."""
    vocabulary = write_modules(root, n_files)
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", " ".join(vocabulary.words(5)))


def write_modules(root: Path, n_files: int, n_functions: int = _N_FUNCTIONS) -> Vocabulary:
    """Write modules that import one another; return what their words come from."""
    vocabulary = Vocabulary(1)
    modules = [f"{vocabulary.name()}_{number}" for number in range(n_files)]
    for number, module in enumerate(modules):
        path = root / f"pkg{number // 500}" / f"part{number // 25 % 20}" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_module(vocabulary, modules, n_functions))
    return vocabulary


def _module(vocabulary: Vocabulary, modules: Sequence[str], n_functions: int) -> str:
    choice = vocabulary.random
    other = choice.randrange(len(modules))
    parts = [
        f'"""{" ".join(vocabulary.words(8)).capitalize()}."""\n',
        f"import os\n\nfrom pkg{other // 500}.part{other // 25 % 20} import {modules[other]}\n",
    ]
    for n in range(n_functions):
        what = vocabulary.name(1)
        lines = "".join(
            f"        if item.{vocabulary.name(1)} > {choice.randrange(1000)}:\n"
            f"            found.append({vocabulary.name()}(item, limit + {step}))\n"
            for step in range(6)
        )
        parts.append(
            f"\ndef {vocabulary.name()}({what}, limit={n}):\n"
            f'    """{" ".join(vocabulary.words(7)).capitalize()}."""\n'
            f"    found = []\n    for item in {what}.items():\n{lines}    return found\n"
        )
    return "\n".join(parts)


async def _live(root: Path, home: Path, log: Log) -> Measured:
    """Index cold in a worker, then save and search."""
    measured = Measured()
    argv = [sys.executable, "-P", "-m", "greenline.app", "index", "{}"]
    client = LiveIndexClient(argv, home / "worker.log")
    client.start([str(root)])
    began = time.monotonic()
    try:
        while client.status().state != "ready" or client.status().n_files < N_FILES:
            if time.monotonic() - began > _DEADLINE_S:
                raise RuntimeError(f"the index is not built after {_DEADLINE_S:.0f} s: {client.status()}")
            await asyncio.sleep(0.2)
        await client.search(_FIRST, 10, (), "")
        measured.cold_s, measured.cold_cpu_s = time.monotonic() - began, _cpu_s(client.pid)
        log(f"live: built in {measured.cold_s:.0f} s, {measured.cold_cpu_s:.0f} CPU s, load {load()}")
        choice = random.Random(2)
        files = await asyncio.to_thread(lambda: sorted(root.rglob("*.py")))
        cpu_s = _cpu_s(client.pid)
        for number in range(N_SAVES):
            measured.save_ms.append(await _save(client, choice.choice(files), number))
            await asyncio.sleep(0.1)
        measured.save_cpu_s = _cpu_s(client.pid) - cpu_s
        log(f"live: {N_SAVES} saves, load {load()}")
        await asyncio.to_thread(_make_branch, root, home / "beside", files)
        await asyncio.sleep(_GIT_RESTS_S)
        for what, branch in (("unseen", "other"), ("back", "main"), ("again", "other")):
            measured.switch[what] = await _switch(client, root, branch)
            await asyncio.sleep(_GIT_RESTS_S)
        log(f"live: {len(measured.switch)} switches, load {load()}")
    finally:
        await client.stop()
    return measured


async def _save(client: LiveIndexClient, path: Path, number: int) -> float:
    """Save a file with a new name in it; return the milliseconds until a search finds that."""
    name = f"zephyr{number}quartz"
    began = await asyncio.to_thread(_append, path, f"\n\ndef {name}():\n    return {number}\n")
    while True:
        answer = await client.search(name, 5, (), "")
        if any(hit.path == str(path) and hit.symbol == name for hit in answer.hits):
            return (time.monotonic() - began) * 1000
        if time.monotonic() - began > _DEADLINE_S:
            raise RuntimeError(f"a save of {path} is not found")
        await asyncio.sleep(0.002)


async def _switch(client: LiveIndexClient, root: Path, branch: str) -> tuple[float, float]:
    """Check a branch out; return the seconds until the index is whole again, and the worker's of them."""
    cpu_s = _cpu_s(client.pid)
    await asyncio.to_thread(_git, root, "checkout", "-q", branch)
    began = time.monotonic()
    wanted = branch == "other"
    while True:
        answer = await client.search(_LAST_NAME, 5, (), "")
        is_found = any(hit.symbol == _LAST_NAME for hit in answer.hits)
        if is_found == wanted and answer.completeness == 1:
            return time.monotonic() - began, _cpu_s(client.pid) - cpu_s
        if time.monotonic() - began > _DEADLINE_S:
            raise RuntimeError(f"the branch {branch} is not found: {client.status()}")
        await asyncio.sleep(0.02)


def _make_branch(root: Path, beside: Path, files: Sequence[Path]) -> None:
    """Commit the saves, and a branch with 1,000 files changed, which the folder itself has never held."""
    _git(root, "commit", "-qam", "saves")
    _git(root, "clone", "-q", str(root), str(beside))
    changed = files[:N_SWITCHED]
    for number, file in enumerate(changed):
        path = beside / file.relative_to(root)
        name = _LAST_NAME if number == len(changed) - 1 else f"switched{number}"
        text = path.read_text().replace("limit", f"bound{number}")
        path.write_text(f"{text}\n\ndef {name}():\n    return {number}\n")
    _git(beside, "commit", "-qam", "switch")
    _git(root, "fetch", "-q", str(beside), "HEAD:other")


def _git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=b", "-c", "user.email=b@b.test", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def _append(path: Path, text: str) -> float:
    """Save a file with some more text; return when that began."""
    whole = path.read_text() + text
    began = time.monotonic()
    path.write_text(whole)
    return began


def _queries(root: Path, measured: Measured) -> None:
    """Search in this process, where the processor's time of each query can be told."""
    embedder = make_embedder(Settings())
    store = IndexStore(index_path([str(root)]))
    try:
        retriever = make_retriever(store, embedder)
        retriever.search(_FIRST)
        vocabulary = Vocabulary(3)
        for _ in range(N_QUERIES):
            words = " ".join(vocabulary.words(vocabulary.random.randrange(1, 6)))
            forms = [f"how does {words} work", words, f"fix {words}", words.replace(" ", "_")]
            text = vocabulary.random.choice(forms)
            wall, cpu = time.perf_counter(), time.process_time()
            retriever.search(text)
            measured.query_cpu_ms.append((time.process_time() - cpu) * 1000)
            measured.query_ms.append((time.perf_counter() - wall) * 1000)
        measured.n_chunks = store.stats().n_chunks
    finally:
        store.close()


def _cpu_s(pid: int | None) -> float:
    """Return the processor's seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _table(measured: Measured, before: str) -> Table:
    save, query, cpu = measured.save_ms, measured.query_ms, measured.query_cpu_ms
    rows = (
        ("cold index", f"{measured.cold_s:.0f} s", "", f"{measured.cold_cpu_s:.1f} s in all"),
        (
            "save to hit",
            f"{quantile(save, 0.5):.0f} ms",
            f"{quantile(save, 0.95):.0f} ms",
            f"{measured.save_cpu_s / len(save) * 1000:.0f} ms on average",
        ),
        *(
            (f"switch of {N_SWITCHED} files, {what}", f"{seconds * 1000:.0f} ms", "", f"{cpu_s:.2f} s")
            for what, (seconds, cpu_s) in measured.switch.items()
        ),
        (
            "query",
            f"{quantile(query, 0.5):.1f} ms",
            f"{quantile(query, 0.95):.1f} ms",
            f"{quantile(cpu, 0.5):.1f} ms, p95 {quantile(cpu, 0.95):.1f} ms",
        ),
    )
    targets = (
        Target("save to hit, median", quantile(save, 0.5), _SAVE_LIMIT_MS, "ms"),
        Target("save to hit, p95", quantile(save, 0.95), _SAVE_P95_MS, "ms"),
        *(
            Target(
                f"switch {what}, a tenth of the first one",
                measured.switch[what][1],
                measured.switch["unseen"][1] * _SWITCH_SHARE,
                "CPU s",
            )
            for what in ("back", "again")
        ),
        Target("query p95", quantile(cpu, 0.95), _QUERY_P95_MS, "CPU ms"),
    )
    notes = (
        f"{N_FILES} files, {measured.n_chunks} chunks; load average before and after: {before}, {load()}",
    )
    return Table(
        "Live index: saves, switches and queries", ("what", "p50", "p95", "CPU"), rows, targets, notes
    )
