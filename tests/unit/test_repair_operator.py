"""Each kind of fault is within reach of one edit: the mended text is among the candidates."""

from __future__ import annotations

import ast

import pytest

from greenline.mutation.operator import candidates
from greenline.mutation.precedence import needs_parentheses
from greenline.mutation.source import Candidate, Source

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
    "off by one in a product": ("x = a * b", "x = (a - 1) * b"),
    "off by one in a call's product": ("x = f(a // b)", "x = f((a - 1) // b)"),
    "swapped operands, one in parentheses": ("x = a / (b + c)", "x = (b + c) / a"),
    "negation of a choice taken away": ("x = not (a or b) and c", "x = (a or b) and c"),
    "range": ("for i in range(n): x()", "for i in range(n + 1): x()"),
    "range from one": ("for i in range(n): x()", "for i in range(1, n): x()"),
    "membership the other way round": ("x = a in b", "x = b in a"),
    "magnitude": ("x = a - b", "x = abs(a - b)"),
    "element left out": ("x = (1, 2, 3, 5)", "x = (1, 3, 5)"),
    "last element left out": ("x = ['a', 'b', 'w']", "x = ['a', 'b']"),
    "case of a text": ("x = 'yes'", "x = 'Yes'"),
    "other bracket": ("x = a == '('", "x = a == ')'"),
    "text turned round": ("x = ' I'", "x = 'I '"),
    "inverse": ("x = a / 0.5", "x = a / 2.0"),
    "swapped arguments": ("f(a, b)", "f(b, a)"),
    "sibling function": ("x = min(a)", "x = max(a)"),
    "sibling method": ("a.append(b)", "a.extend(b)"),
    "sort order": ("a.sort()", "a.sort(reverse=True)"),
    "conversion": ("x = a + b", "x = a + str(b)"),
    "conversion left out": ("x = int(a)", "x = a"),
    "loop exit": ("while a:\n    break", "while a:\n    continue"),
    "assignment operator": ("a -= 1", "a += 1"),
    "lost accumulation": ("a = b", "a += b"),
    "swapped elements": (
        "x = sorted(a, key=lambda p: (p.a, p.b))",
        "x = sorted(a, key=lambda p: (p.b, p.a))",
    ),
    "string put together backwards": ("x = x + a[i]", "x = a[i] + x"),
    "names swapped throughout": ("a.size[b] += a.size[c]", "a.size[c] += a.size[b]"),
    "missing call": ("x = a.upper", "x = a.upper()"),
    "missing call in a condition": ("x = [c for c in a if c.isalnum]", "x = [c for c in a if c.isalnum()]"),
    "shared row": ("x = [[0] * n] * m", "x = [[0] * n for _ in range(m)]"),
    "caught exception": (
        "try:\n    a()\nexcept IndexError:\n    pass",
        "try:\n    a()\nexcept StopIteration:\n    pass",
    ),
    "raised exception": ("raise KeyError(a)", "raise ValueError(a)"),
    "branch": ("if a:\n    x()\nif b:\n    y()", "if a:\n    x()\nelif b:\n    y()"),
    "conversion of an element": ("x = tuple(p for p in a)", "x = tuple(int(p) for p in a)"),
    "key of a record": ("x = {'a': 1, 'b': 2}\ny = z['a']", "x = {'a': 1, 'b': 2}\ny = z['b']"),
    "bound": ("best = best + x", "best = max(0, best + x)"),
    "kept maximum": ("best = n + 1", "best = max(best, n + 1)"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_one_edit_mends(kind: str) -> None:
    faulty, mended = FAULTS[kind]

    assert ast.dump(ast.parse(mended)) in _reachable(faulty.encode())


FUNCTIONS = {
    "rest after a loop": (
        "def f(a):\n    part = []\n    for x in a:\n        part.append(x)\n        if x:\n"
        "            yield part\n"
        "            part = []\n",
        "def f(a):\n    part = []\n    for x in a:\n        part.append(x)\n        if x:\n"
        "            yield part\n"
        "            part = []\n    if part:\n        yield part\n",
    ),
    "early return": (
        "def f(a):\n    for x in a:\n        hit = g(x)\n        return hit\n",
        "def f(a):\n    for x in a:\n        hit = g(x)\n        if hit is not None:\n"
        "            return hit\n",
    ),
    "default for what is empty": (
        "def f(a, b):\n    return a or b\n",
        "def f(a, b):\n    return b if a is None else a\n",
    ),
    "default of a get": ("def f(a):\n    return a.get(1) or 2\n", "def f(a):\n    return a.get(1, 2)\n"),
    "empty and absent": (
        "def f(a):\n    if not a:\n        return 1\n",
        "def f(a):\n    if a is None:\n        return 1\n",
    ),
    "limit": (
        "class C:\n    def f(self, a):\n        self.n = self.n + a\n\n    def g(self):\n"
        "        return self.limit\n",
        "class C:\n    def f(self, a):\n        self.n = min(self.limit, self.n + a)\n\n    def g(self):\n"
        "        return self.limit\n",
    ),
    "missing reset": (
        "def f(a):\n    s, t = [], []\n    u = False\n    v = []\n    for x in a:\n        u = x\n"
        "        if u:\n"
        "            v = []\n    return v\n",
        "def f(a):\n    s, t = [], []\n    u = False\n    v = []\n    for x in a:\n        u = x\n"
        "        if u:\n"
        "            v = []\n            u = False\n    return v\n",
    ),
    "missing update": (
        "def f(node):\n    prev = None\n    while node:\n        after = node.next\n"
        "        node.next = prev\n"
        "        node = after\n    return prev\n",
        "def f(node):\n    prev = None\n    while node:\n        after = node.next\n"
        "        node.next = prev\n"
        "        prev = node\n        node = after\n    return prev\n",
    ),
    "set and not counted": (
        "def f(a, n):\n    for i in a:\n        n += 1\n    return n\n",
        "def f(a, n):\n    for i in a:\n        n = i\n    return n\n",
    ),
    "sign": ("def f(a):\n    return a.b\n", "def f(a):\n    return -a.b\n"),
    "sign in a key": (
        "def f(a):\n    a.sort(key=lambda s: (s.b, s.c))\n",
        "def f(a):\n    a.sort(key=lambda s: (s.b, -s.c))\n",
    ),
    "bits cleared": ("def f(a, b):\n    a.n ^= b\n", "def f(a, b):\n    a.n &= ~b\n"),
    "cleaned": (
        "def f(a):\n    g(a)\n\ndef h(b):\n    g(b.lower())\n",
        "def f(a):\n    g(a.lower())\n\ndef h(b):\n    g(b.lower())\n",
    ),
    "handed on": (
        "class C(D):\n    def __init__(self, **options):\n        super().__init__()\n",
        "class C(D):\n    def __init__(self, **options):\n        super().__init__(**options)\n",
    ),
    "unused parameter": (
        "def f(on):\n    try:\n        g()\n    except Exception:\n        h()\n",
        "def f(on):\n    try:\n        g()\n    except on:\n        h()\n",
    ),
    "unused parameter of the function around": (
        "def f(on):\n    def g():\n        try:\n            h()\n"
        "        except Exception:\n            i()\n"
        "    return g\n",
        "def f(on):\n    def g():\n        try:\n            h()\n        except on:\n            i()\n"
        "    return g\n",
    ),
    "guard": (
        "def f(a):\n    if a.next is None:\n        return 1\n",
        "def f(a):\n    if a is None or a.next is None:\n        return 1\n",
    ),
    "the later end": (
        "def f(a, b):\n    g(a.start)\n    return C(a.start, b.end)\n",
        "def f(a, b):\n    g(a.start)\n    return C(a.start, max(a.end, b.end))\n",
    ),
    "never grows": (
        "def f(a):\n    seen = set()\n\n    def g(x):\n        if x in seen:\n            return 1\n"
        "        else:\n"
        "            return h(x)\n    return g(a)\n",
        "def f(a):\n    seen = set()\n\n    def g(x):\n        if x in seen:\n            return 1\n"
        "        else:\n"
        "            seen.add(x)\n            return h(x)\n    return g(a)\n",
    ),
    "nothing yet": (
        "def f(a):\n    best = 0\n    if a is None or best is None:\n        return best\n",
        "def f(a):\n    best = None\n    if a is None or best is None:\n        return best\n",
    ),
    "field reset": (
        "class C:\n    n: int = 0\n\n    def f(self):\n        self.m = 1\n",
        "class C:\n    n: int = 0\n\n    def f(self):\n        self.m = 1\n        self.n = 0\n",
    ),
    "swapped results": (
        "def f(a):\n    if a:\n        return True\n    return False\n",
        "def f(a):\n    if a:\n        return False\n    return True\n",
    ),
    "expression from elsewhere": (
        "def f(a):\n    b = sum(a) / len(a)\n    return sum(a) / b\n",
        "def f(a):\n    b = sum(a) / len(a)\n    return sum(a) / len(a)\n",
    ),
    "part of a sequence": (
        "def f(a, n):\n    return g(a)\n",
        "def f(a, n):\n    return g(a[n:])\n",
    ),
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
    "endless loop": (
        "def f(a):\n    while True:\n        a.pop()\n",
        "def f(a):\n    while a:\n        a.pop()\n",
    ),
    "endless loop over two": (
        "def f(a, b):\n    i = j = 0\n    while True:\n        i += a[i] < b[j]\n        j += 1\n",
        "def f(a, b):\n    i = j = 0\n    while i < len(a) and j < len(b):\n"
        "        i += a[i] < b[j]\n        j += 1\n",
    ),
    "missing step": (
        "def f(n):\n    i = 0\n    while i < n:\n        print(n)\n",
        "def f(n):\n    i = 0\n    while i < n:\n        print(n)\n        i += 1\n",
    ),
    "missing jump": (
        "def f(n):\n    for i in n:\n        if i:\n            print(i)\n",
        "def f(n):\n    for i in n:\n        if i:\n            print(i)\n            break\n",
    ),
    "missing statement": (
        "class C:\n    def f(self, a):\n        self.q.touch(a)\n\n    def g(self, a):\n        return a\n",
        "class C:\n    def f(self, a):\n        self.q.touch(a)\n\n    def g(self, a):\n"
        "        self.q.touch(a)\n        return a\n",
    ),
    "missing growth": (
        "def f(a):\n    s = []\n    for x in a:\n        print(x)\n    return s.pop()\n",
        "def f(a):\n    s = []\n    for x in a:\n        print(x)\n        s.append(x)\n    return s.pop()\n",
    ),
    "missing self": (
        "class C:\n    def f(self):\n        return g(1)\n",
        "class C:\n    def f(self):\n        return self.g(1)\n",
    ),
    "added condition": (
        "def f(a, b):\n    if a < 0:\n        return b\n",
        "def f(a, b):\n    if a < 0 or not b:\n        return b\n",
    ),
    "call around a name": (
        "def f(a, b):\n    a[b] = find(b)\n",
        "def f(a, b):\n    a[find(b)] = find(b)\n",
    ),
    "format of a value": ("def f(a):\n    return f'{a}:{a}'\n", "def f(a):\n    return f'{a}:{a:02d}'\n"),
    "padding": ("def f(a):\n    return f'{a:2d}'\n", "def f(a):\n    return f'{a:02d}'\n"),
    "precision": ("def f(a):\n    return f'{a:.1f}'\n", "def f(a):\n    return f'{a:.2f}'\n"),
    "start of a search": (
        "def f(rows):\n    best = 0\n    for row in rows[1:]:\n        best = max(best, row)\n",
        "def f(rows):\n    best = rows[0]\n    for row in rows[1:]:\n        best = max(best, row)\n",
    ),
    "end of a recursion": (
        "class A:\n    def f(self, b):\n        a = self.a.get(b)\n"
        "        return max(self.f(c) for c in a)\n",
        "class A:\n    def f(self, b):\n        a = self.a.get(b)\n        if not a:\n            return 0\n"
        "        return max(self.f(c) for c in a)\n",
    ),
    "start anew": (
        "def f(a, b):\n    for word in a:\n        if len(word) > b:\n            b = 0\n",
        "def f(a, b):\n    for word in a:\n        if len(word) > b:\n            b = len(word)\n",
    ),
    "mask": (
        "def f(a, b):\n    a = a & 0x3F\n    return b & 0x7f\n",
        "def f(a, b):\n    a = a & 0x7f\n    return b & 0x7f\n",
    ),
    "one too many": (
        "def f(a, b):\n    return (a - b) // 7 + 1\n",
        "def f(a, b):\n    return -(-(a - b) // 7)\n",
    ),
    "rounding halves up": (
        "def f(a, b):\n    return int(a * b / 12)\n",
        "def f(a, b):\n    return int(a * b / 12 + 0.5)\n",
    ),
    "rounding up": ("def f(a, b):\n    return a // b\n", "def f(a, b):\n    return -(-a // b)\n"),
    "missing key": (
        "class V:\n    pass\n\ndef f(a):\n    return max(a)\n",
        "class V:\n    pass\n\ndef f(a):\n    return max(a, key=V)\n",
    ),
    "missing key of a call's values": (
        "def f(a):\n    return sorted(a.items())\n",
        "def f(a):\n    return sorted(a.items(), key=lambda item: item[1])\n",
    ),
    "rounding up a remainder": (
        "def f(a, b, c):\n    return a % b // c\n",
        "def f(a, b, c):\n    return -(-(a % b) // c)\n",
    ),
    "condition on several": (
        "def f(a, b):\n    if b > 1:\n        return 1\n    return a == 1 or a == 2\n",
        "def f(a, b):\n    if b > 1:\n        return 1\n    return (a == 1 or a == 2) and b > 1\n",
    ),
    "missing condition": (
        "def f(a):\n    a.done = True\n\ndef g(a):\n    return a is not None\n",
        "def f(a):\n    a.done = True\n\ndef g(a):\n    return a is not None and a.done\n",
    ),
    "missing set-up of a parent": (
        "class A(B):\n    def __init__(self, x):\n        self.x = x\n",
        "class A(B):\n    def __init__(self, x):\n        super().__init__()\n        self.x = x\n",
    ),
    "setting that other methods make": (
        "class A:\n    def f(self):\n        self.n = 0\n\n    def g(self):\n        return self.n\n",
        "class A:\n    def f(self):\n        self.n = 0\n\n    def g(self):\n        self.n = 0\n"
        "        return self.n\n",
    ),
    "the other side of what is counted": (
        "class A:\n    def f(self, n):\n        self.n += n\n\n    def g(self, n):\n        return n\n",
        "class A:\n    def f(self, n):\n        self.n += n\n\n    def g(self, n):\n"
        "        self.n -= n\n        return n\n",
    ),
    "entries of a dictionary in another order": (
        "def f(a, b):\n    return {a: 1, **b}\n",
        "def f(a, b):\n    return {**b, a: 1}\n",
    ),
    "turned round": ("def f(a):\n    return a\n", "def f(a):\n    return a[::-1]\n"),
    "name of an inner function": (
        "def f(a):\n    def g():\n        return 1\n    a.off(a)\n",
        "def f(a):\n    def g():\n        return 1\n    a.off(g)\n",
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


@pytest.mark.parametrize(
    ("text", "senseless"),
    [
        ("def f(a, b):\n    return a == b\n", "def f(a, b):\n    return b == b\n"),
        ("def f(a, b):\n    return a.x < b.x\n", "def f(a, b):\n    return b.x < b.x\n"),
        ("def f(a, b):\n    return a.x < a.y\n", "def f(a, b):\n    return a.y < a.y\n"),
        ("def f(a, b):\n    return a.get(b)\n", "def f(a, b):\n    return a.pop(b)\n"),
        ("def f(a):\n    a.sort(key=lambda s: (-s.b, s.c))\n", "(-s.c, s.c)"),
        (
            "def f(a, b):\n    x = a.pop(b)\n    return a.get(b)\n",
            "def f(a, b):\n    x = a.pop(b)\n    return a.pop(b)\n",
        ),
    ],
)
def test_nothing_is_put_beside_itself_and_no_look_takes_away(text: str, senseless: str) -> None:
    assert ast.dump(ast.parse(senseless)) not in _reachable(text.encode())


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


def test_lines_that_are_put_in_end_as_those_of_the_file() -> None:
    text = b"def f(n):\r\n    i = 0\r\n    while i < n:\r\n        print(n)\r\n"

    made = list(candidates(Source("m.py", text), {1, 2, 3, 4}))

    assert any(candidate.replacement.endswith(b"i += 1\r\n") for candidate in made)
    assert not any(b"\n" in candidate.replacement.replace(b"\r\n", b"") for candidate in made)


def test_an_edit_of_a_method_is_checked_within_it() -> None:
    method = (
        "    @property\n    def f(self):\n        if self.a < 1:\n            return 1\n        return 2\n"
    )
    source = Source("m.py", f"class C:\n{method}\n\ndef g():\n    return 3\n".encode())
    start = source.data.index(b"if self")

    sound = Candidate("m.py", start, start + 2, b"while", "x", 4, 0.5)
    broken = Candidate("m.py", start, start + 2, b"else", "x", 4, 0.5)

    assert source.parses(sound)
    assert not source.parses(broken)


def test_arguments_named_as_other_parameters_are_likely_mixed_up() -> None:
    text = b"def f(a, b):\n    return a - b\n\ndef g(a, b):\n    return f(b, a)\n"
    text += b"\ndef h(a, b):\n    return f(a, b)\n"
    found = [c for c in candidates(Source("m.py", text), {5, 8}) if c.operator == "swapped arguments"]

    assert {c.line: c.prior for c in found}[5] > 0.9
    assert {c.line: c.prior for c in found}[8] < 0.5


def test_the_same_argument_twice_is_unlikely() -> None:
    source = Source("m.py", b"def f(a, b, c):\n    return g(a, b)\n")
    priors = {source.apply(c): c.prior for c in candidates(source, {2})}

    twice = priors[b"def f(a, b, c):\n    return g(b, b)\n"]
    assert twice < priors[b"def f(a, b, c):\n    return g(c, b)\n"] / 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("cookie", "encoding"), [("", "utf-8"), ("# coding: latin-1", "latin-1"), ("# coding: cp1252", "cp1252")]
)
def test_an_edit_right_of_other_letters_hits_its_place(cookie: str, encoding: str, end: str) -> None:
    lines = [cookie, "def f(a, b):", "    return 'größer é' if a < b else 'kleiner ü'", ""]
    data = end.join(lines).encode(encoding)

    source = Source("m.py", data)
    edited = {source.apply(c) for c in candidates(source, {3}) if c.operator == "comparison"}

    assert data.replace(b"a < b", b"a <= b") in edited
    assert all(source.parses(c) for c in candidates(source, {3}) if c.operator == "comparison")


PLACES = (
    *(
        "Z * x",
        "x * Z",
        "Z - x",
        "x - Z",
        "Z ** x",
        "x ** Z",
        "Z % x",
        "Z | x",
        "x & Z",
        "Z << x",
        "-Z",
        "~Z",
    ),
    *("not Z", "Z and x", "x or Z", "Z < x", "x < Z < y", "x in Z", "Z.y", "Z[0]", "Z(x)", "f(Z)", "f(*Z)"),
    *("x if Z else y", "Z if x else y", "x if y else Z", "[Z]", "x[Z]", "x[Z:]", "[a for a in Z if x]"),
    *("[a for a in x if Z]", "lambda: Z", "f(k=Z)", "{x: Z}", "(Z for a in x)"),
)
EXPRESSIONS = (
    *(
        "p",
        "1",
        "p + q",
        "p - q",
        "p * q",
        "p / q",
        "p ** q",
        "-p",
        "~p",
        "not p",
        "p and q",
        "p or q",
        "p < q",
    ),
    *(
        "p in q",
        "p if q else r",
        "lambda: p",
        "p | q",
        "p ^ q",
        "p & q",
        "p << q",
        "p.q",
        "p()",
        "p[0]",
        "[p]",
    ),
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_put_in_a_place_stays_one_operand(place: str, expression: str) -> None:
    tree = ast.parse(place, mode="eval")
    parent, node = next(
        (parent, child)
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.Name) and child.id == "Z"
    )

    is_grouped = needs_parentheses(parent, node, expression.encode())
    made = place.replace("Z", f"({expression})" if is_grouped else expression)

    assert _meaning(made) == _meaning(place.replace("Z", f"({expression})"))


def _meaning(text: str) -> str:
    """Return an expression's tree, in which `a or (b or c)` is `a or b or c`."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            parts = [
                p.values if isinstance(p, ast.BoolOp) and type(p.op) is type(node.op) else [p]
                for p in node.values
            ]
            node.values = [value for part in parts for value in part]
    return ast.dump(tree)


@pytest.mark.parametrize("place", ["Z - x", "f(Z)", "Z and x", "Z if x else y"])
def test_parentheses_are_added_only_where_they_are_needed(place: str) -> None:
    tree = ast.parse(place, mode="eval")
    parent = next(p for p in ast.walk(tree) for c in ast.iter_child_nodes(p) if getattr(c, "id", "") == "Z")
    node = next(c for c in ast.iter_child_nodes(parent) if isinstance(c, ast.Name) and c.id == "Z")

    assert not needs_parentheses(parent, node, b"p + 1")


def test_the_exception_that_is_raised_is_likelier_than_a_broader_one() -> None:
    source = Source("m.py", b"def f(a):\n    try:\n        a()\n    except KeyError:\n        pass\n")

    prior = {c.replacement: c.prior for c in candidates(source, {4}) if c.operator == "exception type"}

    assert prior[b"IndexError"] > prior[b"LookupError"]


def test_a_default_before_the_slash_is_made_fresh_too() -> None:
    text = "def f(a=[], /, b=1):\n    return a\n"

    mended = "def f(a=None, /, b=1):\n    if a is None:\n        a = []\n    return a\n"

    assert ast.dump(ast.parse(mended)) in _reachable(text.encode())
