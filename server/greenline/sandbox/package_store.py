"""Installed packages, kept from one verification to the next: a folder for each key, whole or not there.

Invariant: a folder is found under its key only after all of it was written; a process that dies on the way
leaves one that nobody takes for done and that the next to look removes. What a container uses is not removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from greenline.core.cancel import Cancellation
from greenline.sandbox.owner import is_left, own_name

_DONE = "done.json"
_FILES = "files"
_LOCK = ".lock"
_POLL_S = 0.1
_UNFINISHED = "part"

Make = Callable[[Path], tuple[int, str]]
"""Fills an empty folder; returns its size in bytes, and what people call it."""


@attrs.frozen
class KeptPackages:
    """One folder of packages."""

    key: str
    words: str
    """From which lock files, and for which project."""
    size_bytes: int
    used_at: float
    """Seconds since 1970."""
    made: str = ""
    """Tells this install from another one under the same key."""


class PackageStore:
    """The folders below one; safe to use from several threads and processes of this machine."""

    def __init__(self, home: Path, quota_bytes: int) -> None:
        self._home = home
        self._quota_bytes = quota_bytes

    @contextlib.contextmanager
    def hold(self, key: str, make: Make, cancellation: Cancellation) -> Iterator[Path]:
        """Yield the folder of a key, made where it is not there yet; it stays as long as it is held.

        Raises what `make` raises, `Cancelled`, and `OSError`.
        """
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            with self._locked(key, fcntl.LOCK_SH, cancellation) as descriptor:
                if self.known(key) is not None:
                    os.utime(descriptor)
                    yield self._home / key / _FILES
                    return
            with self._locked(key, fcntl.LOCK_EX, cancellation):
                if self.known(key) is None:
                    self._fill(key, make)
            self.prune(key)

    def known(self, key: str) -> KeptPackages | None:
        """Return what is kept under a key, or None."""
        try:
            found = json.loads((self._home / key / _DONE).read_bytes())
            used_at = (self._home / f"{key}{_LOCK}").stat().st_mtime
            return KeptPackages(key, str(found["words"]), int(found["bytes"]), used_at, str(found["made"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def all(self) -> list[KeptPackages]:
        """Return all that is kept, what was used last first."""
        found = [self.known(path.name.removesuffix(_LOCK)) for path in self._home.glob(f"*{_LOCK}")]
        return sorted((one for one in found if one is not None), key=lambda one: -one.used_at)

    def prune(self, kept: str = "") -> None:
        """Remove what was used longest ago until the rest fits the quota, and what a dead process left."""
        self._sweep()
        entries = self.all()
        total = sum(one.size_bytes for one in entries)
        for one in reversed(entries):
            if total <= self._quota_bytes:
                return
            if one.key != kept and self.remove(one.key):
                total -= one.size_bytes

    def remove(self, key: str) -> bool:
        """Remove a folder; False where a container uses it."""
        with contextlib.suppress(BlockingIOError), self._locked(key, fcntl.LOCK_EX | fcntl.LOCK_NB, None):
            gone = self._home / self._unfinished()
            with contextlib.suppress(FileNotFoundError):
                (self._home / key).rename(gone)
            (self._home / f"{key}{_LOCK}").unlink(missing_ok=True)
            shutil.rmtree(gone, ignore_errors=True)
            return True
        return False

    def _fill(self, key: str, make: Make) -> None:
        part = self._home / self._unfinished()
        (part / _FILES).mkdir(parents=True)
        (part / _FILES).chmod(0o755)
        try:
            size_bytes, words = make(part / _FILES)
            # The content is on the disk before the word that it is: a machine may stop in between.
            os.sync()
            said = {"bytes": size_bytes, "words": words, "made": uuid.uuid4().hex, "at": time.time()}
            (part / _DONE).write_text(json.dumps(said), "utf-8")
            # What lies there without that word is of no use.
            shutil.rmtree(self._home / key, ignore_errors=True)
            part.rename(self._home / key)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _unfinished(self) -> str:
        return own_name(_UNFINISHED)

    def _sweep(self) -> None:
        for path in self._home.glob(f"{_UNFINISHED}-*"):
            if is_left(path.name):
                shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self, key: str, how: int, cancellation: Cancellation | None) -> Iterator[int]:
        """Hold a key's lock; raises `BlockingIOError` where it is taken and nobody is to wait."""
        path = self._home / f"{key}{_LOCK}"
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                while True:
                    if cancellation is not None:
                        cancellation.raise_if_cancelled()
                    try:
                        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        if how & fcntl.LOCK_NB:
                            raise
                        time.sleep(_POLL_S)
                if _is_same(descriptor, path):
                    yield descriptor
                    return
            finally:
                os.close(descriptor)


def _is_same(descriptor: int, path: Path) -> bool:
    """Return whether a lock is still the one that others find: it may have been removed while we waited."""
    try:
        found = path.stat()
    except OSError:
        return False
    own = os.fstat(descriptor)
    return (own.st_dev, own.st_ino) == (found.st_dev, found.st_ino)
