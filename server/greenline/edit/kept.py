"""Owner and extended attributes of a file as text, so that they come back with it, or go where it goes."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from base64 import b64decode, b64encode
from pathlib import Path

_UNKEPT = {errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.ENODATA, errno.EINVAL}
"""Errors of an attribute that belongs to the system or to another file system."""


def kept_of(path: str) -> str:
    """Return what a file has beside content and mode bits; empty where there is no such file."""
    try:
        status = Path(path).stat()
    except OSError:
        return ""
    attributes = {}
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(path):
                with contextlib.suppress(OSError):
                    attributes[name] = b64encode(os.getxattr(path, name)).decode()
    return json.dumps({"owner": [status.st_uid, status.st_gid], "attributes": attributes})


def give(path: Path, kept: str) -> None:
    """Give a file what `kept_of` has told of another one, as far as this process may.

    Raises `OSError` where an attribute of the user's own cannot be given.
    """
    value = json.loads(kept)
    status = path.stat()
    # Some file systems know no change of owner at all, not even to the one that a file has.
    if hasattr(os, "chown") and value["owner"] != [status.st_uid, status.st_gid]:
        with contextlib.suppress(PermissionError):
            os.chown(path, *value["owner"])
    for name, data in value["attributes"].items():
        try:
            os.setxattr(path, name, b64decode(data))
        except OSError as error:
            if error.errno not in _UNKEPT or name.startswith("user."):
                raise
