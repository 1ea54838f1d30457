"""Java projects: each outermost manifest of Maven's or Gradle's, or tests in the standard layout; pure."""

from __future__ import annotations

from collections.abc import Iterator

from greenline.core.port import Tree
from greenline.verify.java_manifest import read_pom
from greenline.verify.project import Project

_MANIFESTS = ("pom.xml", "build.gradle", "build.gradle.kts")
_STANDARD = "src/test/java/"


def java_projects(tree: Tree) -> Iterator[Project]:
    """Yield the projects of a tree; where a folder has both manifests, Maven's counts."""
    found: list[str] = []
    order = {name: number for number, name in enumerate(_MANIFESTS)}
    for path in sorted(tree, key=lambda path: (path.count("/"), order.get(path.rpartition("/")[2], 9), path)):
        folder, _, name = path.rpartition("/")
        if name in _MANIFESTS and not any(not f or folder == f or folder.startswith(f"{f}/") for f in found):
            found.append(folder)
            problem = _unreadable(tree, path) if name == "pom.xml" else ""
            yield Project("java", "junit", folder, (path,), problem=problem)
    if not found and any(path.startswith(_STANDARD) and path.endswith(".java") for path in tree):
        yield Project("java", "junit", "", (f"tests in {_STANDARD.rstrip('/')}",))


def _unreadable(tree: Tree, path: str) -> str:
    try:
        root = read_pom(tree[path].content)
    except ValueError as error:
        return f"{path} is not valid XML: {error}."
    return "" if root.tag == "project" else f"{path} is no project of Maven's."
