"""What a program does near its tests: tests with other values in them, and their checks only looked at.

Candidates that every test accepts may still differ there; which of them is right a look does not say.
"""

import ast
import copy
import hashlib
import inspect
import itertools
import random
import re

from greenline_runner.group import timed

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_LOOK = "_greenline_look"
_CHANGED = 0.25
"""The share of a test's values that one variant changes."""
_LONGEST = 2000


def variants(calls, n_variants):
    """Yield (test, number, variant), one of each test in turn; a variant appends what it looks at to a list.

    `calls` is test id → (test function, class or None, arguments). A test's variants are the same whatever
    other tests are given with it, so that two processes can be compared by those that both have.
    """
    makers = {test: _maker(*call) for test, call in calls.items()}
    sources = {test: random.Random(test) for test, maker in makers.items() if maker is not None}
    turns = ((number, test) for number in itertools.count() for test in sources)
    for number, test in itertools.islice(turns, n_variants if sources else 0):
        variant = makers[test](sources[test])
        if variant is not None:
            yield test, number, variant


def digest(variant, alarm, cpu_s):
    """Return a short text of what a variant looked at and how it ended; nothing where it did not end."""
    seen = []

    def call():
        try:
            variant(seen)
        except Exception as error:  # noqa: BLE001 - how it ends is what is looked at
            seen.append(type(error).__name__)

    outcome = timed(call, alarm, cpu_s)
    if outcome == "hung":
        # That depends on the machine, too.
        alarm.rang = False
        return ""
    return hashlib.sha1("\n".join(seen).encode("utf-8", "replace")).hexdigest()[:8]


def _maker(function, cls, arguments):
    try:
        with open(function.__code__.co_filename, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, AttributeError):
        return None
    node = _find(tree, function.__name__, None if cls is None else cls.__name__)
    if node is None or function.__closure__:
        return None
    node.decorator_list, node.returns = [], None
    node = _Looking().visit(node)

    def make(source):
        changed = _Changing(source).visit(copy.deepcopy(node))
        module = ast.fix_missing_locations(ast.Module(body=[changed], type_ignores=[]))
        names = dict(function.__globals__)
        try:
            exec(compile(module, "variant", "exec"), names)
            given = {name: _other(value, source) for name, value in copy.deepcopy(arguments).items()}
        except Exception:  # noqa: BLE001 - what cannot be copied cannot be varied
            return None

        def run(seen):
            names[_LOOK] = lambda *values: seen.extend(_shown(value) for value in values)
            owner = () if cls is None else (_owner(cls, node.name),)
            names[node.name](*owner, **copy.deepcopy(given))

        return run

    return make


def _owner(cls, name):
    if "methodName" in inspect.signature(cls.__init__).parameters:
        case = cls(name)
        case.setUp()
        return case
    return cls()


def _find(tree, name, class_name):
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
    if class_name is not None:
        return None
    return next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


class _Looking(ast.NodeTransformer):
    """Turns checks into looks."""

    def visit_Assert(self, node):
        test = node.test
        values = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
        return [_look(value) for value in values]

    def visit_Expr(self, node):
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr.startswith("assert")
            and not call.func.attr.startswith(("assertRaises", "assertWarns", "assertLogs"))
        ):
            return [_look(value) for value in call.args]
        return node


def _look(value):
    name = ast.Name(id=_LOOK, ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=name, args=[value], keywords=[]))


class _Changing(ast.NodeTransformer):
    """Puts other values in place of some."""

    def __init__(self, source):
        self._source = source

    def visit_Constant(self, node):
        if isinstance(node.value, (int, float, str)) and self._source.random() < _CHANGED:
            return ast.Constant(value=_near(node.value, self._source))
        return node

    def visit_JoinedStr(self, node):
        return node

    def visit_List(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.elts and self._source.random() < _CHANGED:
            node.elts = _rearranged(node.elts, self._source)
        return node


def _rearranged(items, source):
    place = source.randrange(len(items))
    kind = source.randrange(4)
    if kind == 0:
        return items[:place] + items[place + 1 :]
    if kind == 1:
        return [*items, copy.deepcopy(items[place])]
    if kind == 2:
        return items[::-1]
    return [*items[place:], *items[:place]]


def _near(value, source):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return source.choice((value + 1, value - 1, value + 2, 0, 1, -value, value * 2, value * 10))
    if isinstance(value, float):
        return source.choice((value + 1, value - 1, value / 2, -value, 0.0))
    if not value:
        return source.choice(("a", " ", "0"))
    place = source.randrange(len(value))
    return source.choice(
        (
            value[:place] + value[place + 1 :],
            value + value[place],
            value[:place] + value[place] + value[place:],
            value[::-1],
            value.swapcase(),
            value[:place] + " " + value[place:],
        )
    )


def _other(value, source):
    """Return a value like one, or the same."""
    if isinstance(value, (int, float, str)):
        return _near(value, source) if source.random() < _CHANGED else value
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        items = [_other(item, source) for item in value]
        if items and source.random() < _CHANGED:
            items = _rearranged(items, source)
        return type(value)(items)
    if type(value) is dict:
        return {key: _other(item, source) for key, item in value.items()}
    return value


def _shown(value):
    if inspect.isgenerator(value) or hasattr(value, "__next__"):
        value = list(itertools.islice(value, 50))
    text = repr(value)
    if type(value).__repr__ is object.__repr__:
        text = type(value).__name__ + repr(getattr(value, "__dict__", ""))
    return _ADDRESS.sub("", text)[:_LONGEST]
