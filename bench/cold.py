"""Hover and code action on a pending hunk while the index is built from nothing, on 2,000 files.

Every answer is checked. Then eight hovers at a time with edits between them, of ours during the same work and
of the peers on the same folder, which begin from nothing as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from bench.latency import ACTION, HOVER, Desk
from bench.live import write_modules
from bench.lsp_client import Client, ServerSilent
from bench.peer import OURS, commands
from bench.table import Log, Table, Target, load, milliseconds, quantile
from greenline.demo.scene import sample_project

N_FILES = 2000
N_IDLE = 240
N_IN_FLIGHT = 8
N_TOGETHER = 160
_EDIT_EVERY = 16
_PAUSE_S = 0.05
_DEADLINE_S = 600.0
_FLOOR_MS = 20.0
_PEER_DEADLINE_S = 120.0
Times = dict[str, list[float]]


@attrs.define
class Measured:
    """What one run took, in seconds."""

    idle: Times
    cold: Times = attrs.field(factory=lambda: {HOVER: [], ACTION: []})
    first_s: float = 0.0
    """From `initialized` to the first right hover, while everything starts."""
    cold_s: float = 0.0
    together: dict[str, list[float]] = attrs.field(factory=dict)
    """Server → hovers of which eight were under way at a time."""


def measure(log: Log) -> Table:
    """Measure idle, then on a server that begins without an index."""
    before = load()
    with sample_project() as root:
        write_modules(root / "lib", N_FILES)
        environment = {**os.environ, "GREENLINE_STATE_DIR": str(root.parent / "state")}
        environment.pop("GREENLINE_MODEL", None)
        servers = commands()
        ours = servers.pop(OURS)
        log(f"cold: repairing the sample among {N_FILES} files, load {load()}")
        with Client(ours, root, environment) as client:
            client.initialize(root)
            desk = Desk.open(client, root)
            _until_indexed(client)
            log(f"cold: idle, load {load()}")
            measured = Measured(_idle(desk))
        _forget_index(root.parent / "state")
        with Client(ours, root, environment) as client:
            _cold(client, root, attrs.evolve(desk, client=client), measured)
        log(f"cold: {len(measured.cold[HOVER])} of each in {measured.cold_s:.0f} s, load {load()}")
        _forget_index(root.parent / "state")
        with Client(ours, root, environment) as client:
            client.initialize(root)
            fresh = attrs.evolve(desk, client=client)
            client.open(_path(desk.uri))
            _first(fresh)
            measured.together[OURS] = _together(client, desk.uri, desk.line, desk.added[0])
        for name, command in servers.items():
            log(f"cold: {name}, load {load()}")
            measured.together[name] = _peer(command, root, environment)
        return _table(measured, before)


def _idle(desk: Desk) -> Times:
    times: Times = {HOVER: [], ACTION: []}
    for _ in range(N_IDLE):
        _tick(desk, times)
    return times


def _cold(client: Client, root: Path, desk: Desk, measured: Measured) -> None:
    """Ask from the start until the index is whole."""
    client.initialize(root)
    began = time.perf_counter()
    client.open(_path(desk.uri))
    measured.first_s = _first(desk)
    n_asked = 0
    while n_asked % 10 or not _is_indexed(client):
        _tick(desk, measured.cold)
        n_asked += 1
        if time.perf_counter() - began > _DEADLINE_S:
            raise ServerSilent("The index is not built.")
    measured.cold_s = time.perf_counter() - began


def _tick(desk: Desk, times: Times) -> None:
    times[HOVER].append(desk.hover())
    times[ACTION].append(desk.action())
    desk.client.pump(_PAUSE_S)


def _first(desk: Desk) -> float:
    """Ask until the first right answer; return the seconds that it took."""
    began = time.perf_counter()
    while time.perf_counter() - began < _DEADLINE_S:
        try:
            desk.hover()
        except ServerSilent:
            desk.client.pump(_PAUSE_S)
        else:
            return time.perf_counter() - began
    raise ServerSilent("The hunk is not shown.")


def _is_indexed(client: Client) -> bool:
    status = client.request("agent/status", {})["index"]
    return bool(status["state"] == "ready" and status["nFiles"] > N_FILES)


def _until_indexed(client: Client) -> None:
    began = time.perf_counter()
    while not _is_indexed(client):
        client.pump(0.2)
        if time.perf_counter() - began > _DEADLINE_S:
            raise ServerSilent("The index is not built.")


def _forget_index(state: Path) -> None:
    for path in state.rglob("index*.db*"):
        path.unlink()


def _peer(command: list[str], root: Path, environment: Mapping[str, str]) -> list[float]:
    path = root / "ledger" / "discount.py"
    with Client(command, root, environment) as client:
        client.initialize(root)
        client.open(path)
        return _together(client, path.as_uri(), 6, "quantity")


def _together(client: Client, uri: str, line: int, wanted: str) -> list[float]:
    """Keep eight hovers under way, with an edit now and then; return the seconds of each."""
    where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 8}}
    began = time.perf_counter()
    asked: dict[int, float] = {}
    times: list[float] = []
    type_ = _typist(client, uri)
    while len(times) < N_TOGETHER:
        while len(asked) < N_IN_FLIGHT:
            asked[client.ask("textDocument/hover", where)] = time.perf_counter()
        client.pump(0.001)
        for number in [number for number in asked if client.has_answer(number)]:
            seconds = time.perf_counter() - asked.pop(number)
            try:
                answer = client.answer(number)
            except ServerSilent:
                # Some say that the text has changed since they were asked, which is no answer to time.
                continue
            times.append(seconds)
            if wanted not in str(answer).replace("\\n", "\n"):
                raise ServerSilent(f"A hover lacks {wanted!r}: {str(answer)[:200]!r}.")
            if len(times) % _EDIT_EVERY == 0:
                type_()
        if time.perf_counter() - began > _PEER_DEADLINE_S:
            break
    for number in list(asked):
        while not client.has_answer(number):
            client.pump(0.05)
        with suppress(ServerSilent):
            client.answer(number)
    return times


def _typist(client: Client, uri: str) -> Callable[[], None]:
    """Return what types one more comment at the end of an open file."""
    n_lines = _path(uri).read_text().count("\n")
    version = 1

    def type_() -> None:
        nonlocal version, n_lines
        version += 1
        end = {"line": n_lines, "character": 0}
        change: dict[str, Any] = {"range": {"start": end, "end": end}, "text": f"# {version}\n"}
        document = {"uri": uri, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        n_lines += 1

    return type_


def _path(uri: str) -> Path:
    return Path(uri.removeprefix("file://"))


def _table(measured: Measured, before: str) -> Table:
    rows = []
    targets = []
    for name in (HOVER, ACTION):
        idle, cold = measured.idle[name], measured.cold[name]
        figures = [quantile(times, share) for times in (idle, cold) for share in (0.5, 0.95)]
        rows.append((f"{OURS} {name}", *(milliseconds(f) for f in figures), milliseconds(max(cold))))
        limit = max(2 * figures[1] * 1000, _FLOOR_MS)
        targets.append(Target(f"{name} p95 while the index is built", figures[3] * 1000, limit, "ms"))
    for name, times in measured.together.items():
        shares = (milliseconds(quantile(times, share)) for share in (0.5, 0.95))
        rows.append((f"{name} hover, eight at a time", "", "", *shares, milliseconds(max(times))))
    notes = (
        f"milliseconds; {N_FILES} files, indexed in {measured.cold_s:.0f} s; "
        f"{len(measured.idle[HOVER])} of each idle and {len(measured.cold[HOVER])} meanwhile, all checked",
        f"the first right hover came {measured.first_s:.2f} s after `initialized`, while everything starts",
        f"load average {before} before, {load()} after",
    )
    headers = ("request", "idle p50", "idle p95", "cold p50", "cold p95", "max")
    return Table(
        "hover and code action while the index is built", headers, tuple(rows), tuple(targets), notes
    )
