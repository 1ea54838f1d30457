"""The `host` toolchain: which of the machine's folders a container sees, found by reading, never by running.

Invariant: a mount source is resolved first and is a system folder, a folder that holds a Python environment
(the workspace's, or the one that the user has activated), or the prefix of an interpreter; never a home
folder, an ancestor of one, `/` or a socket.
"""

from __future__ import annotations

import os
import pwd
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.sandbox.host_tool import find_tools

_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_SYSTEM = (Path("/usr"),)
_MAX_LINKS = 40
_MAX_DEPTH = 3
"""How deep in the root packages of a workspace are looked for, as `packages/GROUP/NAME`."""
_VERSION = re.compile(r"(?:cpython-)?(?P<version>3(?:\.\d{1,3}){0,2})(?:-[\w.-]+)?")
_OLDEST = [3, 8]


Without = Literal["python", "node", "go"]
"""Of which language the project's own packages are left out, since others take their place."""


@attrs.frozen
class Mount:
    """One read-only bind mount."""

    source: str
    target: str


@attrs.frozen
class Image:
    """An image that is on the engine."""

    identity: str
    path: str = ""
    """Its own PATH, or empty."""


@attrs.frozen
class HostToolchain:
    """What a project runs with."""

    python: str
    """Absolute path of the interpreter, the same inside and outside."""
    mounts: tuple[Mount, ...]
    environment: tuple[str, ...] = ()
    """Environment folders inside the root, relative to it; they are mounted, not staged."""
    bin_folders: tuple[str, ...] = ()
    """Folders that come first on PATH."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables that lead programs to what is mounted."""
    image: Image | None = None
    """Whose programs these are; None: this machine's, in an image that is made for it."""


def resolve(root: str, environment: Mapping[str, str], without: Sequence[Without] = ()) -> HostToolchain:
    """Return the toolchain of the project at `root`; raises `SandboxUnavailable` for a hostile link."""
    mounts = system_mounts()
    bin_folders: list[str] = []
    environments: list[str] = []
    python = ""
    for relative, folder in _project_environments(Path(root), environment):
        target = str(Path(root) / relative)
        environments.append(relative)
        if "python" in without:
            continue
        mounts.append(Mount(_checked(folder, target), target))
        if not python:
            python = str(Path(target) / "bin" / "python")
            bin_folders.append(str(Path(target) / "bin"))
            mounts += _interpreter_mounts(folder)
    mounts += _modules_mounts(root, environments, without)
    active = None if python or "python" in without else _active_environment(environment)
    if active is not None:
        # The machine's interpreter would lack what the user has installed for the project.
        source = _checked(_real(active), str(active))
        mounts += [Mount(source, source), Mount(source, str(active)), *_interpreter_mounts(_real(active))]
        python = str(active / "bin" / "python")
        bin_folders.append(str(active / "bin"))
    if not python:
        python, prefix = _machine_python(root, environment)
        if prefix is not None:
            mounts.append(Mount(str(prefix), str(prefix)))
        bin_folders.append(str(Path(python).parent))
    tools = find_tools(Path(root), environment, _checked)
    mounts += [Mount(str(folder), str(folder)) for folder in tools.folders]
    bin_folders += tools.bin_folders
    distinct = tuple(dict.fromkeys(mounts))
    return HostToolchain(python, distinct, tuple(environments), tuple(bin_folders), tools.variables)


def system_mounts() -> list[Mount]:
    """Return the mounts of the machine's own programs and libraries."""
    mounts = [Mount("/usr", "/usr")]
    for name in ("/bin", "/lib", "/lib64"):
        folder = Path(name)
        if folder.is_dir() and not folder.is_symlink():
            mounts.append(Mount(name, name))
    return mounts


