"""Which product code asks whether a test looks, reaches into its run, or equals or swallows anything; pure.

What passes only because it is tested proves nothing, and no run can tell: every run is a test's. So it is
looked for in the text, and only what the patch brings counts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.equality import loosens
from greenline.verify.java_aware import asks_in_java, reaches_in_java, shadows_in_java
from greenline.verify.java_text import JAVA
from greenline.verify.reach import reaches
from greenline.verify.reach_text import reaches_in_text
from greenline.verify.redirected import redirected
from greenline.verify.shadow import shadows
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.swallowed import swallows
from greenline.verify.whereabouts import asks_whereabouts

_Found = tuple[str, int]
"""What it is, and its 1-based line."""
_ENVIRONMENT = re.compile(r"PYTEST_\w+|/\.dockerenv|/run/\.containerenv")
_TEMPORARY = re.compile(r"^\S{0,20}pytest-of-\S{0,20}$")
_OF_MOCKS = re.compile(
    r"assert_(?:called|not_called|any_call|has_calls|awaited|any_await|has_awaits|not_awaited)\w*"
    r"|mock_calls|method_calls|call_args(?:_list)?|_mock_\w+|_spec_class"
)
"""What only mocks have."""
_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "unittest.mock"})
_FRAMES = frozenset({"_getframe", "currentframe", "stack", "extract_stack", "walk_stack", "_current_frames"})
_IN_TEST = re.compile(r"\btests?\b|\btest_|_test\b|pytest|unittest", re.IGNORECASE)
_JAVASCRIPT = re.compile(
    r"env\.(?:VITEST\w*|JEST_WORKER_ID|NODE_TEST_CONTEXT)"
    r"|NODE_ENV\b.{0,12}?[\"'`]test[\"'`]|[\"'`]test[\"'`].{0,24}?\bNODE_ENV"
    r"|(?:typeof|globalThis\.|global\.)\s*(?:describe|jest|vi|vitest|expect|mocha)\b"
    r"|(?:argv|execArgv).{0,40}?(?:[\"'`/.]test\b|--test\b|jest|vitest|mocha)|/\.dockerenv"
)
_GO = re.compile(r"\btesting\.Testing\(\)|os\.Args.{0,40}?(?:\.test\b|-test\.)")


def aware(base: Tree, patched: Tree, paths: Iterable[str]) -> frozenset[str]:
    """Return `FILE:LINE: WHAT` of what a patch to product files `paths` brings of it."""
    paths = [*paths]
    found = {*shadows(base, patched, paths), *redirected(base, patched, paths)}
    found |= {*shadows_in_java(base, patched, paths)}
    looks = {path: look for path in paths if (look := _look(path)) is not None}
    # What a file asked that has another name by now is not new.
    left_out = [path for path in looks if path not in patched]
    gone = Counter(what for path in left_out for what, _ in looks[path](base[path].content))
    reached = {what for path in left_out for what, _ in _reach(path, base[path].content)}
    for path, look in looks.items():
        if path not in patched:
            continue
        left = Counter(what for what, _ in look(base[path].content)) if path in base else gone
        for what, line in look(patched[path].content):
            left[what] -= 1
            if left[what] < 0:
                found.add(f"{path}:{line}: {what}")
        before = {what for what, _ in _reach(path, base[path].content)} if path in base else reached
        found.update(_reaches(path, patched[path].content, before))
    return frozenset(found)


def _reaches(path: str, source: bytes, before: Set[str]) -> Iterator[str]:
    """Yield what a file reaches for that it did not before, once each: a debugger may go on with its work."""
    said = {*before}
    for what, line in _reach(path, source):
        if what not in said:
            said.add(what)
            yield f"{path}:{line}: {what}"


def _reach(path: str, source: bytes) -> Iterator[_Found]:
    if path.endswith(JAVA):
        yield from reaches_in_java(source)
        return
    if not path.endswith(".py"):
        yield from reaches_in_text(path, source)
        return
    try:
        yield from reaches(parse_python(source))
    except (SyntaxError, RecursionError):
        return


def _look(path: str) -> Callable[[bytes], Iterator[_Found]] | None:
    if path.endswith(".py"):
        return _in_python
    if path.endswith(JAVASCRIPT):
        return lambda source: _in_lines(source, _JAVASCRIPT)
    if path.endswith(JAVA):
        return asks_in_java
    return (lambda source: _in_lines(source, _GO)) if path.endswith(GO) else None


def _in_lines(source: bytes, pattern: re.Pattern[str]) -> Iterator[_Found]:
    for number, line in enumerate(source.decode("utf-8", "replace").split("\n"), 1):
        code = line.strip()
        if not code.startswith(("//", "*", "/*")) and (match := pattern.search(code)):
            yield match[0], number


def _in_python(source: bytes) -> Iterator[_Found]:
    try:
        module = parse_python(source)
        yield from _in_tree(module)
        yield from loosens(module)
        yield from swallows(module)
    except (SyntaxError, RecursionError):
        return


def _in_tree(tree: ast.Module) -> Iterator[_Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _ENVIRONMENT.fullmatch(node.value) or _TEMPORARY.search(node.value):
                yield node.value, node.lineno
        elif isinstance(node, ast.Compare | ast.Subscript | ast.Call) and (
            _asks_for_runner(node) or _asks_for_mock(node) or asks_whereabouts(node)
        ):
            yield ast.unparse(node)[:60], node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _asks_for_caller(node):
            yield f"{node.name} looks for a test among its callers", node.lineno


def _asks_for_mock(node: ast.expr) -> bool:
    """Return whether a call asks whether a thing has what only mocks have."""
    if not isinstance(node, ast.Call) or _name_of(node.func) not in ("hasattr", "getattr"):
        return False
    asked = node.args[1] if len(node.args) > 1 else None
    return isinstance(asked, ast.Constant) and bool(_OF_MOCKS.fullmatch(str(asked.value)))


def _asks_for_runner(node: ast.Compare | ast.Subscript | ast.Call) -> bool:
    """Return whether an expression looks a test runner up among modules or arguments."""
    if isinstance(node, ast.Compare):
        parts: list[ast.expr] = [node.left, *node.comparators]
    elif isinstance(node, ast.Subscript):
        parts = [node.value, node.slice]
    else:
        # `modules.get("pytest")`
        parts = [node.func.value, *node.args] if isinstance(node.func, ast.Attribute) else []
    named = any(isinstance(part, ast.Constant) and part.value in _RUNNERS for part in parts)
    return named and any(_name_of(part) in ("modules", "argv") for part in parts)


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _name_of(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _asks_for_caller(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    nodes = list(ast.walk(function))
    frames = any(isinstance(n, ast.Call) and _is_of_frames(n.func) for n in nodes)
    prose = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and id(n) not in prose]
    return frames and any(isinstance(text, str) and _IN_TEST.search(text) for text in texts)


def _is_of_frames(called: ast.expr) -> bool:
    """Return whether a call asks for callers; `stack` is a name of many other things."""
    if _name_of(called) != "stack":
        return _name_of(called) in _FRAMES
    return isinstance(called, ast.Attribute) and _name_of(called.value) == "inspect"
