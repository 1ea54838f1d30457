"""Operators on calls: argument order, the function called, conversions around a value, range bounds."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Source

_SIBLINGS = (
    ("min", "max"),
    ("any", "all"),
    ("append", "extend", "insert", "add", "update"),
    ("find", "rfind", "index"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("strip", "lstrip", "rstrip"),
    ("lower", "upper", "title", "capitalize", "casefold", "swapcase"),
    ("startswith", "endswith"),
    ("floor", "ceil", "trunc"),
    ("int", "round", "float"),
    ("list", "set", "tuple", "sorted"),
    ("keys", "values", "items"),
    ("pop", "popleft"),
    ("append", "appendleft"),
    ("heappush", "heappop"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("isdigit", "isalpha", "isalnum"),
    ("bisect_left", "bisect_right"),
    ("sum", "len", "max"),
    ("zip", "zip_longest"),
    ("discard", "remove"),
    ("sqrt", "isqrt"),
    ("days", "seconds"),
)
_RARE = {
    **dict.fromkeys(("sorted", "set", "len", "sum", "round"), 0.1),
    "reversed": 0.07,
    "bool": 0.04,
}
"""Conversions that give something else altogether: they pass weak tests more often than they are the fix."""
_COPIES = frozenset({"list", ".copy()"})
_WRAPPERS = ("str", "int", "float", "abs", "list", "sorted", "set", "len", "reversed", "bool", "round", "sum")
_HOLDERS = (
    ast.Return,
    ast.Assign,
    ast.AugAssign,
    ast.BinOp,
    ast.Call,
    ast.Compare,
    ast.For,
    ast.Subscript,
    ast.Yield,
    ast.GeneratorExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.Dict,
    ast.Tuple,
    ast.List,
    ast.keyword,
)
"""Where a converted value may stand."""
_METHODS = (".strip()", ".lower()", ".copy()", ".upper()", ".items()", ".values()")


def arguments(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap two arguments, leave one out, or reverse a sort."""
    if not isinstance(node, ast.Call):
        return
    texts = [source.text(argument) for argument in node.args]
    parameters = _parameters(source, node)
    for left, right in itertools.combinations(range(len(texts)), 2):
        if texts[left] != texts[right]:
            start, end = source.span(node.args[left])[0], source.span(node.args[right])[1]
            swapped = texts[:]
            swapped[left], swapped[right] = swapped[right], swapped[left]
            joined = b", ".join(swapped[left : right + 1])
            # Arguments named as the parameters are, but in other places, were most likely mixed up.
            better = _n_alike(swapped, parameters) - _n_alike(texts, parameters)
            prior = 0.95 if better > 0 else 0.3 if better < 0 else 0.6
            yield Candidate(source.path, start, end, joined, "swapped arguments", node.lineno, prior)
    name = _name(node)
    if name in ("sorted", "sort"):
        yield from _sorting(source, node)
    if name == "get" and len(texts) == 1:
        for default in ("0", "[]", "''", "False"):
            yield source.replace(node.args[0], b"%s, %s" % (texts[0], default.encode()), "default", 0.25)
    if name == "pop" and not texts:
        yield source.replace(node, source.text(node)[:-1] + b"0)", "argument", 0.4)
    if name == "pop" and len(texts) == 1:
        yield source.replace(node.args[0], b"", "argument", 0.35)
    if name == "round" and len(texts) == 1:
        yield source.replace(node.args[0], texts[0] + b", 2", "argument", 0.25)


def _parameters(source: Source, node: ast.Call) -> list[bytes]:
    """Return the parameters of the function called, where the file defines it."""
    known = source.once("parameters", lambda: _all_parameters(source))
    return known.get(_name(node), [])


def _all_parameters(source: Source) -> dict[str, list[bytes]]:
    found = {}
    for item in ast.walk(source.tree):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [argument.arg for argument in item.args.args if argument.arg not in ("self", "cls")]
            found[item.name] = [name.encode() for name in names]
    return found


