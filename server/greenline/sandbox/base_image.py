"""The image of the `host` toolchain: empty folders to mount on and a synthesised `/etc`, made on the spot.

Its tag is a hash of its content, so that it is made once and again only when the machine's `/etc` changes.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = "greenline-host"

_FOLDERS = ("dev", "etc", "opt", "proc", "root", "run", "sbin", "sys", "tmp", "usr", "var", "var/tmp", "home")
_COPIED = (
    "ld.so.cache",
    "ld.so.conf",
    "localtime",
    "mime.types",
    "services",
    "protocols",
    "ssl/certs/ca-certificates.crt",
)
_WRITTEN = {
    "passwd": "root:x:0:0::/root:/bin/sh\ntests:x:{uid}:{gid}::/tmp/home:/bin/sh\n"
    "reporter:x:{reporter}:{reporter}::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n",
    "group": "root:x:0:\ntests:x:{gid}:\nreporter:x:{reporter}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hostname": "sandbox\n",
}


def build(uid: int, gid: int, reporter_uid: int) -> tuple[str, bytes]:
    """Return the image's tag and its root file system as a tar, the same bytes for the same machine."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in _FOLDERS:
            tar.addfile(_entry(name, tarfile.DIRTYPE, 0o1777 if name.endswith("tmp") else 0o755))
        for name in ("bin", "lib", "lib64", "lib32"):
            _add_system_folder(tar, name)
        for name, template in _WRITTEN.items():
            _add_file(tar, f"etc/{name}", template.format(uid=uid, gid=gid, reporter=reporter_uid).encode())
        for name, content in _copied():
            _add_file(tar, f"etc/{name}", content)
        for link, target in _alternatives():
            entry = _entry(f"etc/alternatives/{link}", tarfile.SYMTYPE, 0o777)
            entry.linkname = target
            tar.addfile(entry)
    data = buffer.getvalue()
    return f"{REPOSITORY}:{hashlib.sha256(data).hexdigest()[:16]}", data


def _add_system_folder(tar: tarfile.TarFile, name: str) -> None:
    host = Path("/") / name
    if host.is_symlink():
        entry = _entry(name, tarfile.SYMTYPE, 0o777)
        entry.linkname = str(host.readlink())
        tar.addfile(entry)
    elif host.is_dir():
        tar.addfile(_entry(name, tarfile.DIRTYPE, 0o755))


def _add_file(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = _entry(name, tarfile.REGTYPE, 0o644)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, 0
    return entry


def _copied() -> Iterator[tuple[str, bytes]]:
    for name in _COPIED:
        path = Path("/etc") / name
        if path.is_file():
            yield name, path.read_bytes()
    java = Path("/etc")
    for folder in sorted(java.glob("java-*-openjdk")):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and os.access(file, os.R_OK):
                yield str(file.relative_to("/etc")), file.read_bytes()


def _alternatives() -> Iterator[tuple[str, str]]:
    folder = Path("/etc/alternatives")
    if folder.is_dir():
        for link in sorted(folder.iterdir()):
            if link.is_symlink():
                yield link.name, str(link.readlink())
