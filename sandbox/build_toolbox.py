"""Build the toolbox: pytest and coverage, for projects whose environment has none.

Usage: `python3 sandbox/build_toolbox.py`, with an interpreter that has pip (`make install` calls it).

Installs `toolbox.txt`, by hash, into `sandbox/toolbox/`, which replaces what was there. All of it is pure
Python and suits any interpreter. Beside that come the tracers in C of `tracers.txt`, one for each version of
CPython, whose names keep them apart: coverage in pure Python makes tests ten to thirty times as slow.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_STAMP = "requirements.txt"
_PIP = (sys.executable, "-m", "pip")
_OPTIONS = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary=:all:")
VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""The CPythons that `tracers.txt` has a tracer for."""
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_N_DOWNLOADS = 3


def main() -> int:
    """Build unless the toolbox already holds exactly these requirements."""
    target, requirements, tracers = _HERE / "toolbox", _HERE / "toolbox.txt", _HERE / "tracers.txt"
    texts = (path.read_text(encoding="utf-8") for path in (requirements, tracers))
    stamp = "\n".join((f"{sys.version_info[:2]} {platform.machine()}", *texts))
    if (target / _STAMP).is_file() and (target / _STAMP).read_text(encoding="utf-8") == stamp:
        return 0
    building = _HERE / f"toolbox.{os.getpid()}"
    try:
        # The wheels must suit every project's interpreter, not the one that builds.
        anywhere = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9")
        where = ("--target", str(building), "--requirement", str(requirements))
        subprocess.run((*_PIP, "install", *_OPTIONS, *anywhere, *where), check=True, stdin=subprocess.DEVNULL)
        shutil.rmtree(building / "bin", ignore_errors=True)
        _add_tracers(tracers, building / "coverage")
        (building / _STAMP).write_text(stamp, encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        building.rename(target)
    except subprocess.CalledProcessError as error:
        print(f"The toolbox could not be built: pip ended with {error.returncode}.", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return 0


def download_commands(requirements: Path, folder: Path) -> list[list[str]]:
    """Return the commands that bring the wheels with this machine's tracers, one a version of CPython."""
    machine = _MACHINES.get(platform.machine().lower())
    if machine is None:
        return []
    command = [*_PIP, "download", *_OPTIONS, "--dest", str(folder), "--requirement", str(requirements)]
    command += ["--platform", f"manylinux2014_{machine}", "--platform", f"manylinux_2_28_{machine}"]
    command += ["--implementation", "cp"]
    return [
        [*command, "--python-version", version, "--abi", f"cp{version.replace('.', '')}"]
        for version in VERSIONS
    ]


def _add_tracers(requirements: Path, package: Path) -> None:
    """Put the tracers into the package; raises CalledProcessError where one cannot be had."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ThreadPoolExecutor(_N_DOWNLOADS) as pool:
            list(pool.map(_call, download_commands(requirements, folder)))
        for wheel in sorted(folder.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for member in archive.namelist():
                    if fnmatch(member, "coverage/tracer.*.so"):
                        (package / Path(member).name).write_bytes(archive.read(member))


def _call(command: list[str]) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
