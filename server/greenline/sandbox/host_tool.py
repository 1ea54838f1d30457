"""Node, Go and Java as the machine has them: what a container must see, found by reading, never by running.

What lies below `/usr` is there already. Anything else must look like the tool's own folder to be shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

_SIGNS = {
    "node": ("bin/node",),
    "go": ("bin/go", "src/testing/testing.go"),
    "javac": ("bin/javac", "bin/java", "lib/modules"),
}
"""Program → what its own folder holds, relative to it."""
_DEEP = 3
_JAVA = ("pom.xml", "build.gradle", "build.gradle.kts")


@attrs.frozen
class HostTools:
    """The folders of the machine's tools."""

    folders: tuple[Path, ...] = ()
    """Resolved folders to be shown under their own path, read-only."""
    bin_folders: tuple[str, ...] = ()
    """Folders for PATH, the user's order kept."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables that lead the tools to what is shown."""


def find_tools(root: Path, environment: Mapping[str, str], check: Callable[[Path, str], str]) -> HostTools:
    """Return Node, Go and the JDK of the user's PATH; `check` raises where something must not be shown.

    What Maven and Gradle have fetched, which can be large, only a project with a manifest of theirs is shown.
    """
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
    variables: list[tuple[str, str]] = []
    caches = [("GOMODCACHE", _module_cache(environment))]
    if _is_java(root):
        caches.append(("GREENLINE_MAVEN", _artifacts(environment, ".m2/repository")))
        caches.append(("GREENLINE_GRADLE", _artifacts(environment, ".gradle/caches/modules-2/files-2.1")))
    for variable, cache in caches:
        if cache is not None:
            folders.append(Path(check(cache, str(cache))))
            variables.append((variable, str(cache)))
    return HostTools(tuple(folders), tuple(bins), tuple(variables))


def _programs(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    entries = environment.get("PATH", "").split(os.pathsep)
    if name == "javac" and environment.get("JAVA_HOME"):
        # Maven and Gradle take this one before the one on PATH.
        entries.insert(0, str(Path(environment["JAVA_HOME"]) / "bin"))
    for entry in entries:
        program = Path(entry) / name
        if Path(entry).is_absolute() and program.is_file() and os.access(program, os.X_OK):
            yield program


def _is_java(root: Path) -> bool:
    """Return whether a project, or one in a folder or two below it, is Maven's or Gradle's."""
    folders = [root]
    for _ in range(_DEEP):
        below: list[Path] = []
        for folder in folders:
            for entry in _entries(folder):
                if entry.name in _JAVA:
                    return True
                # Before each run: a folder of packages can have thousands below it.
                is_ours = not entry.name.startswith(".") and entry.name != "node_modules"
                if is_ours and (entry.is_symlink() or entry.is_dir()):
                    below.append(Path(entry.path))
        folders = below
    return False


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what a folder holds; nothing where it is none, or cannot be read."""
    try:
        with os.scandir(folder) as scan:
            return [*scan]
    except OSError:
        return []


def _artifacts(environment: Mapping[str, str], place: str) -> Path | None:
    """Return where a Java build keeps what it has fetched, if it has fetched anything."""
    folder = Path(environment.get("HOME") or "/") / place
    return Path(os.path.realpath(folder)) if folder.is_absolute() and folder.is_dir() else None


def _module_cache(environment: Mapping[str, str]) -> Path | None:
    """Return where Go keeps the modules that it has fetched, if it has fetched any."""
    home = environment.get("HOME") or "/"
    path = environment.get("GOPATH", "").split(os.pathsep)[0] or str(Path(home) / "go")
    cache = Path(environment.get("GOMODCACHE") or Path(path) / "pkg" / "mod")
    return Path(os.path.realpath(cache)) if cache.is_absolute() and cache.is_dir() else None
