"""What was omitted is one edit away: what is gathered, a parent's part, a refusal, a varying size."""

from __future__ import annotations

import ast

import pytest

from greenline.mutation.operator import candidates
from greenline.mutation.source import Source

_PARENT = "class A:\n    def done(self, n):\n        self.n = n\n\n\nclass B(A):\n    def done(self, n):\n"
FAULTS = {
    "an entry that is overwritten": (
        "def f(d, k, v):\n    d[k] = v\n",
        "def f(d, k, v):\n    d[k] = d.get(k, 0) + v\n",
    ),
    "bits that are overwritten": ("def f(d, k):\n    d[k] = 1 << k\n", "def f(d, k):\n    d[k] |= 1 << k\n"),
    "only the new half is returned": (
        "def f(a, b):\n    return [x + b for x in a]\n",
        "def f(a, b):\n    return a + [x + b for x in a]\n",
    ),
    "a parent's part, first": (
        _PARENT + "        self.m = n\n",
        _PARENT + "        super().done(n)\n        self.m = n\n",
    ),
    "a parent's part, last": (
        _PARENT + "        self.m = n\n",
        _PARENT + "        self.m = n\n        super().done(n)\n",
    ),
    "what a parent comes to": (
        _PARENT + "        left = self.n\n        return left\n",
        _PARENT + "        left = super().done(n)\n        return left\n",
    ),
    "a refusal that goes on": (
        "def f(a):\n    if not a:\n        a.n += 1\n    a.go()\n    return True\n",
        "def f(a):\n    if not a:\n        a.n += 1\n        return False\n    a.go()\n    return True\n",
    ),
    "a branch that goes on": (
        "def f(a):\n    if not a:\n        a.n += 1\n    a.go()\n",
        "def f(a):\n    if not a:\n        a.n += 1\n        return\n    a.go()\n",
    ),
    "a number for a size": ("def f(a, size):\n    a += 2\n", "def f(a, size):\n    a += size\n"),
    "a sign that binds late": ("x = -1 ** n\n", "x = (-1) ** n\n"),
    "a shallow copy": (
        "import copy\ndef f(a):\n    b = a.copy()\n",
        "import copy\ndef f(a):\n    b = copy.deepcopy(a)\n",
    ),
    "a shallow copy of a name": (
        "from copy import deepcopy\ndef f(a):\n    b = dict(a)\n",
        "from copy import deepcopy\ndef f(a):\n    b = deepcopy(a)\n",
    ),
    "a wrong direction": ("for a in range(1, n): x()\n", "for a in reversed(range(1, n)): x()\n"),
    "a limit on a part": (
        "def f(gross, low, high):\n    return gross - low\n",
        "def f(gross, low, high):\n    return min(gross, high) - low\n",
    ),
    "a field that is left as it was": (
        "class A:\n    n: int = 0\ndef f(a):\n    b = a.n\n    return b\n",
        "class A:\n    n: int = 0\ndef f(a):\n    b = a.n\n    a.n = 0\n    return b\n",
    ),
    "a width": ("x = f'{a:02d}'\n", "x = f'{a:03d}'\n"),
    "a base case of two": (
        "def f(a, b):\n    return 1 + f(a + 1, b)\n",
        "def f(a, b):\n    if a == b:\n        return 0\n    return 1 + f(a + 1, b)\n",
    ),
    "a block in a loop": (
        "def f(a):\n    for b in a:\n        b()\n        if b:\n            yield b\n",
        "def f(a):\n    for b in a:\n        b()\n    if b:\n        yield b\n",
    ),
    "a block behind a loop": (
        "def f(a):\n    for b in a:\n        b()\n    if b:\n        yield b\n",
        "def f(a):\n    for b in a:\n        b()\n        if b:\n            yield b\n",
    ),
    "another class": (
        "class A: pass\ndef f(a):\n    return issubclass(a, Exception)\n",
        "class A: pass\ndef f(a):\n    return issubclass(a, A)\n",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_one_edit_mends_what_was_omitted(kind: str) -> None:
    faulty, mended = FAULTS[kind]

    assert ast.dump(ast.parse(mended)) in _reachable(faulty)


@pytest.mark.parametrize(
    ("text", "senseless"),
    [
        # What a parent does not do cannot be missing.
        (
            "class A:\n    def done(self): ...\nclass B(A):\n    def done(self):\n        self.m = 1\n",
            "super().done()",
        ),
        (_PARENT + "        super().done(n)\n", "super().done(n)\n        super().done(n)"),
        # A file that does not import it cannot call it, and a text does not move with its lines.
        ("def f(a):\n    b = a.copy()\n", "deepcopy"),
        ("def f(a):\n    for b in a:\n        b()\n        b = '''x\n        y'''\n", "\n    b ="),
        ("def f(d, k, v):\n    d[k:] = v\n", ".get("),
        ("def f(d, k, v):\n    d[k] = [v]\n", ".get("),
    ],
)
def test_nothing_senseless_is_made(text: str, senseless: str) -> None:
    source = Source("m.py", text.encode())

    made = [source.apply(edit).decode() for edit in candidates(source, set(range(1, 20)))]

    assert not [new for new in made if senseless in new]


def _reachable(text: str) -> set[str]:
    source = Source("m.py", text.encode())
    lines = set(range(1, text.count("\n") + 1))
    return {ast.dump(ast.parse(source.apply(edit))) for edit in candidates(source, lines)}
