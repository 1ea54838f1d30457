"""Contents by their SHA-256: written once, checked whenever they are read.

Invariant: a blob under a name either holds exactly the bytes of that name, or reading it says so by name.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from greenline.core.error import GreenlineError
from greenline.journal.owner import is_alive, process_owner
from greenline.workspace.regular import read_regular

_UNFINISHED = ".new-"
"""How the name of a file begins that is not renamed to its content's name yet; the writer's owner follows."""
_ASIDE = ".aside-"
"""What a folder in the place of a content is called then."""
_LARGE = 256 * 1024
_N_WRITERS = 4


class BlobUnusable(GreenlineError):
    """A stored content is damaged or gone; whatever else is stored is not affected."""

    code = "corruptBlob"


def content_hash(data: bytes) -> str:
    """Return the name of a content: its SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


class BlobStore:
    """A folder of contents; may be used from several threads and processes at once."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which is made when something is first stored."""
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Store a content unless it is there and sound; return its name. It is on the disk on return."""
        name = content_hash(data)
        path = self.path(name)
        try:
            if read_regular(path) == data:
                # As good as new, so that a sweep leaves it to whoever names it next.
                os.utime(path)
                return name
        except OSError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = process_owner().replace(":", ".")
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{_UNFINISHED}{owner}-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.is_dir():
                # Whoever put a folder there, no later edit of a file with this content has to wait for it.
                path.rename(f"{path}{_ASIDE}{owner}")
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
        return name

    def put_all(self, contents: Iterable[bytes]) -> None:
        """Store contents; large ones at the same time, since what they wait for is the disk."""
        waiting = list(contents)
        if sum(map(len, waiting)) < _LARGE or len(waiting) < 2:
            for data in waiting:
                self.put(data)
            return
        with ThreadPoolExecutor(_N_WRITERS, thread_name_prefix="blobs") as pool:
            list(pool.map(self.put, waiting))

    def get(self, name: str) -> bytes:
        """Return a content; raises `BlobUnusable` where it is missing or is not what its name says."""
        path = self.path(name)
        try:
            data = read_regular(path)
        except OSError as error:
            raise BlobUnusable(
                f"The stored content {path} cannot be read ({error.strerror}).",
                remedy="Only what needs this content is lost.",
            ) from error
        if content_hash(data) != name:
            raise BlobUnusable(
                f"The stored content {path} is corrupt: it is not what its name says.",
                remedy="Only what needs this content is lost.",
            )
        return data

    def discard(self, names: Iterable[str]) -> None:
        """Remove contents; one that cannot be removed only takes up space."""
        for name in names:
            with contextlib.suppress(OSError):
                self.path(name).unlink()

    def sweep(self) -> None:
        """Remove what processes that are gone had begun to write."""
        for path in self.folder.glob(f"??/{_UNFINISHED}*"):
            owner = path.name.removeprefix(_UNFINISHED).partition("-")[0].replace(".", ":")
            if not is_alive(owner):
                with contextlib.suppress(OSError):
                    path.unlink()

    def names_older_than(self, seconds: float) -> set[str]:
        """Return the contents that have lain for so long."""
        latest = time.time() - seconds
        names: set[str] = set()
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):
                is_content = not path.name.startswith(_UNFINISHED) and _ASIDE not in path.name
                if is_content and path.stat().st_mtime < latest:
                    names.add(path.parent.name + path.name)
        return names

    def path(self, name: str) -> Path:
        """Return where the content of a name lies, stored or not."""
        return self.folder / name[:2] / name[2:]


def sync_folder(folder: Path) -> None:
    """Put a folder's entries on the disk, where the platform can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
