import pytest
from program import from_roman, to_roman


@pytest.mark.parametrize(
    "number, text",
    [(1, "I"), (4, "IV"), (9, "IX"), (40, "XL"), (49, "XLIX"), (90, "XC"), (444, "CDXLIV"), (3999, "MMMCMXCIX")],
)
def test_pairs(number, text):
    assert to_roman(number) == text
    assert from_roman(text) == number


def test_every_number():
    assert [from_roman(to_roman(n)) for n in range(1, 4000)] == list(range(1, 4000))


def test_lower_case():
    assert from_roman("mcmxciv") == 1994


@pytest.mark.parametrize("text", ["IC", "VV", "IIV", "VX", "A", "", "XM", "X V", "IXI", "MMMM"])
def test_rejects(text):
    with pytest.raises(ValueError):
        from_roman(text)


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_out_of_range(number):
    with pytest.raises(ValueError):
        to_roman(number)
