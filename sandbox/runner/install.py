"""Installs the packages of lock files, in a container of its own; all that it reaches is a proxy.

Usage: `python -I install.py python hashed|free|lock FILE…`, `… node FOLDER…`, or `… go`.

The files lie below `/opt/greenline/packages`, in `src`, `node` or `go`; what is installed comes beside them.
Its exit code is that of the package manager; 3 means that there is none.
"""

import os
import subprocess
import sys

HOME = "/opt/greenline/packages"
SOURCE = f"{HOME}/src"
ENVIRONMENT = f"{HOME}/python"
_PROJECT = (
    "import os, sys; "
    "sys.path.extend(p for p in os.environ.get('GREENLINE_PROJECT', '').split(os.pathsep) if p)\n"
)
"""A line that Python runs at its start: where the project lies is known only where it is tested."""


def main() -> int:
    kind, *rest = sys.argv[1:]
    if kind == "go":
        return _go()
    return _node(rest) if kind == "node" else _python(rest[0], rest[1:])


def _python(how: str, names: "list[str]") -> int:
    code = _call([sys.executable, "-I", "-m", "venv", "--without-pip", ENVIRONMENT])
    if code == 0:
        code = _call([sys.executable, "-I", "-m", "pip", "--version"])
    if code != 0:
        return 3
    options = ["--require-hashes"] if how == "hashed" else []
    files = [os.path.join(SOURCE, name) for name in names]
    if how == "lock":
        # `-I` leaves this folder off the path.
        sys.path.append(os.path.dirname(os.path.abspath(__file__)))
        import lock_reader

        text = lock_reader.requirements(files[0])
        files = [f"{SOURCE}/.greenline-requirements.txt"]
        with open(files[0], "w", encoding="utf-8") as file:
            file.write(text)
        options = ["--require-hashes", "--no-deps"]
    for file in files:
        options += ["-r", file]
    python = f"{ENVIRONMENT}/bin/python"
    pip = [sys.executable, "-I", "-m", "pip", "--python", python, "--no-input", "--no-cache-dir"]
    code = _call([*pip, "--disable-pip-version-check", "install", "--progress-bar", "off", *options])
    if code == 0:
        _let_the_project_in()
    return code


def _let_the_project_in() -> None:
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folder = f"{ENVIRONMENT}/lib/{version}/site-packages"
    with open(f"{folder}/greenline_project.pth", "w", encoding="ascii") as file:
        file.write(_PROJECT)


def _node(folders: "list[str]") -> int:
    os.chdir(f"{HOME}/node")
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    code = _call(["npm", "ci", "--ignore-scripts", *quiet])
    if code == 0:
        # A lock file without packages leaves no folder.
        for folder in folders:
            os.makedirs(os.path.join(HOME, folder), exist_ok=True)
    return code


def _go() -> int:
    os.chdir(f"{HOME}/go")
    os.environ["GOMODCACHE"] = f"{HOME}/go/modules"
    os.makedirs(f"{HOME}/go/modules", exist_ok=True)
    return _call(["go", "mod", "download"])


def _call(command: "list[str]") -> int:
    sys.stdout.flush()
    try:
        return subprocess.call(command)
    except FileNotFoundError:
        print(f"{command[0]}: not found", flush=True)
        return 3


if __name__ == "__main__":
    sys.exit(main())