def _n_alike(texts: list[bytes], parameters: list[bytes]) -> int:
    return sum(text == name for text, name in zip(texts, parameters, strict=False))


def _sorting(source: Source, node: ast.Call) -> Iterator[Candidate]:
    reverse = next((k for k in node.keywords if k.arg == "reverse"), None)
    text = source.text(node)
    if reverse is None:
        comma = b", " if node.args or node.keywords else b""
        yield source.replace(node, text[:-1] + comma + b"reverse=True)", "sort order", 0.4)
    key = next((k for k in node.keywords if k.arg == "key"), None)
    if key is not None and isinstance(key.value, ast.Lambda):
        body = source.text(key.value.body)
        yield source.replace(key.value.body, b"-(%s)" % body, "sort key", 0.2)


def sibling_function(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Call a function that is often taken for another, or another one of the same file."""
    if not isinstance(node, ast.Call):
        return
    name = _name(node)
    start, end = source.span(node.func)
    for group in _SIBLINGS:
        if name in group:
            for other in group:
                if other != name:
                    begin = end - len(name.encode())
                    yield Candidate(
                        source.path, begin, end, other.encode(), "sibling function", node.lineno, 0.5
                    )
    if isinstance(node.func, ast.Name):
        for other in _functions(source, node):
            if other != name:
                yield Candidate(source.path, start, end, other.encode(), "sibling function", node.lineno, 0.2)
    if len(node.args) == 1 and not node.keywords and name in _WRAPPERS:
        yield source.replace(node, source.text(node.args[0]), "conversion left out", 0.3)
    elif len(node.args) == 1 and not node.keywords and isinstance(node.func, ast.Name):
        yield source.replace(node, source.text(node.args[0]), "call left out", 0.12)
    if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        yield source.replace(node, source.text(node.func.value), "conversion left out", 0.25)


def _functions(source: Source, node: ast.Call) -> list[str]:
    """Return the functions of the file that take as many arguments as the call gives."""
    return sorted(
        item.name
        for item in source.tree.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
        and len(item.args.args) - len(item.args.defaults) <= len(node.args) <= len(item.args.args)
    )


def wrap(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Put a common conversion around a value."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    parent = source.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    if not isinstance(parent, _HOLDERS):
        return
    text = source.text(node)
    is_handed_out = isinstance(parent, ast.Return | ast.Yield | ast.Call | ast.Dict)
    for wrapper in (*_WRAPPERS, "dict"):
        prior = 0.3 if wrapper in _COPIES and is_handed_out else _RARE.get(wrapper, 0.15)
        yield source.replace(node, b"%s(%s)" % (wrapper.encode(), text), "conversion", prior)
    for method in _METHODS:
        prior = 0.2 if method in _COPIES and is_handed_out else 0.12
        yield source.replace(node, text + method.encode(), "conversion", prior)


def range_bounds(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Move a range's bounds by one, or start it at zero or one."""
    if not isinstance(node, ast.Call) or _name(node) not in ("range", "enumerate") or node.keywords:
        return
    texts = [source.text(argument) for argument in node.args]
    name = _name(node).encode()
    for index, text in enumerate(texts):
        for change in (b"%s + 1" % text, b"%s - 1" % text):
            moved = [*texts[:index], change, *texts[index + 1 :]]
            yield source.replace(node, b"%s(%s)" % (name, b", ".join(moved)), "range", 0.7)
    if len(texts) == 1:
        yield source.replace(
            node,
            b"%s(%s, 1)" % (name, texts[0]) if name == b"enumerate" else b"range(1, %s)" % texts[0],
            "range",
            0.5,
        )
        if name == b"range":
            yield source.replace(node, b"range(1, %s + 1)" % texts[0], "range", 0.5)
            yield source.replace(node, b"range(%s - 1, -1, -1)" % texts[0], "range", 0.2)
    elif len(texts) == 2 and name == b"range":
        yield source.replace(node, b"range(%s)" % texts[1], "range", 0.4)
        yield source.replace(node, b"range(%s, %s, -1)" % (texts[0], texts[1]), "range", 0.2)


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""
