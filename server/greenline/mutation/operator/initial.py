"""Operators for what a variable starts with or ends a recursion by, and for numbers of the same file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source

_MAX_CALLS = 6
_MAX_NUMBERS = 8
_BASES = ("0", "[]", "None", "1", "''", "{}", "False", "True")
_SMALL = 2
"""Numbers up to it are everywhere and say nothing of each other."""


def start(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Begin with the first of what a loop goes over, or with what the function asks for elsewhere.

    For the constant in `high = 0`: `rows[0]` where the next loop goes over `rows`; inside a loop the calls
    that stand around it, such as `len(word)`.
    """
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return
    function = source.function(node)
    if function is None:
        return
    for text in _first_elements(source, node):
        yield source.replace(node.value, text, "start", 0.3)
    loop = _loop_around(source, node)
    if loop is not None and isinstance(node.value.value, int):
        for text in _calls(loop, node.targets[0].id):
            yield source.replace(node.value, text, "start", 0.25)


def _first_elements(source: Source, node: ast.Assign) -> Iterator[str]:
    """Yield the first element of what the next loop behind a statement goes over, where that is a name."""
    holder = source.parent(node)
    body = getattr(holder, "body", [])
    if node not in body:
        return
    for later in body[body.index(node) + 1 :]:
        if isinstance(later, ast.For):
            iterated = later.iter
            if isinstance(iterated, ast.Subscript) and isinstance(iterated.slice, ast.Slice):
                # `for value in values[1:]`
                iterated = iterated.value
            if isinstance(iterated, ast.Name | ast.Attribute):
                yield f"{ast.unparse(iterated)}[0]"
            return


def _loop_around(source: Source, node: ast.AST) -> ast.For | ast.While | None:
    holder = source.parent(node)
    while holder is not None and not isinstance(holder, ast.FunctionDef | ast.AsyncFunctionDef):
        if isinstance(holder, ast.For | ast.While):
            return holder
        holder = source.parent(holder)
    return None


def _calls(loop: ast.For | ast.While, name: str) -> list[str]:
    """Return the calls of a loop that ask for a number by names alone, and not for the variable itself."""
    found: dict[str, None] = {}
    for inner in ast.walk(loop):
        if not isinstance(inner, ast.Call) or inner.keywords or len(inner.args) != 1:
            continue
        plain = isinstance(inner.func, ast.Name) and isinstance(inner.args[0], ast.Name | ast.Attribute)
        if plain and not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(inner)):
            found[ast.unparse(inner)] = None
    return [*found][:_MAX_CALLS]


def local_base(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """End a recursion where what the function has just looked up is empty or missing."""
    function = source.function(node)
    if function is None or node not in function.body or not isinstance(node, ast.stmt):
        return
    place = function.body.index(node)
    before = function.body[place - 1] if place else None
    if not isinstance(before, ast.Assign) or not isinstance(before.targets[0], ast.Name):
        return
    if not source.once(("recursive", function), lambda: _calls_itself(function)):
        return
    name = before.targets[0].id
    start, indent = source.span(node)[0], source.indent(node).decode()
    for test in (f"not {name}", f"{name} is None"):
        for value in _BASES:
            text = f"if {test}:\n{indent}    return {value}\n{indent}".encode()
            yield Candidate(source.path, start, start, text, "missing base case", node.lineno, 0.25)


def _calls_itself(function: Function) -> bool:
    calls = (inner.func for inner in ast.walk(function) if isinstance(inner, ast.Call))
    return any(ast.unparse(called) in (function.name, f"self.{function.name}") for called in calls)


def sibling_number(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another number of the file; of numbers that are written in bits, one in bits."""
    if not isinstance(node, ast.Constant) or type(node.value) is not int or abs(node.value) <= _SMALL:
        return
    in_bits = _is_in_bits(source.text(node))
    numbers = source.once("numbers", lambda: _numbers(source))
    others = [text for text, value in numbers.items() if value != node.value and _is_in_bits(text) == in_bits]
    for text in others[:_MAX_NUMBERS]:
        yield source.replace(node, text, "constant", 0.4 if in_bits else 0.15)


def _is_in_bits(text: bytes) -> bool:
    return text[:2].lower() in (b"0x", b"0b", b"0o")


def _numbers(source: Source) -> dict[bytes, int]:
    """Return the whole numbers of a file as it writes them."""
    found: dict[bytes, int] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) > _SMALL:
            text = source.text(node)
            # Places within formatted strings are not always told right.
            if text.isascii() and text[:1].isdigit() and text.isalnum():
                found.setdefault(text, node.value)
    return found