def resolve_in_image(
    root: str, environment: Mapping[str, str], image: Image | None, without: Sequence[Without] = ()
) -> HostToolchain:
    """Return the toolchain of a project whose interpreter is an image's; raises `SandboxUnavailable`.

    The project's own environments are left out: they are made for another interpreter.
    """
    environments = [relative for relative, _ in _project_environments(Path(root), environment)]
    mounts = _modules_mounts(root, environments, without)
    return HostToolchain("python3", tuple(mounts), tuple(environments), image=image)


def _modules_mounts(root: str, environments: list[str], without: Sequence[Without]) -> list[Mount]:
    """Return the mounts of Node's packages, and add their folders to those that are not staged."""
    folders = list(_modules_folders(Path(root)))
    environments += folders
    if "node" in without:
        return []
    modules = [Path(root) / relative for relative in folders]
    return [Mount(_checked_modules(folder), str(folder)) for folder in modules]


def _modules_folders(root: Path) -> Iterator[str]:
    """Yield the installed packages of the root and of the packages of a workspace below it, relative."""
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in _entries(root / below):
            relative = f"{below}/{entry.name}" if below else entry.name
            if entry.name == "node_modules":
                if entry.is_dir():
                    yield relative
            elif (
                relative.count("/") < _MAX_DEPTH
                and not entry.name.startswith(".")
                and entry.is_dir(follow_symlinks=False)
                and not Path(entry.path, "pyvenv.cfg").is_file()
            ):
                folders.append(relative)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return []


