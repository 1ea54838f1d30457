"""What a project's lock files ask for: which files an install needs of the project, and what it is to make.

Pure. Invariant: a container that fetches packages sees lock files and lists of packages, and no other file
of the project.
"""

from __future__ import annotations

import contextlib
import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import Literal

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.port import StagedFile, Tree

PACKAGES = "/opt/greenline/packages"
"""Where packages lie in every container, as in the one that they were installed in."""
SOURCE = "src"
"""Where the lock files lie below it while packages are installed."""
REQUIREMENTS = (
    *("requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt"),
    *("requirements-test.txt", "requirements-tests.txt", "requirements_test.txt", "test-requirements.txt"),
)
"""The files of requirements that are looked for, all of which are installed."""
CONVERTED = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
"""Lock files that hold hashes, of which one is read; they go before files of requirements."""
NODE = "package-lock.json"
GO = "go.sum"
_VENDORED = "vendor/modules.txt"
"""Where a project of Go's keeps its modules itself."""
OTHERS = ("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb")
READ = (*CONVERTED, "requirements.txt", NODE, GO)
_WITHOUT = ("go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle")
"""Signs of projects that need no packages of Python or Node."""
_OWN = re.compile(r"(?:-e\s*|--editable[ =]\s*)?(?:file:)?\.(?:/)?(?:\[[\w,. -]+\])?\s*(?:[#;].*)?")
_LOCAL = re.compile(r"(?:-e\s*|--editable[ =]\s*)?(?:file:|\.{0,2}/)\S*")
_INCLUDED = re.compile(r"(?:-r|-c|--requirement|--constraint)[ =]?\s*(\S+)")

Kind = Literal["python", "node", "go"]


@attrs.frozen
class LockPlan:
    """One install."""

    kind: Kind
    locks: tuple[str, ...]
    """The lock files, as people know them."""
    files: Tree
    """What is staged, relative to `PACKAGES`."""
    arguments: tuple[str, ...]
    """Of the program that installs."""
    produced: tuple[str, ...]
    """The folders to keep, relative to `PACKAGES`."""
    has_project: bool = False
    """Whether the project itself is among what is installed."""
    has_hashes: bool = True
    """Whether it is fixed what each package holds."""


def lock_plans(tree: Tree, named: Sequence[str] = ()) -> tuple[LockPlan, ...]:
    """Return what to install, at most one plan a kind; `named` are the lock files where the user chose them.

    Raises `SandboxUnavailable` where there is none, or where one asks for what cannot be had.
    """
    gone = [name for name in named if name not in tree]
    if gone:
        raise SandboxUnavailable(
            f"The lock file {gone[0]} is not in the project.",
            remedy="Change `lock_files` in config.toml (GREENLINE_LOCK_FILES).",
        )
    for name in named:
        if posixpath.basename(name) in (NODE, GO) and name not in (NODE, GO):
            raise SandboxUnavailable(
                f"{name} lies in a folder, where only lock files of Python's are read.",
                remedy="Change `lock_files` in config.toml (GREENLINE_LOCK_FILES).",
            )
    python = [n for n in named if n not in (NODE, GO)] or ([] if named else _python_files(tree))
    plans = [_python(tree, python)] if python else []
    if NODE in named or (not named and NODE in tree):
        plans.append(_node(tree))
    if GO in named or (not named and GO in tree and _VENDORED not in tree):
        files = _staged(tree, ["go.mod", GO], "go")
        plans.append(LockPlan("go", (GO,), files, ("go",), ("go/modules",)))
    if not plans and not any(name in tree for name in _WITHOUT):
        other = next((name for name in OTHERS if name in tree), None)
        words = f"{other}, which is not read" if other else "no lock file"
        raise SandboxUnavailable(
            f"The toolchain is `lock`, and the project has {words}.",
            remedy=f"Keep one of {', '.join(READ)} at its root, name others as `lock_files`, "
            "or set `toolchain` to `host`.",
        )
    return tuple(plans)


def _python_files(tree: Tree) -> list[str]:
    converted = next((name for name in CONVERTED if name in tree), None)
    return [converted] if converted else [name for name in REQUIREMENTS if name in tree]


def _python(tree: Tree, names: Sequence[str]) -> LockPlan:
    converted = [name for name in names if posixpath.basename(name) in CONVERTED]
    if converted and len(names) > 1:
        raise SandboxUnavailable(
            f"{converted[0]} holds all that is installed, and {len(names) - 1} more are named beside it.",
            remedy="Name it alone among Python's in `lock_files`.",
        )
    if converted:
        (name,) = converted
        files = _staged(tree, [name, posixpath.join(posixpath.dirname(name), "pyproject.toml")])
        return LockPlan("python", (name,), files, ("python", "lock", name), ("python",), True)
    texts: dict[str, bytes] = {}
    has_project = _gather(tree, names, texts)
    has_hashes = b"--hash" in b"".join(texts.values())
    files = {f"{SOURCE}/{path}": StagedFile(text) for path, text in texts.items()}
    how = "hashed" if has_hashes else "free"
    arguments = ("python", how, *names)
    return LockPlan("python", tuple(names), files, arguments, ("python",), has_project, has_hashes)


def _gather(tree: Tree, names: Iterable[str], texts: dict[str, bytes]) -> bool:
    """Put files of requirements and what they include into `texts`; return whether they name the project."""
    has_project = False
    left = list(names)
    while left:
        name = left.pop()
        if name in texts:
            continue
        if name not in tree or tree[name].link is not None:
            raise SandboxUnavailable(
                f"{name}, which another file of requirements includes, is not in the project.",
                remedy="Put it there, or name other `lock_files`.",
            )
        lines = tree[name].content.decode("utf-8", "replace").splitlines()
        for number, line in enumerate(map(str.strip, lines)):
            if _OWN.fullmatch(line):
                has_project = True
                lines[number] = "# the project itself"
            elif _LOCAL.fullmatch(line.split(" ;")[0].strip()):
                raise SandboxUnavailable(
                    f"Line {number + 1} of {name} installs {line}, which lies in no registry.",
                    remedy="Leave it out of the file, or set `toolchain` to `host`.",
                )
            elif (match := _INCLUDED.match(line)) is not None and "://" not in match[1]:
                left.append(posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1])))
        texts[name] = "\n".join([*lines, ""]).encode()
    return has_project


def _node(tree: Tree) -> LockPlan:
    try:
        lock = json.loads(tree[NODE].content)
        keys = [key for key in lock.get("packages") or {} if isinstance(key, str)]
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise SandboxUnavailable(
            f"{NODE} cannot be read: {error}.", remedy="Write it anew: `npm install --package-lock-only`."
        ) from error
    own = sorted({key.split("node_modules/")[0].rstrip("/") for key in keys} | {""})
    folders = [key for key in own if _is_inside(key)]
    files = _staged(tree, [NODE, *(posixpath.join(folder, "package.json") for folder in folders)], "node")
    held = {""} | {key.partition("node_modules/")[0].rstrip("/") for key in keys if "node_modules/" in key}
    produced = [posixpath.join("node", f, "node_modules") for f in sorted(held) if _is_inside(f)]
    return LockPlan("node", (NODE,), files, ("node", *produced), tuple(produced))


def _is_inside(folder: str) -> bool:
    return not folder.startswith("/") and ".." not in folder.split("/")


def _staged(tree: Tree, paths: Iterable[str], below: str = SOURCE) -> dict[str, StagedFile]:
    found: dict[str, StagedFile] = {}
    for path in paths:
        with contextlib.suppress(KeyError):
            found[posixpath.join(below, path)] = StagedFile(tree[path].content)
    return found
