"""Build the toolbox: pytest and coverage in pure Python, for projects whose environment has none.

Usage: `python3 sandbox/build_toolbox.py`, with an interpreter that has pip (`make install` calls it).

Installs `toolbox.txt`, by hash, into `sandbox/toolbox/`, which replaces what was there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_STAMP = "requirements.txt"


def main() -> int:
    """Build unless the toolbox already holds exactly these requirements."""
    target, requirements = _HERE / "toolbox", _HERE / "toolbox.txt"
    stamp = f"{sys.version_info[:2]}\n{requirements.read_text(encoding='utf-8')}"
    if (target / _STAMP).is_file() and (target / _STAMP).read_text(encoding="utf-8") == stamp:
        return 0
    building = _HERE / f"toolbox.{os.getpid()}"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--platform", "any"]
    # The wheels must suit every project's interpreter, not the one that builds.
    command += ["--implementation", "py", "--abi", "none", "--python-version", "3.9"]
    command += ["--target", str(building), "--requirement", str(requirements)]
    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        shutil.rmtree(building / "bin", ignore_errors=True)
        (building / _STAMP).write_text(stamp, encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        building.rename(target)
    except subprocess.CalledProcessError as error:
        print(f"The toolbox could not be built: pip ended with {error.returncode}.", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
