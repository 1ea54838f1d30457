"""Go projects: each `go.mod` is one; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from greenline.core.port import Tree
from greenline.verify.project import Project
from greenline.verify.test_command import TestCommand

_MODULE = re.compile(r"^\s*module\s+\S+", re.MULTILINE)


def go_projects(tree: Tree, own: TestCommand | None) -> Iterator[Project]:
    """Yield a project for each `go.mod`; `own` is what the root's Makefile runs as its tests, if anything."""
    for path in sorted(tree):
        folder, _, name = path.rpartition("/")
        if name != "go.mod" or "vendor" in folder.split("/"):
            continue
        why = [path]
        if f"{folder}/vendor/modules.txt".lstrip("/") in tree:
            why.append("its modules are in vendor/")
        text = tree[path].content.decode("utf-8", "replace")
        problem = "" if _MODULE.search(text) else f"{path} has no `module` line."
        if own is not None and own.runner == "go test" and not folder:
            why.append("the Makefile's test target runs go test")
            yield Project(
                "go", "go test", "", tuple(why), own.flags, own.patterns, own.environment, problem=problem
            )
        else:
            yield Project("go", "go test", folder, tuple(why), problem=problem)
