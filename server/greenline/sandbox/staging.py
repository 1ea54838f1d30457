"""A tree as a stream of tar blocks, so that a big project is never held twice.

Most headers are written here: a tree has tens of thousands of files, each is staged once a container, and
`tarfile` takes ten times as long. What a plain header cannot hold is left to it.
"""

from __future__ import annotations

import tarfile
import time
from collections.abc import Iterator

from greenline.core.port import StagedFile, Tree

_BLOCK_BYTES = 1 << 20
_UNIT = tarfile.BLOCKSIZE
_NAME_BYTES = 100
_SIZE_LIMIT = 8**11
_OWNER = b"0000000\0"
_NO_SUM = b" " * 8
_TAIL = b"ustar\00000" + bytes(_UNIT - 265)
"""What follows the name of a link: format, and neither owner's names nor a device."""


def tar_blocks(tree: Tree, skipped: tuple[str, ...]) -> Iterator[bytes]:
    """Yield a tar of the tree; what lies in a `skipped` folder, which is mounted instead, is left out."""
    names, below = frozenset(skipped), tuple(f"{name}/" for name in skipped)
    mtime = int(time.time())
    pieces: list[bytes] = []
    size = total = 0
    for path in sorted(tree):
        if path in names or path.startswith(below):
            continue
        file = tree[path]
        content = b"" if file.link is not None else file.content
        head = _plain_head(path, file, mtime) or _any_head(path, file, mtime)
        pieces += (head, content, bytes(-len(content) % _UNIT))
        size += len(head) + len(content) + len(pieces[-1])
        if size > _BLOCK_BYTES:
            yield b"".join(pieces)
            total += size
            pieces, size = [], 0
    # Two empty units are the end, and a whole record is what readers expect.
    pieces.append(bytes(2 * _UNIT))
    total += size + 2 * _UNIT
    pieces.append(bytes(-total % tarfile.RECORDSIZE))
    yield b"".join(pieces)


def _plain_head(path: str, file: StagedFile, mtime: int) -> bytes | None:
    """Return an entry's header, or None where a name is long or not ASCII, or the content huge."""
    link = file.link or ""
    size = 0 if file.link is not None else len(file.content)
    if not (path.isascii() and link.isascii() and len(path) <= _NAME_BYTES and len(link) <= _NAME_BYTES):
        return None
    if size >= _SIZE_LIMIT:
        return None
    name, target = path.encode().ljust(_NAME_BYTES, b"\0"), link.encode().ljust(_NAME_BYTES, b"\0")
    first = b"%s%07o\0%s%s%011o\0%011o\0" % (name, _mode(file), _OWNER, _OWNER, size, mtime)
    last = (b"0" if file.link is None else b"2") + target + _TAIL
    # The sum is taken over the header with spaces in its own place.
    return b"%s%06o\0 %s" % (first, sum(first) + sum(_NO_SUM) + sum(last), last)


def _any_head(path: str, file: StagedFile, mtime: int) -> bytes:
    entry = tarfile.TarInfo(path)
    entry.mtime, entry.mode = mtime, _mode(file)
    if file.link is not None:
        entry.type, entry.linkname = tarfile.SYMTYPE, file.link
    else:
        entry.size = len(file.content)
    return entry.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def _mode(file: StagedFile) -> int:
    return 0o777 if file.link is not None else file.mode | 0o600
