"""Configuration after which tests import a copy of a product's module in the place of that module; pure."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name, text_of
from greenline.verify.pytest_option import effective, words
from greenline.verify.source_line import GO, JAVASCRIPT

_ROOTS = ("", "src", "lib")
_MAPS = re.compile(
    r"(?:jest|vitest|vite)\.config\.\w+|vitest\.workspace\.\w+|(?:package|[jt]sconfig[\w.]*)\.json|go\.(?:mod|work)"
)
"""Files that say under which path a module is found."""
_MAPPING = re.compile(
    r"moduleNameMapper|\balias|modulePaths|moduleDirectories|\broots\b|(?<![\w-])(?:paths|resolver)\b|NODE_PATH"
)
_BEYOND = re.compile(r"\.\.|\bdirname\s*\(|\bcwd\b|\bprocess\b|\brootDir\b|\broot\b|\bdir\b|\+")
"""With which a configuration may be about more than its own folder."""
_SAYS_NOTHING = re.compile(r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$|\.md$")
_TEXT = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")
_GO_PATH = re.compile(r"(?:=>|\buse\b|^)\s*(\.\.?/\S+)", re.M)
_GO_FILE = re.compile(r"(?:^|/)(?:go\.(?:mod|sum|work)|modules\.txt)$")
_MODULE = re.compile(r"^\s*module\s+(\S+)", re.M)
_VARIABLE = re.compile(r"\b(?:PYTHON|NODE_)PATH[\"']?\s*[:=]\s*[\"']?([^\s\"';&,]+)")
_SCRIPTS = re.compile(
    r"Makefile|makefile|GNUmakefile|.*\.(?:toml|cfg|ini|mk)|package\.json|\.env[\w.]*|noxfile\.py"
)
_PYTHONPATH = "PYTHONPATH"
_COMMON = frozenset({"index", "main", "doc", "__init__", "types", "setup", "conftest"})


def redirected(base: Tree, patched: Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield `FILE: WHAT` of the files `paths` that send imports to a copy, once a file."""
    paths = [path for path in paths if path in patched]
    order = _places(patched)
    before = _places(base)
    holder = effective(patched)[0]
    if order != before or any(path.endswith(".py") for path in paths):
        pair = next(_behind(base, patched, order, before), None)
        if pair and (holder in paths or pair[0] in paths):
            yield _said(holder, pair)
    for path in paths:
        pair = next(_sent(base, patched, path, order), None)
        if pair:
            yield _said(path, pair)


def _said(holder: str, pair: tuple[str, str]) -> str:
    return f"{holder}: has {pair[0]} imported in the place of {pair[1]}"


