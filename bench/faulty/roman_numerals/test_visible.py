import pytest
from program import from_roman, to_roman


def test_to_roman():
    assert to_roman(1987) == "MCMLXXXVII"


def test_additive():
    assert from_roman("MMXVI") == 2016


def test_subtractive():
    assert from_roman("XIV") == 14
    assert from_roman("CM") == 900


def test_wrong_form():
    with pytest.raises(ValueError):
        from_roman("IIII")