def _project_environments(root: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield environments that lie, or are linked, in the root: relative path and resolved folder."""
    names = list(_ENVIRONMENTS)
    active = _active_environment(environment)
    if active is not None and active != root and active.is_relative_to(root):
        names.insert(0, str(active.relative_to(root)))
    for name in dict.fromkeys(names):
        folder = root / name
        if not folder.is_dir():
            continue
        resolved = _real(folder)
        if folder.is_symlink():
            _checked(resolved, str(folder))
        if (resolved / "pyvenv.cfg").is_file():
            yield name, resolved


def _active_environment(environment: Mapping[str, str]) -> Path | None:
    """Return the environment that the user has activated, as it is spelled, or None."""
    active = environment.get("VIRTUAL_ENV", "")
    if not Path(active).is_absolute():
        return None
    folder = Path(os.path.normpath(active))
    return folder if (folder / "pyvenv.cfg").is_file() and (folder / "bin" / "python").exists() else None


def _interpreter_mounts(environment: Path) -> list[Mount]:
    """Return mounts for the interpreter that an environment's `bin/python` and `pyvenv.cfg` lead to."""
    mounts: list[Mount] = []
    for start in (environment / "bin" / "python", Path(_config_home(environment) or "/usr/bin") / "python3"):
        prefix = _prefix(start)
        if prefix is not None:
            targets = [prefix, *(p for p in _spelled_prefixes(start) if p != prefix and _real(p) == prefix)]
            mounts += [Mount(str(prefix), str(target)) for target in targets]
    return mounts


def _config_home(environment: Path) -> str | None:
    text = (environment / "pyvenv.cfg").read_text("utf-8", errors="replace")
    found = re.search(r"^\s*home\s*=\s*(.+?)\s*$", text, re.MULTILINE)
    return found.group(1) if found else None


def _prefix(python: Path) -> Path | None:
    """Return the resolved prefix of an interpreter, or None where it is the system's own."""
    resolved = _real(python)
    if not resolved.is_file() or any(resolved.is_relative_to(folder) for folder in _SYSTEM):
        return None
    prefix = resolved.parent.parent
    if not any(prefix.glob("lib/python3*/os.py")):
        return None
    return Path(_checked(prefix, str(python)))


def _spelled_prefixes(python: Path) -> Iterator[Path]:
    """Yield the prefix as each link on the way to an interpreter spells it.

    uv links `cpython-3.12` to a full version, pyenv `3.12` to one; what such a link names must be there.
    """
    for _ in range(_MAX_LINKS):
        yield python.parent.parent
        if not python.is_symlink():
            return
        python = Path(os.path.normpath(python.parent / python.readlink()))


def _machine_python(root: str, environment: Mapping[str, str]) -> tuple[str, Path | None]:
    """Return the interpreter of a project without an environment, and its prefix where it needs a mount."""
    for candidate in _candidates(root, environment):
        resolved = _real(candidate)
        if not resolved.is_file():
            continue
        if any(resolved.is_relative_to(folder) for folder in _SYSTEM):
            return str(candidate if candidate.is_relative_to("/usr") else resolved), None
        prefix = _prefix(candidate)
        if prefix is not None:
            return str(resolved), prefix
    raise SandboxUnavailable(
        f"No Python interpreter was found for {root}.",
        remedy="Create an environment (`python3 -m venv .venv`) in the project.",
    )


def _candidates(root: str, environment: Mapping[str, str]) -> Iterator[Path]:
    home = Path(environment.get("HOME") or "/")
    pyenv = Path(environment.get("PYENV_ROOT") or home / ".pyenv")
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    uv = Path(environment.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    for file in (Path(root) / ".python-version", pyenv / "version"):
        if file.is_file():
            for name in file.read_text("utf-8", errors="replace").split():
                for folder in (pyenv / "versions", uv):
                    yield from _versions(folder, name)
    for entry in environment.get("PATH", "").split(os.pathsep):
        if Path(entry).is_absolute() and "shims" not in Path(entry).parts:
            yield Path(entry) / "python3"
    yield Path("/usr/bin/python3")
    yield Path(sys.base_prefix) / "bin" / "python3"
    yield from _versions(uv, "3")


def _versions(folder: Path, wanted: str) -> Iterator[Path]:
    """Yield the interpreters in a folder of versions that are the wanted one, or of its series; newest first.

    pyenv names a version `3.12.4`, and uv `cpython-3.12.4-linux-x86_64-gnu`.
    """
    asked = _VERSION.fullmatch(wanted)
    if asked is None or not folder.is_dir():
        return
    series = [int(part) for part in asked["version"].split(".")]
    found = []
    for entry in folder.iterdir():
        match = _VERSION.fullmatch(entry.name)
        if match is not None:
            numbers = [int(part) for part in match["version"].split(".")]
            if numbers[: len(series)] == series and numbers >= _OLDEST:
                found.append((numbers, entry / "bin" / "python3"))
    yield from (python for _, python in sorted(found, reverse=True))


def _homes() -> set[Path]:
    homes = {Path(entry.pw_dir).resolve() for entry in pwd.getpwall() if entry.pw_dir not in ("", "/")}
    return {h for h in homes if h.is_dir() and not h.is_relative_to("/usr")} | {Path.home().resolve()}


def _real(path: Path) -> Path:
    """Resolve links; a loop of links ends as a path that does not exist instead of an error."""
    return Path(os.path.realpath(path))


def _checked_modules(modules: Path) -> str:
    """Return where `node_modules` lies; a link may only lead to another folder of that name."""
    resolved = _real(modules)
    if resolved.name != "node_modules":
        raise SandboxUnavailable(
            f"{modules} leads to {resolved}, which must not be shown to a container.",
            remedy="Remove the link, or install the packages inside the project.",
        )
    return _checked(resolved, str(modules))


def _checked(source: Path, spelled: str) -> str:
    """Return a resolved mount source as text, or refuse it by name."""
    resolved = _real(source)
    homes = _homes()
    if resolved == Path("/") or not resolved.is_dir() or any(h.is_relative_to(resolved) for h in homes):
        raise SandboxUnavailable(
            f"{spelled} leads to {resolved}, which must not be shown to a container.",
            remedy="Remove the link, or recreate the environment inside the project.",
        )
    if "," in str(resolved) or ":" in str(resolved):
        raise SandboxUnavailable(
            f"{spelled} has a ':' or ',' in its path, which the engine cannot mount.",
            remedy="Move the environment to a path without these characters.",
        )
    return str(resolved)
