"""What is known of each project's suite, kept between verifications in the workspace's state folder.

What cannot be read is none; what is too large to keep loses who executes what first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import attrs
import cattrs

from greenline.core.error import GreenlineError
from greenline.core.wire import from_json, to_json
from greenline.verify.known_suite import KnownSuite
from greenline.verify.project import Project
from greenline.workspace.state import state_folder

QUOTA_BYTES = 16 * 1024 * 1024
"""How large what is kept of one project may be."""
KEPT_S = 7 * 24 * 3600.0
"""How long it is believed that a suite is too long."""
_FORMAT = 1
_FOLDER = "suites"


@attrs.frozen
class SuiteMemory:
    """The suites of all workspaces; may be used from several threads and processes at once."""

    folder: Callable[[str], Path] = state_folder
    """Root → its state folder."""
    quota_bytes: int = QUOTA_BYTES
    now: Callable[[], float] = time.time

    def get(self, root: str, project: Project) -> KnownSuite:
        """Return what is known, or nothing at all."""
        with contextlib.suppress(OSError, GreenlineError, ValueError, zlib.error, KeyError, TypeError):
            value = json.loads(zlib.decompress(self._path(root, project).read_bytes()))
            if value["format"] == _FORMAT:
                with contextlib.suppress(cattrs.BaseValidationError):
                    return self._believed(from_json(value["suite"], KnownSuite))
        return KnownSuite()

    def put(self, root: str, project: Project, known: KnownSuite) -> None:
        """Keep what is known now; what cannot be written is not kept."""
        data = _packed(known)
        if len(data) > self.quota_bytes:
            data = _packed(attrs.evolve(known, files={}))
        if len(data) > self.quota_bytes:
            return
        with contextlib.suppress(OSError, GreenlineError):
            path = self._path(root, project)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(temporary).replace(path)
            finally:
                Path(temporary).unlink(missing_ok=True)

    def _believed(self, known: KnownSuite) -> KnownSuite:
        if known.stopped_s is not None and not 0 <= self.now() - known.stopped_at <= KEPT_S:
            return attrs.evolve(known, stopped_s=None)
        return known

    def _path(self, root: str, project: Project) -> Path:
        name = json.dumps([project.kind, project.folder, project.runner]).encode()
        return self.folder(root) / _FOLDER / f"{hashlib.blake2b(name, digest_size=10).hexdigest()}.suite"


def _packed(known: KnownSuite) -> bytes:
    return zlib.compress(json.dumps({"format": _FORMAT, "suite": to_json(known)}).encode(), 1)
