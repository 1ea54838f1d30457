import pytest
from program import parse_query, percent_decode


@pytest.mark.parametrize(
    "text, decoded",
    [
        ("", ""),
        ("abc", "abc"),
        ("%41%62", "Ab"),
        ("%2b", "+"),
        ("%2B+", "+ "),
        ("%zz", "%zz"),
        ("%4", "%4"),
        ("a%", "a%"),
        ("%%41", "%A"),
        ("%E2%82%AC5", "€5"),
        ("%2541", "%41"),
        ("é%21", "é!"),
        ("%ff", "\ufffd"),
    ],
)
def test_decode(text, decoded):
    assert percent_decode(text) == decoded


def test_query_edges():
    assert parse_query("") == {}
    assert parse_query("&&") == {}
    assert parse_query("a") == {"a": [""]}
    assert parse_query("a=&a") == {"a": ["", ""]}
    assert parse_query("a=b=c") == {"a": ["b=c"]}


def test_encoded_names():
    assert parse_query("x%5B%5D=1&x%5b%5d=2") == {"x[]": ["1", "2"]}


def test_encoded_equals_stays_in_value():
    assert parse_query("a=1%3D2&b=%25") == {"a": ["1=2"], "b": ["%"]}
