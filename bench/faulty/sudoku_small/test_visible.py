import pytest
from program import candidates, is_consistent, solve


def test_full_board():
    assert solve("1234341221434321") == "1234341221434321"


def test_forced():
    assert solve("1234341221430000") == "1234341221434321"


def test_candidates():
    assert candidates("1200000000000000", 2) == ["3", "4"]


def test_contradiction():
    assert not is_consistent("1100000000000000")
    assert solve("1100000000000000") is None


def test_needs_a_guess():
    assert solve("0" * 16) == "1234341221434321"


def test_few_hints():
    assert solve("2000000000000003") == "2134341243211243"


def test_bad_board():
    with pytest.raises(ValueError):
        solve("123")
