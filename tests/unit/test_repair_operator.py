"""Each kind of fault is within reach of one edit: the mended text is among the candidates."""

from __future__ import annotations

import ast

import pytest

from greenline.repair.operator import candidates
from greenline.repair.source import Source

FAULTS = {
    "boundary": ("if a < b: x()", "if a <= b: x()"),
    "equality": ("if a == b: x()", "if a != b: x()"),
    "identity": ("if a is 5: x()", "if a == 5: x()"),
    "arithmetic": ("x = a - b", "x = a + b"),
    "swapped operands": ("x = a - b", "x = b - a"),
    "grouping": ("x = a + b / 2", "x = (a + b) / 2"),
    "true division": ("x = a / b", "x = a // b"),
    "boolean": ("if a and b: x()", "if a or b: x()"),
    "negation": ("if a: x()", "if not a: x()"),
    "negation taken away": ("if not a: x()", "if a: x()"),
    "negation in a comprehension": ("x = [a for a in b if a]", "x = [a for a in b if not a]"),
    "constant": ("x = 3", "x = 4"),
    "truth value": ("x = True", "x = False"),
    "index": ("x = a[i]", "x = a[i - 1]"),
    "last index": ("x = a[0]", "x = a[-1]"),
    "slice": ("x = a[:n]", "x = a[:n + 1]"),
    "range": ("for i in range(n): x()", "for i in range(n + 1): x()"),
    "range from one": ("for i in range(n): x()", "for i in range(1, n): x()"),
    "swapped arguments": ("f(a, b)", "f(b, a)"),
    "sibling function": ("x = min(a)", "x = max(a)"),
    "sibling method": ("a.append(b)", "a.extend(b)"),
    "sort order": ("a.sort()", "a.sort(reverse=True)"),
    "conversion": ("x = a + b", "x = a + str(b)"),
    "conversion left out": ("x = int(a)", "x = a"),
    "loop exit": ("while a:\n    break", "while a:\n    continue"),
    "assignment operator": ("a -= 1", "a += 1"),
    "lost accumulation": ("a = b", "a += b"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_one_edit_mends(kind: str) -> None:
    faulty, mended = FAULTS[kind]

    assert ast.dump(ast.parse(mended)) in _reachable(faulty.encode())


FUNCTIONS = {
    "variable": ("def f(a, b):\n    return a\n", "def f(a, b):\n    return b\n"),
    "missing return": (
        "def f(a):\n    b = a\n    b.sort()\n",
        "def f(a):\n    b = a\n    b.sort()\n    return b\n",
    ),
    "return inside the loop": (
        "def f(a):\n    s = 0\n    for x in a:\n        s += x\n        return s\n",
        "def f(a):\n    s = 0\n    for x in a:\n        s += x\n    return s\n",
    ),
    "mutable default": (
        "def f(a, b=[]):\n    b.append(a)\n    return b\n",
        "def f(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return b\n",
    ),
    "missing base case": (
        "def f(n):\n    return n * f(n - 1)\n",
        "def f(n):\n    if n == 0:\n        return 1\n    return n * f(n - 1)\n",
    ),
    "missing await": (
        "async def f(a):\n    return a()\n",
        "async def f(a):\n    return await a()\n",
    ),
    "swapped statements": (
        "def f(a):\n    a.pop()\n    x = a[0]\n    return x\n",
        "def f(a):\n    x = a[0]\n    a.pop()\n    return x\n",
    ),
    "duplicated statement": (
        "def f(a):\n    a.pop()\n    a.pop()\n    return a\n",
        "def f(a):\n    a.pop()\n    return a\n",
    ),
    "sibling attribute": (
        "class C:\n    def f(self):\n        self.low = 1\n        self.high = 2\n        return self.low\n",
        "class C:\n    def f(self):\n        self.low = 1\n        self.high = 2\n        return self.high\n",
    ),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_one_edit_mends_a_function(kind: str) -> None:
    faulty, mended = FUNCTIONS[kind]

    assert ast.dump(ast.parse(mended)) in _reachable(faulty.encode())


@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", "# é 🙂\n".encode(), b"# a\r\n"])
def test_positions_hold_after_bytes_that_are_no_columns(prefix: bytes) -> None:
    source = Source("m.py", prefix + b"if a < b: x()\n")
    lines = set(range(1, 4))

    made = {source.apply(candidate) for candidate in candidates(source, lines)}

    assert prefix + b"if a <= b: x()\n" in made


def test_every_candidate_parses_and_changes_something() -> None:
    for faulty, _ in [*FAULTS.values(), *FUNCTIONS.values()]:
        source = Source("m.py", faulty.encode())
        for candidate in candidates(source, set(range(1, 12))):
            changed = source.apply(candidate)
            ast.parse(changed)
            assert changed != source.data


def _reachable(data: bytes) -> set[str]:
    source = Source("m.py", data)
    found = candidates(source, set(range(1, 12)))
    return {ast.dump(ast.parse(source.apply(candidate))) for candidate in found}
