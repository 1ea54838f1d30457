"""Node and Go as the machine has them: what a container must see of them, found by reading, never by running.

What lies below `/usr` is there already. Anything else must look like the tool's own folder to be shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

_SIGNS = {"node": ("bin/node",), "go": ("bin/go", "src/testing/testing.go")}
"""Program → what its own folder holds, relative to it."""


@attrs.frozen
class HostTools:
    """The folders of the machine's tools."""

    folders: tuple[Path, ...] = ()
    """Resolved folders to be shown under their own path, read-only."""
    bin_folders: tuple[str, ...] = ()
    """Folders for PATH, the user's order kept."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables that lead the tools to what is shown."""


def find_tools(environment: Mapping[str, str], check: Callable[[Path, str], str]) -> HostTools:
    """Return Node and Go of the user's PATH; `check` refuses what must not be shown, by an exception."""
    folders: list[Path] = []
    bins: list[str] = []
    for program, signs in _SIGNS.items():
        found = next(_programs(program, environment), None)
        if found is None:
            continue
        resolved = Path(os.path.realpath(found))
        if resolved.is_relative_to("/usr"):
            if found.parent != Path("/usr/bin"):
                bins.append(str(resolved.parent))
            continue
        prefix = resolved.parent.parent
        if all((prefix / sign).is_file() for sign in signs):
            folders.append(Path(check(prefix, str(found))))
            bins.append(str(resolved.parent))
    modules = _module_cache(environment)
    variables: list[tuple[str, str]] = []
    if modules is not None:
        folders.append(Path(check(modules, str(modules))))
        variables.append(("GOMODCACHE", str(modules)))
    return HostTools(tuple(folders), tuple(bins), tuple(variables))


def _programs(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    for entry in environment.get("PATH", "").split(os.pathsep):
        program = Path(entry) / name
        if Path(entry).is_absolute() and program.is_file() and os.access(program, os.X_OK):
            yield program


def _module_cache(environment: Mapping[str, str]) -> Path | None:
    """Return where Go keeps the modules that it has fetched, if it has fetched any."""
    home = environment.get("HOME") or "/"
    path = environment.get("GOPATH", "").split(os.pathsep)[0] or str(Path(home) / "go")
    cache = Path(environment.get("GOMODCACHE") or Path(path) / "pkg" / "mod")
    return Path(os.path.realpath(cache)) if cache.is_absolute() and cache.is_dir() else None
