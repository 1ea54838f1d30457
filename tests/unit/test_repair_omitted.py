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
