"""An image with this machine's Python and nothing else, made without a registry."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import docker

PROGRAMS = ("cat", "chmod", "sleep", "tar", "timeout")


@contextmanager
def imported(engine: str, file_system: bytes, name: str = "") -> Iterator[str]:
    """Yield the name of an image that the engine has until the end."""
    client = docker.DockerClient(base_url=engine)
    name = name or f"greenline-test-image:{uuid.uuid4().hex[:12]}"
    repository, tag = name.split(":")
    client.api.import_image_from_data(file_system, repository=repository, tag=tag)
    try:
        yield name
    finally:
        client.images.remove(name, force=True)
        client.close()


def root_file_system(packages: Sequence[str] = ()) -> bytes:
    """Return a tar of a Python, a few programs and their libraries, and installed packages of these names."""
    buffer = io.BytesIO()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    standard = Path(sysconfig.get_path("stdlib"))
    python = Path(sys.base_prefix) / "bin" / version
    programs = [Path(str(shutil.which(name))).resolve() for name in PROGRAMS]
    extensions = sorted((standard / "lib-dynload").glob("*.so"))
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("dev", "etc", "proc", "sys", "tmp", "sbin", "run", "opt"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(folder)
        made_for = tarfile.TarInfo("etc/made-for")
        made_for.size, made_for.mode = 9, 0o644
        tar.addfile(made_for, io.BytesIO(b"this test"))
        tar.add(python.resolve(), "usr/local/bin/python3")
        tar.add(standard, f"usr/local/lib/{version}", filter=_wanted)
        for name in packages:
            tar.add(standard / "site-packages" / name, f"usr/local/lib/{version}/site-packages/{name}")
        for name, program in zip(PROGRAMS, programs, strict=True):
            tar.add(program, f"bin/{name}")
        for name, path in _libraries([python, *programs, *extensions]).items():
            tar.add(path.resolve(), name)
    return buffer.getvalue()


def _wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    left_out = {"test", "tests", "site-packages", "dist-packages", "__pycache__", "idlelib", "ensurepip"}
    return None if left_out & set(entry.name.split("/")[3:]) or "config-" in entry.name else entry


def _libraries(programs: list[Path]) -> dict[str, Path]:
    """Return where in an image the libraries of programs belong; the loader has its own place."""
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    found: dict[str, Path] = {}
    for line in said.splitlines():
        words = line.split()
        if "=>" in words and words[2].startswith("/"):
            found[f"usr/lib/{words[0]}"] = Path(words[2])
        elif line.startswith("\t/"):
            found[words[0].lstrip("/")] = Path(words[0])
    return found
