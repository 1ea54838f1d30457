"""The files of a tree that its configuration makes plugins of pytest; pure.

They are named by `-p` in `addopts`, by `pytest_plugins` of a `conftest.py` or of another plugin, and by what
one of these imports to be its own hook. A name that is put together only when it runs is not seen.
"""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterator
from pathlib import PurePosixPath

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.pytest_option import words

_CONFTEST = "conftest.py"
_NAME = "pytest_plugins"


def plugin_modules(tree: Tree) -> frozenset[str]:
    """Return the paths of the modules that are plugins, each `conftest.py` itself apart."""
    named = _Named(tree, tuple(PurePosixPath(path).as_posix() for path in words(tree, "pythonpath")))
    found = {path for name in _by_option(words(tree, "addopts")) for path in named.files(name, "")}
    left = [*found, *(path for path in tree if path.rpartition("/")[2] == _CONFTEST)]
    while left:
        for path in named.by(left.pop()):
            if path not in found:
                found.add(path)
                left.append(path)
    return frozenset(found)


def _by_option(arguments: list[str]) -> Iterator[str]:
    """Yield the names behind `-p`."""
    for number, word in enumerate(arguments):
        name = word[2:] if word.startswith("-p") else ""
        if word == "-p":
            name = "".join(arguments[number + 1 : number + 2])
        if not name.startswith("no:"):
            yield name.strip()


@attrs.frozen
class _Named:
    """Finds the files of a tree behind the names of modules."""

    tree: Tree
    pythonpath: tuple[str, ...]

    def by(self, holder: str) -> Iterator[str]:
        """Yield the files that a plugin names as plugins, or takes its hooks from."""
        content = self.tree[holder].content
        if not holder.endswith(".py") or (_NAME.encode() not in content and b" import " not in content):
            return
        try:
            module = parse_python(content)
        except SyntaxError:
            return
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom):
                yield from self._hooks(node, holder)
                continue
            for text in _texts(node):
                for name in text.split(","):
                    yield from self.files(name.strip(), holder)

    def files(self, name: str, holder: str) -> list[str]:
        """Return the files that a name may stand for, where a plugin at `holder` gives it."""
        if not name:
            return []
        if "*" in name:
            return [path for path in self.tree if path.endswith(".py") and fnmatch.fnmatch(path, name)]
        ends = _ends(name.replace(".", "/"))
        folders = {"", "src", *self.pythonpath, *map(str, PurePosixPath(holder).parents)}
        found = [p for folder in folders for end in ends if (p := _join(folder, end)) in self.tree]
        if found or "." not in name:
            return found
        # Where a project keeps its packages is its own affair; a name with a dot is hardly another's.
        return [path for path in self.tree if path.endswith(tuple(f"/{end}" for end in ends))]

    def _hooks(self, node: ast.ImportFrom, holder: str) -> Iterator[str]:
        """Yield the files whose functions become hooks by being imported under such a name."""
        names = [alias.asname or alias.name for alias in node.names]
        if "*" not in names and not any(name.startswith("pytest_") for name in names):
            return
        if node.level:
            parents = PurePosixPath(holder).parents
            folder = str(parents[min(node.level, len(parents)) - 1])
            ends = _ends((node.module or "").replace(".", "/"))
            found = [p for end in ends if (p := _join(folder, end)) in self.tree]
        else:
            found = self.files(node.module or "", holder)
        for path in found:
            # Much is imported with a star that has nothing to do with pytest.
            if "*" not in names or b"pytest" in self.tree[path].content:
                yield path


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts that a statement or a call puts into `pytest_plugins`."""
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Assign):
        values = [node.value] if any(map(_is_list, node.targets)) else []
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        values = [node.value] if _is_list(node.target) else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_list(node.func.value):
        values = [*node.args]
    for value in values:
        for inner in ast.walk(value) if value else ():
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def _is_list(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == _NAME


def _ends(path: str) -> tuple[str, ...]:
    return (f"{path}.py", f"{path}/__init__.py") if path else ("__init__.py",)


def _join(folder: str, end: str) -> str:
    return end if folder in ("", ".") else f"{folder}/{end}"
