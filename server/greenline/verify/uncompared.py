"""Fields of the product's dataclasses that a patch takes out of `==`, so that tests compare less; pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name

_FIELDS = frozenset({"field", "attrib", "ib", "Field"})
_SWITCHES = frozenset({"compare", "eq", "cmp"})


def uncompared(base: Tree, patched: Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield `FILE:LINE: WHAT` of fields of product files that counted before and do not any more."""
    for path in paths:
        if not path.endswith(".py") or path not in base or path not in patched:
            continue
        counted = {name for name, _, counts in _fields(base[path].content) if counts}
        for name, line, counts in _fields(patched[path].content):
            if not counts and name in counted:
                yield f"{path}:{line}: {name} does not count in == any more"


def _fields(source: bytes) -> Iterator[tuple[str, int, bool]]:
    """Yield `Class.field`, its 1-based line, and whether it counts where two objects are compared."""
    try:
        module = parse_python(source)
    except (SyntaxError, RecursionError):
        return
    for holder in (node for node in ast.walk(module) if isinstance(node, ast.ClassDef)):
        for node in holder.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield f"{holder.name}.{node.target.id}", node.lineno, _counts(node.value)


def _counts(value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call) or last_name(value.func) not in _FIELDS:
        return True
    return not any(
        keyword.arg in _SWITCHES and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in value.keywords
    )
