"""Operators for what is left out: a call around a name, a key, a format, a rounding up, a parent's set-up."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Iterator

from greenline.mutation.operator.ingredient import is_truth
from greenline.mutation.operator.insertion import before
from greenline.mutation.source import Candidate, Function, Source

_PLAIN = re.compile(rb"\{([^{}:!=]+)\}")
_PADDED = re.compile(rb":(0?)(\d+)d?\}")
_ALIGNED = re.compile(rb":([<>^])(?=[\d{])")
_PRECISE = re.compile(rb":\.(\d)f\}")
_ORDERING = ("max", "min", "sorted", "sort", "groupby", "nlargest", "nsmallest")
_KEYS = ("len", "abs", "str.lower", "int", "lambda item: item[0]", "lambda item: item[1]")
_BUILTINS = frozenset(dir(builtins))
_MAX_CONDITIONS = 12
_MAX_KEYS = 12


def call_around(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Pass a name or an element through a function of one argument that the function around it calls."""
    if not isinstance(node, ast.Name | ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    parent, function = source.parent(node), source.function(node)
    if function is None or (isinstance(parent, ast.Call) and parent.func is node):
        return
    if isinstance(parent, ast.Attribute | ast.Starred):
        return
    statement = source.statement(node)
    beside = _callees(statement) if statement is not None else set()
    for name in sorted(source.once(("callees", function), lambda: _callees(function))):
        if not (isinstance(parent, ast.Call) and ast.unparse(parent.func) == name):
            text = f"{name}({ast.unparse(node)})"
            yield source.replace(node, text, "missing call", 0.3 if name in beside else 0.12)


def _callees(around: ast.AST) -> set[str]:
    """Return the functions and methods of its own that are called with one argument."""
    return {
        ast.unparse(inner.func)
        for inner in ast.walk(around)
        if isinstance(inner, ast.Call)
        and len(inner.args) == 1
        and not inner.keywords
        and (isinstance(inner.func, ast.Name) or ast.unparse(inner.func).startswith("self."))
        and len(ast.unparse(inner.func)) <= 30
    }


def formatting(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Give a value in a formatted string a width or a precision, or another one."""
    if not isinstance(node, ast.JoinedStr):
        return
    start, end = source.span(node)
    text = source.data[start:end]
    for match in _PLAIN.finditer(text):
        at = start + match.end() - 1
        for form in (b":02d", b":.2f", b":02", b"!r"):
            yield Candidate(source.path, at, at, form, "format", node.lineno, 0.25)
    for match in _PADDED.finditer(text):
        at, zero = start + match.start(1), match[1]
        yield Candidate(source.path, at, at + len(zero), b"" if zero else b"0", "format", node.lineno, 0.4)
        for near in (int(match[2]) + 1, int(match[2]) - 1):
            if near > 0:
                place = start + match.start(2), start + match.end(2)
                yield Candidate(source.path, *place, b"%d" % near, "format", node.lineno, 0.3)
    for match in _ALIGNED.finditer(text):
        at = start + match.start(1)
        for other in (b"<", b">", b"^"):
            if other != match[1]:
                yield Candidate(source.path, at, at + 1, other, "format", node.lineno, 0.4)
    for match in _PRECISE.finditer(text):
        at = start + match.start(1)
        for near in (int(match[1]) + 1, int(match[1]) - 1):
            if 0 <= near <= 9:
                yield Candidate(source.path, at, at + 1, b"%d" % near, "format", node.lineno, 0.3)


def rounding(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Round a quotient up, or halves of it, where it is rounded down."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in ("int", "round") and len(node.args) == 1 and _is_quotient(node.args[0]):
            yield source.replace(node, b"int(%s + 0.5)" % source.text(node.args[0]), "rounding", 0.3)
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _one_more(source, node)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
        return
    left, right = source.operand(node.left), source.operand(node.right)
    if isinstance(node.left, ast.BinOp) and not left.startswith(b"("):
        left = b"(%s)" % left
    yield source.replace(node, b"-(-%s // %s)" % (left, right), "rounding", 0.4)


def _one_more(source: Source, node: ast.BinOp) -> Iterator[Candidate]:
    """Round up what is rounded down and has one added, which is one too many where nothing is left over."""
    quotient, more = node.left, node.right
    is_one = isinstance(more, ast.Constant) and more.value == 1
    if is_one and isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.FloorDiv):
        left, right = source.operand(quotient.left), source.operand(quotient.right)
        if isinstance(quotient.left, ast.BinOp) and not left.startswith(b"("):
            left = b"(%s)" % left
        yield source.replace(node, b"-(-%s // %s)" % (left, right), "rounding", 0.4)


def _is_quotient(node: ast.AST) -> bool:
    """Return whether a sum or product has a part that is divided."""
    if not isinstance(node, ast.BinOp):
        return False
    return isinstance(node.op, ast.Div) or _is_quotient(node.left) or _is_quotient(node.right)


def reversal(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Turn a sequence round where it is returned."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Name | ast.Call | ast.ListComp):
        yield source.replace(node.value, source.text(node.value) + b"[::-1]", "order", 0.2)


def sort_key(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Compare by something: a common key, or a class or a function of the file."""
    if not isinstance(node, ast.Call) or any(keyword.arg == "key" for keyword in node.keywords):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in _ORDERING:
        return
    text = source.text(node)
    inside = text[:-1].rstrip()
    comma = b"" if inside.endswith(b",") or not (node.args or node.keywords) else b", "
    own = [item.name for item in source.tree.body if isinstance(item, ast.ClassDef | ast.FunctionDef)]
    around = source.function(node)
    own = [item for item in own if item.isascii() and (around is None or item != around.name)]
    for key in (*own[:_MAX_KEYS], *_KEYS):
        prior = 0.35 if key in own else 0.1
        yield source.replace(node, b"%s%skey=%s)" % (text[:-1], comma, key.encode()), "missing key", prior)


def condition(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Return true only where another condition of the file holds as well, or where either does."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp):
        return
    function = source.function(node)
    if function is None:
        return
    names = set(source.names(node)) | {"self"}
    own = ast.unparse(node.value)
    texts = source.once("conditions", lambda: _conditions(source))
    fitting = [text for text, needed in texts if needed <= names and text not in own]
    for text in fitting[:_MAX_CONDITIONS]:
        if not text.isascii():
            continue
        for word, prior in (("and", 0.22), ("or", 0.15)):
            old = source.text(node.value)
            old = b"(%s)" % old if isinstance(node.value, ast.BoolOp) else old
            joined = old + f" {word} {text}".encode()
            yield source.replace(node.value, joined, "missing condition", prior)


def _conditions(source: Source) -> list[tuple[str, set[str]]]:
    """Return what the file asks, with the variables that it takes: comparisons, and flags that are tested."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(source.tree):
        asked = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
        asked += node.values if isinstance(node, ast.BoolOp) else []
        if isinstance(node, ast.Assign) and is_truth(node.value):
            # A flag: what is set to a truth value somewhere is asked for in other places.
            asked += [target for target in node.targets if isinstance(target, ast.Attribute)]
        for item in asked:
            if isinstance(item, ast.Compare | ast.Attribute | ast.UnaryOp | ast.Call):
                text = ast.unparse(item)
                if len(text) <= 40:
                    found[text] = {inner.id for inner in ast.walk(item) if isinstance(inner, ast.Name)}
    return [(text, names - _BUILTINS) for text, names in found.items()]


def parent_setup(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let a class with parents set them up."""
    if not isinstance(node, Function) or node.name != "__init__" or not node.body:
        return
    holder = source.parent(node)
    if not isinstance(holder, ast.ClassDef) or not holder.bases or "super()" in ast.unparse(node):
        return
    names = [argument.arg for argument in node.args.args[1:]]
    is_prose = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    if is_prose and len(node.body) == 1:
        return
    first = node.body[1] if is_prose else node.body[0]
    for count in range(len(names) + 1):
        yield before(source, first, f"super().__init__({', '.join(names[:count])})", "missing set-up", 0.5)


def entry_order(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap two neighbours of a dictionary of which one is another dictionary: the later one wins."""
    if not isinstance(node, ast.Dict) or None not in node.keys:
        return
    spans = [
        (source.span(key)[0] if key is not None else source.span(value)[0] - 2, source.span(value)[1])
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    for (start, middle), (begin, end) in itertools.pairwise(spans):
        text = source.data[begin:end] + source.data[middle:begin] + source.data[start:middle]
        yield Candidate(source.path, start, end, text, "swapped entries", node.lineno, 0.5)
