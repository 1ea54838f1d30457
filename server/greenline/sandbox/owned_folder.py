"""A folder of this process among the temporary files: what sandboxes without an engine mount of ours.

It has the synthesised `/etc`, an empty folder to cover others with, and a folder for each reporter's channel.
Its name says whose it is, and whoever comes next removes those of dead owners.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import itertools
import os
import shutil
import tarfile
import tempfile
from pathlib import Path

import attrs

from greenline.sandbox import base_image
from greenline.sandbox.owner import is_left, own_name


@attrs.frozen
class OwnedFolder:
    """The folder, and what the root of a sandbox has beside mounts."""

    path: Path
    folders: tuple[str, ...]
    """Empty folders of a root, absolute."""
    links: tuple[tuple[str, str], ...]
    """Links of a root: absolute path → target."""
    _pid: int = attrs.field(factory=os.getpid)
    _count: itertools.count[int] = attrs.field(factory=lambda: itertools.count(1), eq=False, repr=False)

    @property
    def etc(self) -> Path:
        """The synthesised `/etc`."""
        return self.path / "etc"

    @property
    def empty(self) -> Path:
        """An empty folder."""
        return self.path / "empty"

    def make_channel(self, user: tuple[int, int] | None) -> Path:
        """Make a folder for the channel of a reporter, to be written to by this user or else ourselves."""
        folder = self.path / f"report-{next(self._count)}"
        folder.mkdir()
        folder.chmod(0o711)
        if user is not None:
            os.chown(folder, *user)
        return folder

    def remove(self) -> None:
        """Remove it; may be called twice, and does nothing in a fork of its process."""
        if self._pid != os.getpid():
            return
        atexit.unregister(self.remove)
        shutil.rmtree(self.path, ignore_errors=True)


def make(uid: int, gid: int, reporter_uid: int) -> OwnedFolder:
    """Make the folder for tests and a reporter of these users; raises `OSError`."""
    path = Path(tempfile.gettempdir(), own_name("greenline"))
    path.mkdir(0o700)
    _, data = base_image.build(uid, gid, reporter_uid)
    folders: list[str] = []
    links: list[tuple[str, str]] = []
    for name in ("etc", "empty"):
        _make_folder(path / name)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for entry in tar:
            if entry.name.startswith("etc/"):
                _unpack(tar, entry, path)
            elif entry.issym():
                links.append((f"/{entry.name}", entry.linkname))
            elif entry.name != "etc":
                folders.append(f"/{entry.name}")
    owned = OwnedFolder(path, tuple(folders), tuple(links))
    # A command may end without closing its sandbox.
    atexit.register(owned.remove)
    return owned


def sweep() -> None:
    """Remove the folders of owners that are gone; never raises."""
    with contextlib.suppress(OSError):
        for folder in list(Path(tempfile.gettempdir()).iterdir()):
            if folder.name.startswith("greenline-") and is_left(folder.name) and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


def _unpack(tar: tarfile.TarFile, entry: tarfile.TarInfo, top: Path) -> None:
    """Write one entry; its mode is set whatever the process's mask is, since others must read it."""
    path = top / entry.name
    for parent in reversed(path.relative_to(top).parents[:-1]):
        if not (top / parent).is_dir():
            _make_folder(top / parent)
    if entry.issym():
        path.symlink_to(entry.linkname)
        return
    content = tar.extractfile(entry)
    path.write_bytes(content.read() if content is not None else b"")
    path.chmod(0o644)


def _make_folder(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o755)
