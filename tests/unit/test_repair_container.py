"""What is held is one edit away from right: copied while it changes, marked at once, kept up, cleaned."""

from __future__ import annotations

import ast

import pytest

from greenline.mutation.operator import candidates
from greenline.mutation.source import Source

_TREE = (
    "class A:\n    def n(self, x):\n        if x in self.w:\n            return self.w[x]\n"
    "        return 0\n\n"
)
FAULTS = {
    "a list that the loop changes": (
        "def f(self, t):\n    for x in self.all.get(t, []):\n        self.off(t, x)\n",
        "def f(self, t):\n    for x in list(self.all.get(t, [])):\n        self.off(t, x)\n",
    ),
    "a parameter that is sorted in place": (
        "def f(values):\n    values.sort(key=len)\n    return values\n",
        "def f(values):\n    values = sorted(values, key=len)\n    return values\n",
    ),
    "a parameter that is extended in place": (
        "def f(values, more):\n    values.extend(more)\n    return values\n",
        "def f(values, more):\n    values = [*values, *more]\n    return values\n",
    ),
    "a value that is kept as it is": (
        "import copy\ndef f(d, k, v):\n    d[k] = v\n",
        "import copy\ndef f(d, k, v):\n    d[k] = copy.deepcopy(v)\n",
    ),
    "what was used last": (
        "from collections import OrderedDict\ndef f(self, k):\n    return self.d[k]\n",
        "from collections import OrderedDict\ndef f(self, k):\n    self.d.move_to_end(k)\n"
        "    return self.d[k]\n",
    ),
    "a start that is not marked": (
        "def f(r, c, seen):\n    stack = [(r, c)]\n    while stack:\n        seen.add(stack.pop())\n",
        "def f(r, c, seen):\n    stack = [(r, c)]\n    seen.add((r, c))\n    while stack:\n"
        "        seen.add(stack.pop())\n",
    ),
    "a count that is never kept up": (
        "class A:\n    def __init__(self, p):\n        self.h = {q: 0 for q in p}\n\n"
        "    def f(self, q, n):\n"
        "        self.go(q, n)\n        return self.h[q]\n",
        "class A:\n    def __init__(self, p):\n        self.h = {q: 0 for q in p}\n\n"
        "    def f(self, q, n):\n"
        "        self.go(q, n)\n        self.h[q] += n\n        return self.h[q]\n",
    ),
    "a variable that is not cleaned": (
        "def f(line):\n    k, v = line.split('=')\n    return {k: v.strip()}\n",
        "def f(line):\n    k, v = line.split('=')\n    k = k.strip()\n    return {k: v.strip()}\n",
    ),
    "a field that is not cleaned": (
        "def f(s, name):\n    name = name.lower()\n    return s.name == name\n",
        "def f(s, name):\n    name = name.lower()\n    return s.name.lower() == name\n",
    ),
    "two ways that are one": (
        "def f(a, b):\n    return a if b else a\n",
        "def f(a, b):\n    return not a if b else a\n",
    ),
    "a distance with its sign": (
        "def f(v, c):\n    return g([x - c for x in v])\n",
        "def f(v, c):\n    return g([abs(x - c) for x in v])\n",
    ),
    "the other side of a column": (
        "def f(text, width):\n    return f'{text:<{width}}'\n",
        "def f(text, width):\n    return f'{text:>{width}}'\n",
    ),
    "one look where it is to look again": (
        "def f(q, now):\n    if q and now > q[0]:\n        q.popleft()\n",
        "def f(q, now):\n    while q and now > q[0]:\n        q.popleft()\n",
    ),
    "a rest with its flag": (
        "def f(line):\n    for c in line:\n        if started:\n            words.append(piece)\n"
        "            piece, started = [], False\n    return words\n",
        "def f(line):\n    for c in line:\n        if started:\n            words.append(piece)\n"
        "            piece, started = [], False\n    if started:\n        words.append(piece)\n"
        "    return words\n",
    ),
    "an end that another method has": (
        _TREE + "    def all(self, x, m):\n        need = {}\n        need.update(self.all(x, m))\n"
        "        return need\n",
        _TREE + "    def all(self, x, m):\n        if x in self.w:\n            return {x: m}\n"
        "        need = {}\n"
        "        need.update(self.all(x, m))\n        return need\n",
    ),
    "an exception of the file by its parent": (
        "class Absent(LookupError):\n    pass\n\n\ndef f(x):\n    raise ValueError(x)\n",
        "class Absent(LookupError):\n    pass\n\n\ndef f(x):\n    raise Absent(x)\n",
    ),
}


def _made(text: str) -> dict[str, float]:
    source = Source("m.py", text.encode())
    lines = set(range(1, text.count("\n") + 1))
    return {ast.unparse(ast.parse(source.apply(c))): c.prior for c in candidates(source, lines)}


@pytest.mark.parametrize("kind", FAULTS)
def test_one_edit_mends_what_is_held(kind: str) -> None:
    faulty, right = FAULTS[kind]

    assert ast.unparse(ast.parse(right)) in _made(faulty)


@pytest.mark.parametrize(
    ("text", "senseless"),
    [
        # Nothing changes what it goes through.
        ("def f(self):\n    for x in self.all:\n        print(x)\n", "list(self.all)\n    print"),
        # A list of the function's own is nobody else's.
        ("def f():\n    v = g()\n    v.sort()\n    return v\n", "v = sorted(v)"),
        # It is kept up already.
        (
            "class A:\n    def __init__(self):\n        self.n = 0\n\n    def f(self, k):\n"
            "        self.n += k\n"
            "        g(k)\n        return self.n\n",
            "self.n += k\n        g(k)\n        self.n += 1",
        ),
        ("def f(a, b, c):\n    return a if b else c\n", "return not a if b else c"),
    ],
)
def test_nothing_is_held_for_no_reason(text: str, senseless: str) -> None:
    assert not any(senseless in made for made in _made(text))


def test_a_queue_that_is_emptied_is_likely_to_be_looked_at_again() -> None:
    faulty, right = FAULTS["one look where it is to look again"]
    other = "def f(q, now):\n    if q and now > q[0]:\n        q.go()\n"

    assert (
        _made(faulty)[ast.unparse(ast.parse(right))]
        > _made(other)[other.replace("    if", "    while").strip()]
    )
