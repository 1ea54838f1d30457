"""Build the toolbox: pytest and coverage, for projects whose environment has none.

Usage: `python3 sandbox/build_toolbox.py`, with an interpreter that has pip (`make install` calls it); with
`--download FOLDER` the wheels are only brought, for a machine without network.

Installs `toolbox.txt`, by hash, into `sandbox/toolbox/`, which replaces what was there. All of it is pure
Python and suits any interpreter. Beside that come the tracers in C of `tracers.txt`, one for each version of
CPython, whose names keep them apart: coverage in pure Python makes tests ten to thirty times as slow.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_STAMP = "requirements.txt"
_PIP = (sys.executable, "-m", "pip")
_OPTIONS = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary=:all:")
_VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""The CPythons that `tracers.txt` has a tracer for."""
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_N_DOWNLOADS = 3
_PURE, _TRACERS = _HERE / "toolbox.txt", _HERE / "tracers.txt"
# The wheels must suit every project's interpreter, not the one that builds.
_ANYWHERE = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9")


def main() -> int:
    """Build the toolbox, or only bring its wheels."""
    parser = argparse.ArgumentParser(prog="build_toolbox.py", description="Build the toolbox.")
    parser.add_argument("--download", type=Path, metavar="FOLDER", help="only bring the wheels")
    folder = parser.parse_args().download
    try:
        if folder is None:
            _build(_HERE / "toolbox")
        else:
            pure = (*_PIP, "download", *_OPTIONS, *_ANYWHERE, "--dest", str(folder))
            _call((*pure, "--requirement", str(_PURE)))
            _download_tracers(folder)
    except subprocess.CalledProcessError as error:
        print(f"The toolbox could not be built: pip ended with {error.returncode}.", file=sys.stderr)
        return 1
    return 0


def _build(target: Path) -> None:
    """Build unless the toolbox already holds exactly these requirements."""
    texts = (path.read_text(encoding="utf-8") for path in (_PURE, _TRACERS))
    stamp = "\n".join((f"{sys.version_info[:2]} {platform.machine()}", *texts))
    if (target / _STAMP).is_file() and (target / _STAMP).read_text(encoding="utf-8") == stamp:
        return
    building = _HERE / f"toolbox.{os.getpid()}"
    try:
        where = ("--target", str(building), "--requirement", str(_PURE))
        _call((*_PIP, "install", *_OPTIONS, *_ANYWHERE, *where))
        shutil.rmtree(building / "bin", ignore_errors=True)
        _add_tracers(building / "coverage")
        (building / _STAMP).write_text(stamp, encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        building.rename(target)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _add_tracers(package: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        _download_tracers(Path(name))
        for wheel in sorted(Path(name).glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for member in archive.namelist():
                    if fnmatch(member, "coverage/tracer.*.so"):
                        (package / Path(member).name).write_bytes(archive.read(member))


def _download_tracers(folder: Path) -> None:
    """Bring the wheels with this machine's tracers, one a version of CPython; none for other machines."""
    machine = _MACHINES.get(platform.machine().lower())
    if machine is None:
        return
    command = (*_PIP, "download", *_OPTIONS, "--dest", str(folder), "--requirement", str(_TRACERS))
    command += ("--platform", f"manylinux2014_{machine}", "--platform", f"manylinux_2_28_{machine}")
    command += ("--implementation", "cp")
    commands = [
        (*command, "--python-version", version, "--abi", f"cp{version.replace('.', '')}")
        for version in _VERSIONS
    ]
    with ThreadPoolExecutor(_N_DOWNLOADS) as pool:
        list(pool.map(_call, commands))


def _call(command: Sequence[str]) -> None:
    """Run pip; raises CalledProcessError."""
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
