"""A tree as a stream of tar blocks, so that a big project is never held twice."""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Iterator

from greenline.core.port import Tree

_BLOCK_BYTES = 1 << 20


def tar_blocks(tree: Tree, skipped: tuple[str, ...]) -> Iterator[bytes]:
    """Yield a tar of the tree; what lies in a `skipped` folder, which is mounted instead, is left out."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, file in sorted(tree.items()):
            if any(path == name or path.startswith(f"{name}/") for name in skipped):
                continue
            entry = tarfile.TarInfo(path)
            entry.mtime = int(time.time())
            if file.link is not None:
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, file.link, 0o777
                tar.addfile(entry)
            else:
                entry.mode, entry.size = file.mode | 0o600, len(file.content)
                tar.addfile(entry, io.BytesIO(file.content))
            if buffer.tell() > _BLOCK_BYTES:
                yield buffer.getvalue()
                buffer.seek(0)
                buffer.truncate()
    yield buffer.getvalue()
