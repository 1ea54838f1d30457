from program import parse_query, percent_decode


def test_plain_query():
    assert parse_query("?a=1&b=two") == {"a": ["1"], "b": ["two"]}


def test_repeated_name():
    assert parse_query("tag=x&tag=y") == {"tag": ["x", "y"]}


def test_escapes():
    assert percent_decode("caf%C3%A9+au%20lait") == "café au lait"


def test_escaped_ampersand():
    assert parse_query("q=a%26b") == {"q": ["a&b"]}


def test_lone_percent():
    assert percent_decode("100%") == "100%"
