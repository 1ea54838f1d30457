import re
from itertools import product

import pytest
from program import matches, select


def expected(pattern, text):
    parts = {"*": ".*", "?": "."}
    return re.fullmatch("".join(parts.get(s, re.escape(s)) for s in pattern), text) is not None


def test_all_short_patterns_and_texts():
    texts = ["".join(t) for size in range(5) for t in product("ab", repeat=size)]
    for size in range(5):
        for symbols in product("ab?*", repeat=size):
            pattern = "".join(symbols)
            for text in texts:
                assert matches(pattern, text) is expected(pattern, text), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        ("", "", True),
        ("", "x", False),
        ("**", "anything", True),
        ("*issip*ss*", "mississippi", False),
        ("m*iss*ppi", "mississippi", True),
        ("*.tar.gz", "a.tar.tar.gz", True),
        ("?*?", "x", False),
        ("*a*b*c", "aabbccabc", True),
        ("a*", "ba", False),
        ("[a]*", "[a]bc", True),
    ],
)
def test_pairs(pattern, text, wanted):
    assert matches(pattern, text) is wanted


def test_long_text_without_a_match():
    assert not matches("*a*a*a*b", "a" * 300)
    assert matches("*a*a*a*b", "a" * 300 + "b")


def test_select():
    names = ["main.c", "main.cc", "domain.c", "c"]
    assert select("*main.c", names) == ["main.c", "domain.c"]
    assert select("?", names) == ["c"]
    assert select("x*", names) == []
