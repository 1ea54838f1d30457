"""A tar that nobody vouches for, unpacked: nothing lies outside, is special, or is written through a link.

Links are made last: while files are written there is none to follow. What they lead to is nobody's concern
here, since they are only followed in a container; of the allowed folders, which are mounted, none is a link.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

MAX_ENTRIES = 1_000_000
_MAX_DEPTH = 200
_CHUNK = 1 << 20
_MAX_READ = 16 << 20
"""More than the library asks for at once, but for a head."""
_OVERHEAD = 2 << 30
"""What heads and padding of `MAX_ENTRIES` may take beside the files."""


class BadArchive(Exception):
    """The archive holds what no install makes; the text says what."""


def unpack(blocks: Iterator[bytes], folder: Path, allowed: Sequence[str], limit_bytes: int) -> int:
    """Unpack below an empty `folder` what lies in the `allowed` folders; return its size in bytes.

    Raises `BadArchive`, also where it is larger than `limit_bytes`, and `OSError`.
    """
    links: list[tuple[Path, str]] = []
    size = n_entries = 0
    try:
        reader = _Reader(blocks, limit_bytes + _OVERHEAD)
        with tarfile.open(fileobj=reader, mode="r|") as tar:
            for entry in tar:
                path = _path(folder, entry.name, allowed)
                n_entries += 1
                size += max(0, entry.size) if entry.isreg() else 0
                if size > limit_bytes or n_entries > MAX_ENTRIES:
                    raise BadArchive("the packages are larger than what they were installed in")
                _make_folder(path if entry.isdir() else path.parent)
                if entry.isdir():
                    continue
                if path in (folder / one for one in allowed):
                    raise BadArchive(f"{entry.name} is no folder")
                if entry.issym():
                    links.append((path, entry.linkname))
                elif entry.islnk():
                    size += _copy(_path(folder, entry.linkname, allowed), path)
                elif entry.isreg():
                    _write(tar, entry, path)
                else:
                    raise BadArchive(f"{entry.name} is no file, folder or link")
        # All folders are there before the first link: none can be made through one.
        for path, target in links:
            path.symlink_to(target)
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
        raise BadArchive(f"what came back cannot be read ({error})") from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise BadArchive("one name stands for two things") from error
    return size


def _path(folder: Path, name: str, allowed: Sequence[str]) -> Path:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    plain = "/".join(parts)
    is_allowed = any(plain == one or plain.startswith(f"{one}/") for one in allowed)
    is_odd = name.startswith("/") or ".." in parts or len(parts) > _MAX_DEPTH
    if is_odd or not is_allowed or "\0" in name:
        raise BadArchive(f"{name!r} lies outside the packages")
    return folder.joinpath(*parts)


def _make_folder(path: Path) -> None:
    """Make a folder and those above it, for a container's user to read whatever the caller's mask is."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir()
        path.chmod(0o755)


def _write(tar: tarfile.TarFile, entry: tarfile.TarInfo, path: Path) -> None:
    source = tar.extractfile(entry)
    if source is None:
        raise BadArchive(f"{entry.name} has no content")
    # A container's user is another one, and none of its files is anybody's but to read.
    mode = 0o755 if entry.mode & 0o111 else 0o644
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "wb") as file:  # noqa: PTH123
        shutil.copyfileobj(source, file, _CHUNK)
        os.fchmod(descriptor, mode)
        os.utime(descriptor, (entry.mtime, entry.mtime))


def _copy(source: Path, path: Path) -> int:
    """Make a further name of a file a file of its own; return its size."""
    if not source.is_file() or source.is_symlink():
        raise BadArchive(f"{path.name} is a link to nothing that came before")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:  # noqa: PTH123
        file.write(source.read_bytes())
    shutil.copystat(source, path)
    return path.stat().st_size


class _Reader(io.RawIOBase):
    """Blocks as a file that can be read once; raises `BadArchive` past a number of bytes.

    Names of any length stand in heads of their own, which the library reads at once.
    """

    def __init__(self, blocks: Iterator[bytes], limit_bytes: int) -> None:
        self._blocks = blocks
        self._left = limit_bytes
        self._rest = b""

    def read(self, n_bytes: int = -1) -> bytes:
        if n_bytes > _MAX_READ:
            raise BadArchive("a head of the archive is longer than any name")
        pieces = [self._rest]
        held = len(self._rest)
        while n_bytes < 0 or held < n_bytes:
            block = next(self._blocks, b"")
            if not block:
                break
            pieces.append(block)
            held += len(block)
            self._left -= len(block)
            if self._left < 0:
                raise BadArchive("the archive is longer than what it may hold")
        data = b"".join(pieces)
        n_bytes = len(data) if n_bytes < 0 else n_bytes
        self._rest = data[n_bytes:]
        return data[:n_bytes]
