"""What is known of each project's suite, kept between verifications in the workspace's state folder.

What cannot be read is none; what is too large to keep loses who executes what first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import attrs

from greenline.core.error import GreenlineError
from greenline.verify.kept_file import write_whole
from greenline.verify.known_suite import KnownFile, KnownSuite, KnownTest
from greenline.verify.project import Project
from greenline.workspace.state import state_folder

QUOTA_BYTES = 16 * 1024 * 1024
"""How large what is kept of one project may be."""
KEPT_S = 7 * 24 * 3600.0
"""How long it is believed that a suite is too long."""
_FORMAT = 1
_FOLDER = "suites"
_DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error)


@attrs.frozen
class SuiteMemory:
    """The suites of all workspaces; may be used from several threads and processes at once."""

    folder: Callable[[str], Path] = state_folder
    """Root → its state folder."""
    quota_bytes: int = QUOTA_BYTES
    now: Callable[[], float] = time.time

    def get(self, root: str, project: Project) -> KnownSuite:
        """Return what is known, or nothing at all."""
        with contextlib.suppress(OSError, GreenlineError, *_DAMAGE):
            return self._believed(_unpacked(self._path(root, project).read_bytes()))
        return KnownSuite()

    def put(self, root: str, project: Project, known: KnownSuite) -> None:
        """Keep what is known now; what cannot be written is not kept."""
        data = _packed(known)
        if len(data) > self.quota_bytes:
            data = _packed(attrs.evolve(known, files={}))
        if len(data) > self.quota_bytes:
            return
        with contextlib.suppress(OSError, GreenlineError):
            write_whole(self._path(root, project), data)

    def _believed(self, known: KnownSuite) -> KnownSuite:
        if known.stopped_s is not None and not 0 <= self.now() - known.stopped_at <= KEPT_S:
            return attrs.evolve(known, stopped_s=None)
        return known

    def _path(self, root: str, project: Project) -> Path:
        name = json.dumps([project.kind, project.folder, project.runner]).encode()
        return self.folder(root) / _FOLDER / f"{hashlib.blake2b(name, digest_size=10).hexdigest()}.suite"


def _packed(known: KnownSuite) -> bytes:
    """Return a suite as compressed JSON, in which tests have numbers: their names are long."""
    places = {test: place for place, test in enumerate(known.tests)}
    value = {
        "format": _FORMAT,
        "tests": [(id, test.file, test.duration_s) for id, test in known.tests.items()],
        "files": {
            path: (file.digest, {places[test]: text for test, text in file.lines.items() if test in places})
            for path, file in known.files.items()
        },
        "wholeS": known.whole_s,
        "stoppedS": known.stopped_s,
        "stoppedAt": known.stopped_at,
    }
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)


def _unpacked(data: bytes) -> KnownSuite:
    """Return a suite; raises one of `_DAMAGE` where the data are not what was written."""
    value = json.loads(zlib.decompress(data))
    if value["format"] != _FORMAT:
        raise ValueError(value["format"])
    tests = {str(id): KnownTest(str(file), _number(seconds)) for id, file, seconds in value["tests"]}
    ids = list(tests)
    files = {
        path: KnownFile(digest, {ids[int(place)]: text for place, text in lines.items()})
        for path, (digest, lines) in value["files"].items()
    }
    whole_s, stopped_s = _number(value["wholeS"]), _number(value["stoppedS"])
    return KnownSuite(tests, files, whole_s, stopped_s, float(value["stoppedAt"]))


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
