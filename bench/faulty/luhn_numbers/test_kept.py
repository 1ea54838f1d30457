import pytest
from program import checksum, is_valid, mask, with_check_digit


@pytest.mark.parametrize(
    ("number", "expected"),
    [("0", 0), ("5", 5), ("50", 1), ("90", 9), ("42", 0), ("49", 7), ("123456", 1), ("059", 0), ("", 0)],
)
def test_checksum(number, expected):
    assert checksum(number) == expected


def test_check_digit_is_always_right():
    for n in range(0, 3000, 7):
        number = with_check_digit(str(n))
        assert is_valid(number)
        assert number[:-1] == str(n)


def test_any_single_wrong_digit_is_noticed():
    good = with_check_digit("31415926")
    for place in range(len(good)):
        for digit in "0123456789":
            if digit != good[place]:
                assert not is_valid(good[:place] + digit + good[place + 1 :])


def test_separators():
    assert is_valid("4111-1111-1111-1111")
    assert is_valid("0 0")
    assert not is_valid("4111_1111")


@pytest.mark.parametrize("number", ["", " ", "7", "-", "4x", "１"])
def test_never_valid(number):
    assert not is_valid(number)


def test_mask():
    assert mask("123") == "123"
    assert mask("12345", 1) == "****5"
    assert mask("1234") == "1234"
