"""The projects of `bench.real`: names, versions and hashes, and how one becomes a folder with its history."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import attrs

_TIMEOUT_S = 900
_NOT_PRODUCT = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|__fixtures__|docs?|examples?|bench\w*|dist|build|node_modules"
    r"|\.venv)/|(?:^|/)(?:test_[^/]*|conftest|setup)\.py$|_test\.py$|[.-](?:test|spec)\.\w+$|\.min\.|_version"
)
_SOURCE = {"pypi": (".py",), "npm": (".js", ".cjs", ".mjs", ".ts")}


class Broken(Exception):
    """A project cannot be set up or run here."""


@attrs.frozen
class Project:
    """A package whose releases hold its tests."""

    registry: str
    """`pypi` or `npm`."""
    name: str
    before: str
    version: str
    hashes: tuple[str, str]
    """SHA-256 of the two source archives, the older first, in base 64 without padding."""
    needs: tuple[str, ...] = ()
    """What its tests need beside what the package itself asks for."""
    command: tuple[str, ...] = ()
    """How its own manifest runs the tests, where that is not plain pytest."""

    def test_command(self, root: Path) -> list[str]:
        """Return what runs the suite on the host."""
        if self.registry == "pypi":
            return [str(root / ".venv" / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        return ["npx", "--no-install", *self.command]


def make(project: Project, folder: Path) -> Path:
    """Return a repository with the tags `old`, `new` and `noted`, and the project's environment.

    Raises `Broken` where an archive is another than the pinned one, or a step fails.
    """
    old, root = folder / "old", folder / project.name
    for version, digest, target in zip(
        (project.before, project.version), project.hashes, (old, root), strict=True
    ):
        _unpack(_download(project, version, folder / f"archive-{version}"), digest, target)
    _install(project, root)
    run(root, "git", "init", "-q")
    (root / ".git" / "info" / "exclude").write_text(".venv\nnode_modules\n")
    new = _products(project, root)
    kept = {name: (root / name).read_bytes() for name in new}
    for name in new | _products(project, old):
        _put(root / name, (old / name).read_bytes() if (old / name).is_file() else None)
    _commit(root, "old")
    for name in _products(project, root) | new:
        _put(root / name, kept.get(name))
    _commit(root, "new")
    (root / "NOTES-OF-A-READER.txt").write_text("Nothing of the product.\n")
    _commit(root, "noted")
    run(root, "git", "checkout", "-q", "new")
    return root


def _products(project: Project, root: Path) -> set[str]:
    names = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {
        name for name in names if name.endswith(_SOURCE[project.registry]) and not _NOT_PRODUCT.search(name)
    }


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _commit(root: Path, tag: str) -> None:
    run(root, "git", "add", "-A", "-f", "--", ".", ":!.venv", ":!node_modules")
    run(root, "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", tag)
    run(root, "git", "tag", tag)


def _download(project: Project, version: str, folder: Path) -> Path:
    folder.mkdir()
    what = f"{project.name}=={version}"
    if project.registry == "pypi":
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", what]
        run(folder, *pip)
    else:
        run(folder, "npm", "pack", "--silent", f"{project.name}@{version}")
    return next(folder.iterdir())


def _unpack(archive: Path, digest: str, target: Path) -> None:
    found = base64.b64encode(hashlib.sha256(archive.read_bytes()).digest()).decode().rstrip("=")
    if found != digest:
        raise Broken(f"{archive.name} has the hash {found}, and {digest} is pinned")
    with tarfile.open(archive) as file:
        file.extractall(target.with_suffix(".x"), filter="data")
    (inner,) = target.with_suffix(".x").iterdir()
    shutil.move(inner, target)


def _install(project: Project, root: Path) -> None:
    if project.registry == "pypi":
        run(root, sys.executable, "-m", "venv", ".venv")
        pip = (".venv/bin/python", "-m", "pip", "install", "-q")
        run(root, *pip, "pytest", *project.needs)
        run(root, *pip, "-e", ".")
        return
    # What its developers need besides is left out: linters, bundlers and runners of other years.
    manifest = json.loads((root / "package.json").read_text())
    manifest.pop("devDependencies", None)
    (root / "package.json").write_text(json.dumps(manifest, indent=2))
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", "--silent", "--no-save")
    run(root, "npm", "install", *quiet, *project.needs)


def run(folder: Path, *command: str) -> None:
    """Run a step in a folder; raises `Broken` where it fails."""
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_TIMEOUT_S, text=True)
    except subprocess.CalledProcessError as error:
        raise Broken(f"{' '.join(command[:4])}: {error.stderr.strip()[-300:]}") from error


PROJECTS = (
    Project(
        "pypi",
        "click",
        "8.5.0",
        "8.5.1",
        ("ug0gid516gMQ4t3gMWDmyhAAmUf7laGC+bVAIbsnLjQ", "m7+tp2cD/R14S4PuoBLj6MagAah2VD7xBPpWqq6wcrQ"),
    ),
    Project(
        "pypi",
        "jinja2",
        "3.1.5",
        "3.1.6",
        ("j+//jcMDTie7gNZ8Zx64qbxCTA70wIJu2/8wTM7/Q7s", "ATf7BZkNNfEnWlh+mu5tVtqCH8g0kaD7g4GDvkP2bW0"),
        ("trio",),
    ),
    Project(
        "pypi",
        "itsdangerous",
        "2.1.2",
        "2.2.0",
        ("XbvGizF+XkLzJ/kCF2NUXcP8O/4i5t65aq8fw4h0FWo", "4AUMC32h7qU/+vFJwM+7XG4uK2nEvvIsgfputz5fYXM"),
        ("freezegun",),
    ),
    Project(
        "pypi",
        "humanize",
        "4.16.0",
        "4.17.0",
        ("fcIkSi+EpL+x02w3usgM1441zcXBGSBth7AY4URfOj8", "HWo2xFPb+7Pws0YB0uC0zl1I14AwXNRXFIQ/AGj95qw"),
        ("freezegun",),
    ),
    Project(
        "pypi",
        "h11",
        "0.15.0",
        "0.16.0",
        ("Kn2y0r7/1ObGu+OmQwWrd9iQh5duiu2P3P9LBUdE5y8", "TjW5Vs9FeS5MqliF5p+6AL28b/r7+gIDAOVJsgjuX/E"),
    ),
    Project(
        "pypi",
        "wsproto",
        "1.3.1",
        "1.3.2",
        ("gVKZkjJcKPDZuGymb8lz2pbrgKtTQQJJzi5QJ0nHcjw", "uGiF3PKU4VIEkZlQ9mbgb/xsfBFMqQCwYNbhYpNSgpQ"),
    ),
    Project(
        "pypi",
        "parso",
        "0.8.6",
        "0.8.7",
        ("K5oDMmlt+X1FT6Z7gWGP1pw1p7kDJ8vmulyS0saKe/0", "6qrEyf3V6eiFLcd40tdAWJfsUQ8qKYBxRT5eOgeRS7E"),
    ),
    Project(
        "pypi",
        "funcy",
        "2.0",
        "2.1",
        ("OWMxXVnUHG8wwEvJEOEKtQo6xKIlhov6lv7tEz3wdcs", "iXn+s95xIK/R0A5ajq6BDBlC5L+8kWlxUenuHkn3koQ"),
        ("whatever",),
    ),
    Project(
        "pypi",
        "tabulate",
        "0.9.0",
        "0.10.0",
        ("AJWxK/WWbeUpwP6x+ghnFnGzNo7sd9fverEUviwGizw", "4s/ej3lCD23u/97amq7DtrxavOlHZV0XrGYrEm5Ipg0"),
        ("wcwidth",),
    ),
    Project(
        "pypi",
        "sqlparse",
        "0.6.0",
        "0.6.1",
        ("ETw1x1Nlq5zJxyMdaMZCj7EcCF/I6esa1lm33b9s0rk", "ynIlc/hI/y0w5A6jD1OhBLfep2NeqShYkSY+ssWPtuc"),
    ),
    Project(
        "pypi",
        "inflection",
        "0.5.0",
        "0.5.1",
        ("9XboUTLTT1v331GDwsb5TPsy5Sj1MGU0XPcTKboLiSQ", "GilzDTZumWqqz/svHxy5WT3Dji3dMMkSUMbd4J6ptBc"),
    ),
    Project(
        "pypi",
        "tinydb",
        "4.8.2",
        "4.9.0",
        ("99/Dm41/2nocpiqNu0Sf/TQKEXwSBraMULGkgfuVGB0", "aSix+nhRhr2nlSoLoFqu7ciD7eVlypx9YI3kTl513nA"),
        ("pyyaml",),
    ),
    Project(
        "pypi",
        "python-slugify",
        "9.1.3",
        "9.2.0",
        ("kOmX8uCYcjnOleEvcACG6xjh0dPuImJPu9vQla/KQrY", "zuMpSAg0dgE4BN4WZ3JPsTYtrLceR7HV2SrfjbbuMpg"),
        ("text-unidecode",),
    ),
    Project(
        "pypi",
        "schedule",
        "1.2.1",
        "1.2.2",
        ("hDvAU4uZyT8CuLUOPjmIbAby0AOyT0jhqkyt+j80Enk", "Ff6cdf5f2blifz8ZzA7xQgUI+fmkb0XNB2nvde3l8Lc"),
        ("pytz",),
    ),
    Project(
        "npm",
        "css-what",
        "7.0.0",
        "8.0.0",
        ("5zHuP+VvGW7dbcRuitJdThmn+x41D1uZGVM0MY+G3yw", "HszOj01SODIlOggoFUlfgjuGIdCqtqLupYU9DTfrRBc"),
        ("vitest@4.1.12", "vite@7.1.12", "typescript@5.9.3"),
        ("vitest", "run"),
    ),
    Project(
        "npm",
        "fraction.js",
        "5.3.3",
        "5.3.4",
        ("9nWDIcg28YgaRKB6kiR1B7E26TzRN3pruNTSnSpEv9E", "J+I9jlrShVQeE+S+/FHTlzk1Sr4fcaNI3gihyIpUoSQ"),
        ("mocha@12.0.3",),
        ("mocha", "tests/*.js"),
    ),
    Project(
        "npm",
        "dot",
        "1.1.2",
        "1.1.3",
        ("XoFAC4LTFx/EeA52eh6urBbT7/xU+l9ZMI5Qj27TQ9E", "xfqDAilolNnXn/+LgChjEe5G7HvFxwuISiOM4BwlXIo"),
        ("mocha@12.0.3", "commander@2", "mkdirp@0.5"),
        ("mocha", "test/*.test.js"),
    ),
    Project(
        "npm",
        "promise-retry",
        "1.1.1",
        "2.0.1",
        ("YfSl12ORqfst9R+fRIG1Vi/G4yYTRc4BqEUnNqBJgLY", "WJY3Js2kC99OppSpqEM1qz0gNhdwP9anH1DwJQVrVcw"),
        ("mocha@12.0.3", "expect.js", "sleep-promise"),
        ("mocha", "-t", "10000"),
    ),
    Project(
        "npm",
        "base32.js",
        "0.0.1",
        "0.1.0",
        ("rS7c0DS5803UCUhfHLyv5lN/9EDyKqqQsbwox1jcOzc", "zsQZX7V+9erfJ0VmMZqOPL6rHFFNHFDSPIGMxqRknD4"),
        ("mocha@12.0.3",),
        ("mocha",),
    ),
    Project(
        "npm",
        "priorityqueuejs",
        "0.2.0",
        "2.0.0",
        ("tyGfq8zFkIGtOKHFb9smHtl4XQGJLkQ3WuFc/77sTCs", "LmEwXkuIZR8+uNI+Z8uicYsHJ6Pa8nIo95W6cwoAYvg"),
        ("mocha@12.0.3", "expect.js"),
        ("mocha",),
    ),
    Project(
        "npm",
        "papaparse",
        "5.7.0",
        "5.7.1",
        ("JjusU7qykjkLzyaXqMFPC8OCqzwZL6CI4cqpqCQZVrE", "x4tKpKeSN4BZ68/HG5FgGjEOBFb0MZmcjpW29LYUuFw"),
        ("mocha@12.0.3", "chai@4"),
        ("mocha", "tests/node-tests.js", "tests/test-cases.js"),
    ),
)
