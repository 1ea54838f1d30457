"""Which projects a tree holds, which of them a change concerns, and why; pure.

The only place that knows manifests: everything else is told a `Project`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from greenline.core.port import Tree
from greenline.verify.go_project import go_projects
from greenline.verify.java_project import java_projects
from greenline.verify.makefile import make_command
from greenline.verify.node_project import node_projects
from greenline.verify.project import Kind, Project
from greenline.verify.python_project import python_project
from greenline.verify.test_command import TestCommand, read_command

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("py", "pyi", "pyx"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte"), "node"),
    "go": "go",
    **dict.fromkeys(("java", "kt"), "java"),
}
_OF_RUNNER: dict[str, Kind] = {
    **dict.fromkeys(("pytest", "unittest"), "python"),
    **dict.fromkeys(("node:test", "jest", "vitest", "mocha"), "node"),
    "go test": "go",
    "junit": "java",
}
_MANIFESTS: dict[str, Kind] = {
    "package.json": "node",
    "go.mod": "go",
    "go.sum": "go",
    "pom.xml": "java",
    "build.gradle": "java",
    "build.gradle.kts": "java",
    "pyproject.toml": "python",
    "setup.cfg": "python",
    "requirements.txt": "python",
}
_FOR_PEOPLE = (".md", ".rst", ".adoc")
_UNKNOWN_COMMAND = (
    "The setting `test_command` (`{command}`) starts no runner whose results can be read test by test:"
    " pytest, unittest, node --test, jest, vitest, mocha, go test, mvn or gradle."
)


def projects(tree: Tree, command: str = "") -> tuple[Project, ...]:
    """Return the projects of a tree, those nearer to its root first.

    `command` is the user's own test command, which stands for what the root's project says itself.
    """
    found = [project for project in _detected(tree) if project is not None]
    likely = [project for project in found if project.is_likely]
    found = likely or found
    if command:
        found = [_commanded(found, command), *(project for project in found if project.folder)]
    return tuple(sorted(found, key=lambda project: project.folder.count("/") + bool(project.folder)))


def concerned(found: Sequence[Project], paths: Iterable[str]) -> tuple[Project, ...]:
    """Return the projects that a change of files concerns: for each the nearest one of its language.

    A file of no language, such as a schema, may be read by all of the nearest folder, other than what is
    written for people. Where no file tells, all that are there.
    """
    chosen = [project for path in paths for project in _nearest(found, path)]
    return tuple(project for project in found if project in chosen) or tuple(found)


def same(found: Sequence[Project], wanted: Project) -> Project | None:
    """Return the project of another tree that is the wanted one: its kind in its folder."""
    return next((p for p in found if (p.kind, p.folder) == (wanted.kind, wanted.folder)), None)


def _detected(tree: Tree) -> Iterator[Project | None]:
    own = make_command(tree)
    yield python_project(tree)
    yield from node_projects(tree, own)
    yield from go_projects(tree, own)
    yield from java_projects(tree)


def _nearest(found: Sequence[Project], path: str) -> list[Project]:
    name = path.rpartition("/")[2]
    kind = _MANIFESTS.get(name) or _KINDS.get(name.rpartition(".")[2])
    around = [p for p in found if not p.folder or path.startswith(f"{p.folder}/")]
    own = [project for project in around if project.kind == kind] or around
    depth = max((len(project.folder) for project in own), default=0)
    nearest = [project for project in own if len(project.folder) == depth]
    # A line in a changelog must not start, and so need, the tests of every language.
    return nearest[:1] if name.lower().endswith(_FOR_PEOPLE) else nearest


def _commanded(found: Sequence[Project], command: str) -> Project:
    """Return the root's project as the user's own command has it."""
    read = read_command(command)
    why = (f"the setting `test_command`: `{command}`",)
    if read is None or not read.is_known or read.runner not in _OF_RUNNER:
        kind: Kind = found[0].kind if found else "python"
        return Project(kind, "", "", why, no_runner=_UNKNOWN_COMMAND.format(command=command))
    return _of_command(read, why)


def _of_command(read: TestCommand, why: tuple[str, ...]) -> Project:
    project = Project(_OF_RUNNER[read.runner], read.runner, "", why)
    return attrs.evolve(project, flags=read.flags, patterns=read.patterns, environment=read.environment)