def _sent(base: Tree, patched: Tree, path: str, order: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the copies that one file sends imports to, each with what it stands for."""
    name = path.rpartition("/")[2]
    old, new = (
        tree[path].content.decode("utf-8", "replace") if path in tree else "" for tree in (base, patched)
    )
    if _SCRIPTS.fullmatch(name):
        for value in set(_VARIABLE.findall(new)) - set(_VARIABLE.findall(old)):
            for folder in value.split(":"):
                yield from _before(base, patched, _at(path, folder), [*order, *_ROOTS])
                yield from _copies(base, patched, _at(path, folder))
    if name.endswith(".py"):
        for folder in sorted(_put_first(new, path, patched) - _put_first(old, path, patched)):
            yield from _before(base, patched, folder, [*order, *_ROOTS])
    is_map = name.startswith("go.") or (_MAPPING.search(new) and not _is_of_new_package(base, patched, path))
    if _MAPS.fullmatch(name) and is_map:
        pattern = _GO_PATH if name.startswith("go.") else _TEXT
        for value in sorted(set(pattern.findall(new)) - set(pattern.findall(old))):
            if not (name.startswith("go.") and _is_unknown(base, patched, path, value)):
                yield from _copies(base, patched, _at(path, value))


def _is_of_new_package(base: Tree, patched: Tree, path: str) -> bool:
    """Return whether a configuration is a new package's alone, so that nothing there was runs under it."""
    folder = posixpath.dirname(path)
    begin = f"{folder}/"
    if not folder or f"{begin}package.json" not in patched or any(other.startswith(begin) for other in base):
        return False
    if _BEYOND.search(patched[path].content.decode("utf-8", "replace")):
        return False
    own = posixpath.basename(folder).encode()
    beside = (other for other in patched if not other.startswith(begin) and patched[other] != base.get(other))
    return not any(own in patched[other].content for other in beside if not _SAYS_NOTHING.search(other))


def _is_unknown(base: Tree, patched: Tree, path: str, value: str) -> bool:
    """Return whether what Go finds behind a path is a module that nothing could import before."""
    text = patched[path].content.decode("utf-8", "replace")
    names = re.findall(rf"(\S+)(?:\s+v\S+)?\s*=>\s*{re.escape(value)}(?!\S)", text)
    module = patched.get(posixpath.join(_at(path, value), "go.mod"))
    if not names and module is not None:
        names = _MODULE.findall(module.content.decode("utf-8", "replace"))
    files = (file.content for other, file in base.items() if _GO_FILE.search(other))
    known = {word.strip('"') for content in files for word in content.decode("utf-8", "replace").split()}
    return bool(names) and known.isdisjoint(name.strip('"') for name in names)


def _places(tree: Tree) -> list[str]:
    """Return the folders of `pythonpath`, in the order in which they are looked through."""
    return [_plain(word) for word in words(tree, "pythonpath")]


def _behind(
    base: Tree, patched: Tree, order: Sequence[str], before: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield modules of `pythonpath` that are found before others of their name, and were not before."""
    for number, folder in enumerate(order):
        later = [root for root in (*order[number + 1 :], *_ROOTS) if root not in order[: number + 1]]
        for copy, original in _before(base, patched, folder, later):
            root = original.removesuffix(copy[len(folder) :].lstrip("/")).rstrip("/")
            place = before.index(folder) if folder in before else len(before)
            other = before.index(root) if root in before else len(before)
            if not (copy in base and original in base and place < other):
                yield copy, original


def _before(base: Tree, patched: Tree, folder: str, roots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the modules of a folder that are also at one of the roots, and were there before."""
    begin = f"{folder}/" if folder else ""
    for path in sorted(patched):
        inside = path.removeprefix(begin)
        if not path.endswith(".py") or not path.startswith(begin) or _is_common(inside):
            continue
        for root in roots:
            original = f"{root}/{inside}" if root else inside
            if root != folder and original in base and original in patched:
                yield path, original


def _is_common(inside: str) -> bool:
    """Return whether files of a name are in many folders, and are no copies of each other."""
    folder, _, name = inside.rpartition("/")
    stem = name.split(".")[0]
    return name.startswith("test_") or stem in ("conftest", "setup") or (not folder and stem in _COMMON)


def _copies(base: Tree, patched: Tree, target: str) -> Iterator[tuple[str, str]]:
    """Yield the new files behind a path that have the name of one that was there elsewhere."""
    ends = (*JAVASCRIPT, *GO)
    known: dict[str, list[str]] = {}
    for original in sorted(base):
        known.setdefault(original.rpartition("/")[2], []).append(original)
    for path in sorted(patched):
        if path in base or not path.endswith(ends) or path.endswith("_test.go"):
            continue
        is_file = path == target or path.rpartition(".")[0] == target
        if not is_file and not (target and path.startswith(f"{target}/")):
            continue
        inside = path.rpartition("/")[2] if is_file else path[len(target) + 1 :]
        if _is_common(inside):
            continue
        for original in known.get(inside.rpartition("/")[2], ()):
            is_alike = original == inside or original.endswith(f"/{inside}")
            if is_alike and original in patched and "node_modules/" not in original:
                yield path, original


def _put_first(source: str, path: str, tree: Tree) -> set[str]:
    """Return the folders of the tree that a file may put before those where modules are looked for."""
    if "sys" not in source and _PYTHONPATH not in source:
        return set()
    try:
        module = parse_python(source.encode())
    except (SyntaxError, RecursionError):
        return set()
    values = {
        target.id: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found: set[str] = set()
    folders = {posixpath.dirname(file) for file in tree}
    folders |= {posixpath.dirname(folder) for folder in folders}
    for node in ast.walk(module):
        if not (_is_first(node) or _is_handed_down(node)):
            continue
        parts = [*ast.walk(node)]
        parts += [
            n for p in parts if isinstance(p, ast.Name) and p.id in values for n in ast.walk(values[p.id])
        ]
        named = {_plain(text) for part in parts if (text := text_of(part))} - {""}
        own = posixpath.dirname(path)
        found |= (
            {f for f in folders for name in named if f == name or f.endswith(f"/{name}")} if named else {own}
        )
    return found


def _is_handed_down(node: ast.AST) -> bool:
    """Return whether a statement says where programs that are started look for modules."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        given = [target.slice for target in targets if isinstance(target, ast.Subscript)]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        given = node.value.args[:1]
    return any(text_of(part) == _PYTHONPATH for part in given)


def _is_first(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = last_name(node.func)
        is_path = owner is not None and last_name(owner) == "path"
        return name == "syspath_prepend" or (name == "insert" and is_path)
    if isinstance(node, ast.Assign):
        held = [t.value if isinstance(t, ast.Subscript) else t for t in node.targets]
        return any(isinstance(h, ast.Attribute) and ast.unparse(h) == "sys.path" for h in held)
    return False


def _at(holder: str, value: str) -> str:
    """Return the path that a text in a file stands for, from the root."""
    text = re.sub(r"^(?:<rootDir>|\$\{?\w+\}?|%\w+%)/?", "", value)
    text = re.sub(r"/?(?:\$\d|\*+)?/?$", "", text)
    return _plain(posixpath.join(posixpath.dirname(holder), text.lstrip("/")))


def _plain(path: str) -> str:
    plain = posixpath.normpath(path)
    return "" if plain == "." else plain.lstrip("/")
