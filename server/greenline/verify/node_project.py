"""Node projects: which runner drives their tests, from `package.json` and the files beside it; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from greenline.core.port import Tree
from greenline.verify.path_rule import PathRule
from greenline.verify.project import Project
from greenline.verify.test_command import TestCommand, read_command

_NODE_TEST = re.compile(rb"""(?:from\s*|require\(\s*|import\(?\s*)["']node:test["']""")
_SOURCES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")
_CONFIGURATION = (
    ("vitest", re.compile(r"vitest\.(config|workspace)\.")),
    ("jest", re.compile(r"jest\.config\.")),
    ("mocha", re.compile(r"\.mocharc\.")),
)
_LOCKS = (("package-lock.json", "npm"), ("npm-shrinkwrap.json", "npm"), ("pnpm-lock.yaml", "pnpm"))
_RUNNERS = frozenset({"node:test", "jest", "vitest", "mocha"})
_PLACEHOLDER = "no test specified"


def node_projects(tree: Tree, own: TestCommand | None = None) -> Iterator[Project]:
    """Yield a project for each `package.json` of a tree that has tests, and for test files without one.

    `own` is what the root's Makefile runs as its tests, if anything.
    """
    manifests = sorted(path for path in tree if path.rpartition("/")[2] == "package.json")
    for path in manifests:
        project = _project(tree, path, own if path == "package.json" else None)
        if project is not None:
            yield project
    if not manifests and _uses_node_test(tree, ""):
        yield Project("node", "node:test", "", ("test files that import node:test",))


def _project(tree: Tree, path: str, own: TestCommand | None) -> Project | None:
    folder = path.rpartition("/")[0]
    try:
        manifest = json.loads(tree[path].content.decode("utf-8-sig"))
    except ValueError as error:
        problem = f"{path} is not valid JSON: {error}."
        return Project("node", "node:test", folder, (path,), problem=problem)
    if not isinstance(manifest, dict):
        problem = f"{path} is not a JSON object."
        return Project("node", "node:test", folder, (path,), problem=problem)
    why = [f"{path} ({_manager(tree, folder, manifest)})"]
    scripts = _texts(manifest.get("scripts"))
    script = scripts.get("test", "")
    if script and _PLACEHOLDER not in script:
        found = read_command(script, scripts)
        if found is not None and found.is_known:
            why.append(f"its test script runs {found.runner}: `{script}`")
            return _of_command(found, folder, why)
        if found is not None:
            return Project("node", "", folder, tuple(why), no_runner=_unknown(path, found.runner))
        why.append(f"its test script names no runner: `{script}`")
    if own is not None and own.runner in _RUNNERS:
        return _of_command(own, folder, [*why, f"the Makefile's test target runs {own.runner}"])
    runner, seen = _by_files(tree, folder, manifest)
    if runner:
        return Project("node", runner, folder, (*why, seen))
    if script and _PLACEHOLDER not in script:
        return Project("node", "", folder, tuple(why), no_runner=_unknown(path, f"`{script}`"))
    return None


def _of_command(found: TestCommand, folder: str, why: list[str]) -> Project | None:
    """Return the project that a command runs; None where the command is one of another language."""
    if found.runner not in _RUNNERS:
        return None
    return Project("node", found.runner, folder, tuple(why), found.flags, found.patterns, found.environment)


def _unknown(path: str, what: str) -> str:
    return (
        f"The test script of {path} runs {what}, whose results cannot be read test by test;"
        " node:test, jest, vitest and mocha can: name one of them in the setting `test_command`."
    )


def _by_files(tree: Tree, folder: str, manifest: dict[str, Any]) -> tuple[str, str]:
    """Return the runner that the files beside a manifest speak for, and which ones."""
    names = {path.rpartition("/")[2] for path in tree if path.rpartition("/")[0] == folder}
    for runner, pattern in _CONFIGURATION:
        found = sorted(name for name in names if pattern.match(name))
        if found:
            return runner, f"{found[0]} configures {runner}"
        if runner in manifest:
            return runner, f"`{runner}` in package.json configures it"
    if _uses_node_test(tree, folder):
        return "node:test", "test files that import node:test"
    installed = {**_texts(manifest.get("dependencies")), **_texts(manifest.get("devDependencies"))}
    for runner, _ in _CONFIGURATION:
        if runner in installed:
            return runner, f"package.json depends on {runner}"
    return "", ""


def _uses_node_test(tree: Tree, folder: str) -> bool:
    rule = PathRule()
    prefix = f"{folder}/" if folder else ""
    return any(
        path.startswith(prefix)
        and path.endswith(_SOURCES)
        and rule.is_test(path)
        and _NODE_TEST.search(file.content)
        for path, file in tree.items()
    )


def _manager(tree: Tree, folder: str, manifest: dict[str, Any]) -> str:
    """Return the package manager that a project says it uses, itself or the workspace around it."""
    named = manifest.get("packageManager")
    if isinstance(named, str) and named:
        return named.split("+")[0]
    for place in dict.fromkeys((f"{folder}/" if folder else "", "")):
        for lock, manager in (*_LOCKS, ("yarn.lock", "yarn"), ("bun.lockb", "bun")):
            if place + lock in tree:
                return f"{manager}, by {place}{lock}"
    return "npm"


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key): text for key, text in value.items() if isinstance(text, str)}
