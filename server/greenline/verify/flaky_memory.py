"""Which tests of a workspace have been seen to be flaky, when and how often, in its state folder.

One line an observation, written under a lock, so that several processes can tell at the same time; a line
that cannot be read is none. What was not seen again for a month is forgotten.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import attrs

from greenline.core.error import GreenlineError
from greenline.workspace.lock import locked
from greenline.workspace.state import state_folder

KEPT_S = 30 * 24 * 3600.0
"""How long a test is remembered after it was seen last."""
MAX_BYTES = 1024 * 1024
"""How large the file may become before what is forgotten is left out of it."""
_FILE = "flaky.jsonl"
_LOCK = "flaky.lock"

Place = Literal["base", "patched", "order"]
"""Where both outcomes were seen: on the base, on a patched text, or on the base by the order alone."""
_PLACES: tuple[Place, ...] = ("base", "patched", "order")


@attrs.frozen
class Sighting:
    """One test that gave both outcomes in one verification."""

    test: str
    place: Place
    at: float
    """Seconds since 1970."""


@attrs.frozen
class KnownTest:
    """What is known of one test."""

    test: str
    sightings: tuple[Sighting, ...]
    """At least one, oldest first."""

    @property
    def is_flaky(self) -> bool:
        """Whether it gave both outcomes on one text, and not merely by its place in the suite."""
        return any(sighting.place != "order" for sighting in self.sightings)

    @property
    def last(self) -> float:
        """When it was seen last."""
        return self.sightings[-1].at

    @property
    def words(self) -> str:
        """How often and when, for people."""
        n_seen = len(self.sightings)
        often = "once" if n_seen == 1 else f"{n_seen} times"
        return f"{often}, last on {time.strftime('%Y-%m-%d', time.localtime(self.last))}"


@attrs.frozen
class FlakyMemory:
    """The flaky tests of all workspaces; may be used from several threads and processes at once."""

    folder: Callable[[str], Path] = state_folder
    """Root → its state folder."""
    now: Callable[[], float] = time.time

    def record(self, root: str, seen: Mapping[Place, Iterable[str]]) -> None:
        """Remember tests that were seen now; what cannot be written is not remembered."""
        at = self.now()
        found = [Sighting(test, place, at) for place, tests in seen.items() for test in sorted(set(tests))]
        if not found:
            return
        with contextlib.suppress(OSError, GreenlineError):
            path = self._path(root)
            with locked(path.with_name(_LOCK)):
                descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(descriptor, "ab") as file:
                    file.write(_lines(found))
                if path.stat().st_size > MAX_BYTES:
                    _replace(path, _shortened(list(self._sightings(root))))

    def known(self, root: str) -> dict[str, KnownTest]:
        """Return test id → what is known of it, the one that was seen last first."""
        found: dict[str, list[Sighting]] = {}
        for sighting in self._sightings(root):
            found.setdefault(sighting.test, []).append(sighting)
        tests = [
            KnownTest(test, tuple(sorted(sightings, key=lambda s: s.at))) for test, sightings in found.items()
        ]
        return {known.test: known for known in sorted(tests, key=lambda k: (-k.last, k.test))}

    def forget(self, root: str, tests: Collection[str]) -> None:
        """Remember no more of these tests; raises `OSError` where that cannot be written."""
        path = self._path(root)
        with locked(path.with_name(_LOCK)):
            _replace(path, [sighting for sighting in self._sightings(root) if sighting.test not in tests])

    def _path(self, root: str) -> Path:
        return self.folder(root) / _FILE

    def _sightings(self, root: str) -> Iterator[Sighting]:
        """Yield what was seen lately, in the order in which it was written."""
        try:
            lines = self._path(root).read_bytes().splitlines()
        except (OSError, GreenlineError):
            return
        for line in lines:
            sighting = _read(line)
            if sighting is not None and 0 <= self.now() - sighting.at <= KEPT_S:
                yield sighting


def _replace(path: Path, sightings: Sequence[Sighting]) -> None:
    """Write all that is remembered; under the lock, so that what a dead process left is written over."""
    new = path.with_suffix(".new")
    new.write_bytes(_lines(sightings))
    new.replace(path)


def known_warnings(known: Mapping[str, KnownTest], tests: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each of these tests that is known to be flaky."""
    return tuple(
        f"{test} is known to be flaky ({known[test].words})."
        for test in sorted(set(tests))
        if test in known and known[test].is_flaky
    )


def _lines(sightings: Iterable[Sighting]) -> bytes:
    return b"".join(json.dumps(attrs.asdict(sighting)).encode() + b"\n" for sighting in sightings)


def _read(line: bytes) -> Sighting | None:
    try:
        value = json.loads(line)
        sighting = Sighting(str(value["test"]), value["place"], float(value["at"]))
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    return sighting if sighting.place in _PLACES else None


def _shortened(sightings: list[Sighting]) -> list[Sighting]:
    """Return the newest of them, in half of the room."""
    size = 0
    for place in range(len(sightings) - 1, -1, -1):
        size += len(_lines((sightings[place],)))
        if size > MAX_BYTES // 2:
            return sightings[place + 1 :]
    return sightings
