"""Which folders lie on a drive whose changes by other machines the kernel does not tell of."""

from __future__ import annotations

import os
import re
from pathlib import Path

_TYPES = re.compile(
    r"(?:nfs4?|cifs|smb3?|smbfs|afs|ncpfs|9p|virtiofs|vboxsf|vmhgfs|drvfs|ceph|glusterfs|lustre|gpfs|beegfs"
    r"|fuse(?:\..*)?|autofs)"
)
_LOCAL_FUSE = frozenset({"fuse.ntfs-3g", "fuse.exfat", "fuseblk", "fuse.fuse-overlayfs", "fuse.ext4"})
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def is_on_network(path: str, mounts: str | None = None) -> bool:
    """Return whether a folder lies on a network drive; `mounts` is the text of Linux's `mountinfo`.

    Elsewhere than on Linux a path of the form `//server/share` does.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
        except OSError:
            return path.startswith(("\\\\", "//"))
    kind = ""
    longest = -1
    real = os.path.realpath(path)
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        point = _ESCAPE.sub(lambda match: chr(int(match.group(1), 8)), fields[4])
        if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= longest:
            # Of two mounts on one point the later one is seen.
            longest, kind = len(point), after.split()[0]
    return _TYPES.fullmatch(kind) is not None and kind not in _LOCAL_FUSE
