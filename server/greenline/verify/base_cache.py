"""What was measured of a base, kept from one verification to the next in the workspace's state folder.

Invariant: an entry is found only under the hash of all that its outcome can depend on, and only whole; what
is damaged, too old or not ours is dropped and never an error.
The raw report is kept, and read anew each time: what it means may be told otherwise by a later version.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import attrs

from greenline.core.error import GreenlineError
from greenline.core.port import SandboxRequest, SandboxResult, Tree
from greenline.core.wire import to_json
from greenline.verify.kept_file import finished, write_whole
from greenline.workspace.state import state_folder

QUOTA_BYTES = 64 * 1024 * 1024
"""How much the bases of one workspace may take; the ones that were not asked for longest go first."""
KEPT_S = 7 * 24 * 3600.0
"""How long a base is believed: tests may depend on the date."""
_FORMAT = 1
_FOLDER = "bases"
_SUFFIX = ".base"
_OF_THE_RUN = frozenset({"label", "followup", "waiting"})
"""What of a request says whose it is, who is told and what is asked later: nothing of its first round."""


@attrs.frozen
class KeptRun:
    """One run of a base, and when it was."""

    result: SandboxResult
    measured_at: float
    """Seconds since 1970."""


@attrs.frozen
class BaseCache:
    """The bases of all workspaces; may be used from several threads and processes at once."""

    folder: Callable[[str], Path] = state_folder
    """Root → its state folder."""
    quota_bytes: int = QUOTA_BYTES
    now: Callable[[], float] = time.time

    def get(self, root: str, key: str) -> KeptRun | None:
        """Return what is kept under a key, or None; what cannot be used is dropped."""
        with contextlib.suppress(OSError, GreenlineError):
            path = self._path(root, key)
            kept = _unpacked(path.read_bytes())
            if kept is not None and 0 <= self.now() - kept.measured_at <= KEPT_S:
                # Those that are asked for stay longest.
                os.utime(path)
                return kept
            path.unlink(missing_ok=True)
        return None

    def put(self, root: str, key: str, result: SandboxResult) -> None:
        """Keep a run of now; one that cannot be written, or is larger than the quota, is not kept."""
        data = _packed(KeptRun(result, self.now()))
        if len(data) > self.quota_bytes:
            return
        with contextlib.suppress(OSError, GreenlineError):
            path = self._path(root, key)
            write_whole(path, data)
            self._prune(path.parent)

    def discard(self, root: str, key: str) -> None:
        """Drop what is kept under a key, if anything."""
        with contextlib.suppress(OSError, GreenlineError):
            self._path(root, key).unlink(missing_ok=True)

    def _path(self, root: str, key: str) -> Path:
        return self.folder(root) / _FOLDER / f"{key}{_SUFFIX}"

    def _prune(self, folder: Path) -> None:
        """Drop what was asked for longest ago until the rest fits."""
        statuses = [(path.stat(), path) for path in finished(folder)]
        found = [(status.st_mtime_ns, status.st_size, path) for status, path in statuses]
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.quota_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size


def base_key(request: SandboxRequest, fingerprint: str) -> str:
    """Return the hash of all that the first round of a request can depend on; see `Fingerprinted`."""
    return _hash(json.dumps([_FORMAT, request_hash(request), fingerprint]).encode())


def request_hash(request: SandboxRequest) -> str:
    """Return the hash of a request: of every part of it but the label and what may be asked afterwards."""
    parts = {
        field.name: tree_hash(value) if field.name == "tree" else to_json(value)
        for field in attrs.fields(SandboxRequest)
        if field.name not in _OF_THE_RUN
        for value in [getattr(request, field.name)]
    }
    return _hash(json.dumps(parts, sort_keys=True).encode())


def tree_hash(tree: Tree) -> str:
    """Return the hash of a tree's paths, modes, links and bytes."""
    digest = hashlib.blake2b(digest_size=20)
    for path in sorted(tree):
        file = tree[path]
        # Each head says how much follows it, so that no two trees run together to the same bytes.
        digest.update(repr((path, file.mode, file.link, len(file.content))).encode("utf-8", "surrogatepass"))
        digest.update(file.content)
    return digest.hexdigest()


def _packed(kept: KeptRun) -> bytes:
    result = kept.result
    head = {
        "format": _FORMAT,
        "measuredAt": kept.measured_at,
        "exitCode": result.exit_code,
        "durationS": result.duration_s,
        "outputBytes": len(result.output),
    }
    body = json.dumps(head).encode() + b"\n" + zlib.compress(result.output + result.report, 1)
    return _hash(body).encode() + b"\n" + body


def _unpacked(data: bytes) -> KeptRun | None:
    """Return a kept run, or None where a byte of it is not as it was written."""
    digest, _, body = data.partition(b"\n")
    if digest != _hash(body).encode():
        return None
    try:
        line, _, packed = body.partition(b"\n")
        head = json.loads(line)
        if head["format"] != _FORMAT:
            return None
        content = zlib.decompress(packed)
        n_output = head["outputBytes"]
        result = SandboxResult(
            head["exitCode"], False, content[:n_output], content[n_output:], head["durationS"]
        )
        return KeptRun(result, head["measuredAt"])
    except (ValueError, KeyError, TypeError, zlib.error):
        return None


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=20).hexdigest()
