"""Shapes of a function's syntax tree: what stands in what, and how names agree with each other.

That arguments are named like the parameters they are for tells swapped ones from right ones (Pradel and Sen,
DeepBugs, OOPSLA 2018).
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from greenline.mutation.natural.token import last_word

Parameters = Mapping[str, Sequence[str]]
"""Function or class of the file → the names of its parameters, without `self`."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters(tree: ast.Module) -> dict[str, list[str]]:
    """Return the parameters of what a file defines."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            found.setdefault(node.name, names[names[:1] in (["self"], ["cls"]) :])
        elif isinstance(node, ast.ClassDef):
            found[node.name] = _of_class(node)
    return found


def _of_class(node: ast.ClassDef) -> list[str]:
    for item in node.body:
        if isinstance(item, _Function) and item.name == "__init__":
            return [argument.arg for argument in item.args.args][1:]
    return [
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def shapes(tree: ast.AST, known: Parameters) -> Counter[str]:
    """Return shape → how often it stands in a tree."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        found.update(_of_node(node, known))
        if isinstance(node, _Function):
            found.update(_of_names(node))
    return found


def _of_node(node: ast.AST, known: Parameters) -> Iterator[str]:
    kind = type(node).__name__
    for field, child in ast.iter_fields(node):
        if isinstance(child, ast.expr):
            yield f"{kind}.{field} {_kind(child)}"
            yield f"{kind}.{field} {_named(child)}"
        elif isinstance(child, list) and child and isinstance(child[0], ast.stmt):
            yield f"{kind}.{field} ends {type(child[-1]).__name__}"
            yield from ("twice the same" for one, two in itertools.pairwise(child) if _is_twin(one, two))
    if isinstance(node, ast.Compare):
        yield from _of_comparison(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        yield from _of_sum(node)
    elif isinstance(node, ast.BoolOp):
        yield f"{type(node.op).__name__} {' '.join(_kind(value) for value in node.values)}"
    elif isinstance(node, ast.Call):
        yield from _of_call(node, known)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = _name(node.targets[0]), _name(node.value)
        if target and value:
            yield "set to its own name" if target == value else "set to another name"


def _is_twin(one: ast.stmt, two: ast.stmt) -> bool:
    is_simple = isinstance(one, ast.Expr | ast.Assign | ast.AugAssign)
    return is_simple and type(one) is type(two) and ast.dump(one) == ast.dump(two)


def _of_comparison(node: ast.Compare) -> Iterator[str]:
    word = " ".join(type(operator).__name__ for operator in node.ops)
    sides = [node.left, *node.comparators]
    yield f"compare {word} {' '.join(map(_kind, sides))}"
    yield f"compare {word} {' '.join(map(_named, sides))}"
    if len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1]):
        yield "compared with itself"


def _of_sum(node: ast.BinOp | ast.AugAssign) -> Iterator[str]:
    word = type(node).__name__ + type(node.op).__name__
    left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    yield f"{word} {_kind(left)} {_kind(right)}"
    yield f"{word} {_named(left)} {_named(right)}"
    if not isinstance(node.op, ast.Add | ast.Mult) and ast.dump(left) == ast.dump(right).replace(
        "Load", "Store"
    ):
        yield "reckoned with itself"


def _of_call(node: ast.Call, known: Parameters) -> Iterator[str]:
    function = _name(node.func)
    yield f"call {function} {len(node.args)} {len(node.keywords)}"
    for place, argument in enumerate(node.args):
        yield f"call {function} {place} {_kind(argument)}"
        yield f"call {function} {place} {_named(argument)}"
    for keyword in node.keywords:
        value = _name(keyword.value)
        if value and keyword.arg:
            yield "keyword agrees" if value == keyword.arg else "keyword differs"
    dumps = [ast.dump(argument) for argument in node.args if not isinstance(argument, ast.Constant)]
    if len(set(dumps)) < len(dumps):
        yield "twice the same argument"
    names = known.get(function)
    if names is None or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    if len(node.args) > len(names):
        yield "too many arguments"
    for argument, parameter in zip(node.args, names, strict=False):
        own = _name(argument)
        inside = {_name(inner) for inner in ast.walk(argument)}
        if own == parameter:
            yield "argument agrees"
        elif parameter in inside:
            yield "argument holds its parameter"
        elif own in names:
            yield "argument of another parameter"
        elif inside & set(names):
            yield "argument holds another parameter"
        elif own:
            yield "argument differs"


def _of_names(function: _Function) -> Iterator[str]:
    """Say which parameters and variables nothing reads."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    written = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg) and not a.arg.startswith("_")}
    own -= {"self", "cls"}
    yield from ("parameter not read" for name in own if name not in read)
    yield from ("parameter written" for name in own & written)
    yield from ("variable not read" for name in written if name not in read and not name.startswith("_"))


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _kind(node: ast.expr) -> str:
    """Return what an expression is, without its names."""
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or value is None or (isinstance(value, int) and -1 <= value <= 2):
            return repr(value)
        return type(value).__name__
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp):
        return f"{type(node).__name__}{type(node.op).__name__}"
    return type(node).__name__


def _named(node: ast.expr) -> str:
    """Return what an expression is, with the last word of its name."""
    if isinstance(node, ast.Call):
        return f"call {_name(node.func)}"
    own = _name(node)
    if own:
        return f"{'.' if isinstance(node, ast.Attribute) else ''}{last_word(own)}"
    if isinstance(node, ast.Subscript):
        return f"{_named(node.value)}[{_kind(node.slice)}]"
    return _kind(node)
