"""Java projects: recognised, and not yet run; pure."""

from __future__ import annotations

from collections.abc import Iterator

from greenline.core.port import Tree
from greenline.verify.project import Project

_MANIFESTS = ("pom.xml", "build.gradle", "build.gradle.kts")
_REASON = (
    "{path} is a Java project, whose tests Greenline does not run yet;"
    " a test command of another language can be set as `test_command`."
)


def java_projects(tree: Tree) -> Iterator[Project]:
    """Yield a project for each outermost manifest of Maven's or Gradle's."""
    found: list[str] = []
    for path in sorted(tree, key=lambda path: (path.count("/"), path)):
        folder, _, name = path.rpartition("/")
        if name in _MANIFESTS and not any(not f or folder == f or folder.startswith(f"{f}/") for f in found):
            found.append(folder)
            yield Project("java", "", folder, (path,), no_runner=_REASON.format(path=path))
