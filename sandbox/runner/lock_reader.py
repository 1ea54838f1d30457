"""A lock file as requirements with hashes, for the interpreter that the packages are for.

It reads `uv.lock`, `poetry.lock`, `pdm.lock` and `Pipfile.lock`: from what the project asks for, development
included, along what each package asks for, as far as its markers fit the interpreter. What lies in no
registry (git, paths) has no hash there, and is refused by its name.
"""

import json
import os
import re
import sys

_FOR_TESTS = frozenset({"dev", "test", "tests", "testing"})
"""The groups and extras of a project itself that are installed, where a lock file holds them apart."""


class NoHash(Exception):
    """A package that cannot be installed by its hash."""


def requirements(path: str) -> str:
    """Return the requirements; ends the program with a line that names what is wrong."""
    try:
        with open(path, "rb") as file:
            lines = _READERS[os.path.basename(path)](file.read(), _Markers(path))
            return "".join(f"{line}\n" for line in lines)
    except NoHash as error:
        sys.exit(f"ERROR: {error}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"ERROR: {os.path.basename(path)} cannot be read: {error!r}")


class _Markers:
    """Whether a package is wanted here; pip's own copy of the library that knows decides."""

    def __init__(self, path: str) -> None:
        try:
            from pip._vendor.packaging.markers import Marker, default_environment
        except ImportError:
            # Some distributions take it out of pip, and install it beside.
            from packaging.markers import Marker, default_environment

        self._marker = Marker
        self._environment = {**default_environment(), "extra": ""}
        self.folder = os.path.dirname(path)

    def fit(self, text: str, extras: "frozenset[str]" = frozenset()) -> bool:
        if not text:
            return True
        marker = self._marker(text)
        return any(marker.evaluate({**self._environment, "extra": extra}) for extra in extras or {""})


def _toml(data: bytes) -> dict:
    try:
        import tomllib
    except ImportError:
        from pip._vendor import tomli as tomllib
    return tomllib.loads(data.decode("utf-8"))


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _line(name: str, version: str, hashes: "list[str]") -> str:
    if not version or not hashes:
        raise NoHash(f"{name} has no hash in the lock file")
    return f"{name}=={version} " + " ".join(f"--hash={one}" for one in sorted(set(hashes)))


def _pipfile(data: bytes, markers: _Markers) -> "list[str]":
    lock = json.loads(data)
    lines = {}
    for group in ("default", "develop"):
        for name, entry in (lock.get(group) or {}).items():
            if markers.fit(entry.get("markers", "")):
                lines[_name(name)] = _line(
                    name, entry.get("version", "").lstrip("="), entry.get("hashes", [])
                )
    return list(lines.values())


def _uv(data: bytes, markers: _Markers) -> "list[str]":
    packages = _toml(data).get("package", [])
    known: dict = {}
    for package in packages:
        known.setdefault(_name(package["name"]), []).append(package)
    own = [p for p in packages if not {"registry", "git", "url"} & set(p.get("source", {}))]
    left = [(p["name"], _FOR_TESTS & set(p.get("optional-dependencies", {})), p.get("version")) for p in own]
    lines: dict = {}
    seen: dict = {}
    while left:
        name, extras, version = left.pop()
        package = _chosen(known.get(_name(name), []), version, markers)
        if package is None or (package["name"] in seen and extras <= seen[package["name"]]):
            continue
        seen[package["name"]] = extras | seen.get(package["name"], frozenset())
        wanted = list(package.get("dependencies", []))
        for extra in extras:
            wanted += package.get("optional-dependencies", {}).get(extra, [])
        if package in own:
            groups = package.get("dev-dependencies", {})
            wanted += [one for name in _FOR_TESTS & set(groups) for one in groups[name]]
        else:
            files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
            hashes = [file["hash"] for file in files if "hash" in file]
            lines[package["name"]] = _line(package["name"], package.get("version", ""), hashes)
        for one in wanted:
            if markers.fit(one.get("marker", ""), extras):
                left.append((one["name"], frozenset(one.get("extra", [])), one.get("version")))
    return list(lines.values())


def _chosen(packages: list, version: "str | None", markers: _Markers) -> "dict | None":
    """Return the one of a package's versions that is meant here."""
    for package in packages:
        fits = [markers.fit(text) for text in package.get("resolution-markers", [])]
        if (version is None or package.get("version") == version) and (not fits or any(fits)):
            return package
    return None


def _poetry(data: bytes, markers: _Markers) -> "list[str]":
    lock = _toml(data)
    known = {_name(package["name"]): package for package in lock.get("package", [])}
    if all("groups" in package for package in known.values()):
        wanted = [p for p in known.values() if not p.get("optional") and _fits(p, markers)]
    else:
        wanted = _reached(known, _asked_by_poetry(markers.folder), markers)
    return [_of_files(package) for package in wanted]


def _fits(package: dict, markers: _Markers) -> bool:
    text = package.get("markers", "")
    # One a group where they differ.
    return any(map(markers.fit, text.values())) if isinstance(text, dict) else markers.fit(text)


def _asked_by_poetry(folder: str) -> "list[str]":
    with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
        project = _toml(file.read())
    tool = project.get("tool", {}).get("poetry", {})
    names = [*tool.get("dependencies", {}), *tool.get("dev-dependencies", {})]
    for group in tool.get("group", {}).values():
        names += group.get("dependencies", {})
    asked = project.get("project", {}).get("dependencies", [])
    names += [re.split(r"[^\w.-]", text.strip())[0] for text in asked]
    return [name for name in names if name != "python"]


def _reached(known: dict, names: "list[str]", markers: _Markers) -> list:
    """Return the packages that those of these names ask for, with them."""
    found: dict = {}
    left = [_name(name) for name in names]
    while left:
        name = left.pop()
        if name in found or name not in known:
            continue
        found[name] = known[name]
        for other, asked in known[name].get("dependencies", {}).items():
            forms = asked if isinstance(asked, list) else [asked]
            texts = [form.get("markers", "") if isinstance(form, dict) else "" for form in forms]
            optional = all(isinstance(form, dict) and form.get("optional") for form in forms)
            if not optional and any(map(markers.fit, texts)):
                left.append(_name(other))
    return list(found.values())


def _pdm(data: bytes, markers: _Markers) -> "list[str]":
    lines: dict = {}
    for package in _toml(data).get("package", []):
        # An entry with extras says the same as the one without.
        if markers.fit(package.get("marker", "")) and not package.get("path"):
            lines[package["name"]] = _of_files(package)
    return list(lines.values())


def _of_files(package: dict) -> str:
    hashes = [file["hash"] for file in package.get("files", []) if "hash" in file]
    return _line(package["name"], package.get("version", ""), hashes)


_READERS = {"uv.lock": _uv, "poetry.lock": _poetry, "pdm.lock": _pdm, "Pipfile.lock": _pipfile}


if __name__ == "__main__":
    print(requirements(sys.argv[1]), end="")
