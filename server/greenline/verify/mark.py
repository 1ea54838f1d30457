"""Which marks and hooks of a suite's file change tests whose own text stays as it was; pure."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name, text_of
from greenline.verify.pytest_option import effective
from greenline.verify.python_suite import Function

_LABELS = frozenset({"asyncio", "anyio", "trio"})
"""Marks that say how a coroutine is run, and change no other test."""
_TIGHTER_GONE = frozenset({"skip", "skipif", "xfail", "flaky"})
"""Marks without which a test only says more."""
_DECIDING = _TIGHTER_GONE | {"usefixtures", "filterwarnings", "parametrize", "timeout", "hypothesis"}
"""Marks that do something to a test, also where a project registers them."""
_LISTENING = frozenset({"fixturenames", "own_markers", "_fixtureinfo", "addinivalue_line"})
_OF_OUTCOME = frozenset({"usefixtures", "filterwarnings", "flaky"})
_SETTING = frozenset({"deadline", "suppress_health_check", "print_blob", "verbosity", "parent"})
"""What a profile of hypothesis may say without trying less."""
_LEAST_EXAMPLES = 100
"""How many examples hypothesis tries of itself."""
_Parsed = dict[str, tuple[str, ...]]


def marks_weaken(old: Iterable[ast.AST], new: Iterable[ast.AST], labels: frozenset[str]) -> bool:
    """Return whether the statements that bind `pytestmark` mark tests otherwise than before.

    `labels` are marks that only name a group of tests.
    """
    before, after = _marks(old), _marks(new)
    harmless = labels | _LABELS
    come = (name for name, dumps in after.items() if dumps != before.get(name))
    gone = (name for name in before if name not in after)
    return not (set(come) <= harmless and set(gone) <= harmless | _TIGHTER_GONE)


def without_labels(old: Function, new: Function, labels: frozenset[str]) -> Function:
    """Return a test without the marks that it did not have and that only name a group of tests."""
    before = {ast.dump(decorator) for decorator in old.decorator_list}
    kept = []
    for decorator in new.decorator_list:
        is_new = ast.dump(decorator) not in before
        if not (is_new and set(_marks([ast.Expr(decorator)])) <= labels):
            kept.append(decorator)
    if len(kept) == len(new.decorator_list):
        return new
    bare = copy.copy(new)
    bare.decorator_list = kept
    return bare


def labels_of(tree: Tree) -> frozenset[str]:
    """Return the marks that a project registers and that nothing of it looks up."""
    # What it is for is said behind a colon, or not at all.
    hooks = [*_registered(tree)]
    lines = [*effective(tree)[1].get("markers", ()), *hooks]
    names = {line.partition(":")[0].partition("(")[0].strip() for line in lines} - {""} - _DECIDING
    if not names:
        return frozenset()
    text = b"\n".join(file.content for path, file in tree.items() if path.endswith(".py"))
    # Where it is registered it stands between quotes too, if nothing more is said of it.
    return frozenset(
        n for n in names if sum(text.count(f"{q}{n}{q}".encode()) for q in "\"'") <= hooks.count(n)
    )


def _registered(tree: Tree) -> Iterator[str]:
    """Yield what `conftest.py` files register by `config.addinivalue_line("markers", …)`."""
    for path in tree:
        if path.rpartition("/")[2] == "conftest.py" and b"addinivalue_line" in tree[path].content:
            for node in ast.walk(_module(tree, path)):
                if isinstance(node, ast.Call) and last_name(node.func) == "addinivalue_line":
                    said = [text_of(argument) for argument in node.args]
                    if len(said) == 2 and said[0] == "markers" and said[1]:
                        yield said[1]


def deciding(base: Tree, patched: Tree, path: str) -> Iterator[str]:
    """Yield what a file of the suite brings that decides what tests of other files come to."""
    content = patched[path].content if path in patched else b""
    if b"def pytest_" not in content and b"hypothesis" not in content:
        return
    # What is there under another path by now is not new.
    name = path.rpartition("/")[2]
    was = [path] if path in base else [p for p in base.keys() - patched.keys() if p.endswith(f"/{name}")]
    old, new = [_module(base, before) for before in was], _module(patched, path)
    yield from _fresh(_hooks, old, new)
    yield from _fresh(_profiles, old, new)


def _fresh(read: Callable[[ast.Module], _Parsed], old: list[ast.Module], new: ast.Module) -> Iterator[str]:
    before = [read(module) for module in old]
    for name, dumps in read(new).items():
        if not any(dumps == known.get(name) for known in before):
            yield name


def _module(tree: Tree, path: str) -> ast.Module:
    try:
        return parse_python(tree[path].content if path in tree else b"")
    except (SyntaxError, RecursionError):
        return ast.Module([], [])


def _marks(statements: Iterable[ast.AST]) -> _Parsed:
    """Return mark → what is said of it; what is no mark has the empty name."""
    found: _Parsed = {}
    for statement in statements:
        value = getattr(statement, "value", None)
        for item in value.elts if isinstance(value, ast.List | ast.Tuple) else [value or statement]:
            mark = item.func if isinstance(item, ast.Call) else item
            is_mark = isinstance(mark, ast.Attribute) and last_name(mark.value) == "mark"
            name = mark.attr if is_mark and isinstance(mark, ast.Attribute) else ""
            found[name] = (*found.get(name, ()), ast.dump(item))
    return found


def _hooks(module: ast.Module) -> _Parsed:
    """Return hook → what it does, of those that give tests fixtures or marks."""
    found: _Parsed = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("pytest_") and _gives(node):
            found[node.name] = (*found.get(node.name, ()), ast.dump(node))
    return found


def _gives(hook: ast.FunctionDef) -> bool:
    read = {id(node) for inner in ast.walk(hook) for node in _only_read(inner)}
    for node in ast.walk(hook):
        if isinstance(node, ast.Call) and last_name(node.func) == "addinivalue_line":
            if not node.args or text_of(node.args[0]) != "markers":
                return True
        elif isinstance(node, ast.Attribute) and node.attr in _LISTENING - {"addinivalue_line"}:
            if id(node) not in read:
                return True
        elif isinstance(node, ast.Call) and last_name(node.func) == "add_marker":
            named = {n.attr for n in ast.walk(hook) if isinstance(n, ast.Attribute)}
            named |= {t for n in ast.walk(node) if (t := text_of(n)) is not None}
            is_unknown = any(
                isinstance(n, ast.Call) and last_name(n.func) == "getattr" for n in ast.walk(hook)
            )
            if is_unknown or named & _OF_OUTCOME:
                return True
    return False


def _only_read(node: ast.AST) -> list[ast.expr]:
    """Return what an expression looks at and cannot change."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Call) and last_name(node.func) in (
        "set",
        "list",
        "tuple",
        "any",
        "len",
        "sorted",
    ):
        return [*node.args]
    return []


def _profiles(module: ast.Module) -> _Parsed:
    """Return `hypothesis: CALL` → the calls that set how much hypothesis tries, in all tests."""
    if not any("hypothesis" in _imported(node) for node in ast.walk(module)):
        return {}
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    kept = {_first(call) for call in calls if last_name(call.func) == "register_profile" and _tries(call)}
    found: _Parsed = {}
    for call in calls:
        name = last_name(call.func)
        if name not in ("register_profile", "load_profile") or _first(call) in kept - {None}:
            continue
        said = f"hypothesis.{name}"
        found[said] = (*found.get(said, ()), ast.dump(call))
    return found


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def _first(call: ast.Call) -> str | None:
    return text_of(call.args[0]) if call.args else None


def _tries(call: ast.Call) -> bool:
    """Return whether a profile tries at least as much as hypothesis does of itself."""
    for keyword in call.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "max_examples":
            if not isinstance(value, int) or value < _LEAST_EXAMPLES:
                return False
        elif keyword.arg not in _SETTING:
            return False
    return len(call.args) == 1
