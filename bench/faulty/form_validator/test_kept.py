import pytest
from program import at_least, email, length, required, validate

GOOD = {"email": "a.b+c@mail.example.com", "password": "12345678", "age": "18"}


def test_good():
    assert validate(GOOD) == {}
    assert validate({**GOOD, "age": 99}) == {}


@pytest.mark.parametrize("address", ["a@b.c", "x_y@sub.domain.io", "1@2.3"])
def test_addresses(address):
    assert email(address) is None


@pytest.mark.parametrize("address", ["", "a", "a@", "@b.c", "a@b", "a b@c.d", "a@b..c", "a@b.c.", "a@@b.c"])
def test_bad_addresses(address):
    assert email(address) == "is not an e-mail address"


@pytest.mark.parametrize("age, ok", [("0", False), ("16", False), ("17", False), ("18", True), ("19", True), ("-20", False)])
def test_age_limits(age, ok):
    assert validate({**GOOD, "age": age}) == ({} if ok else {"age": "must be at least 18"})


def test_own_limit():
    assert at_least(limit=3)("2") == "must be at least 3"
    assert at_least(3)("3") is None


def test_password_limits():
    rule = length()
    assert rule("x" * 7) == rule("x" * 65) == "must have 8 to 64 characters"
    assert rule("x" * 8) is None
    assert rule("x" * 64) is None
    assert length(most=9, least=1)("") == "must have 1 to 9 characters"


def test_first_problem_only():
    assert validate({**GOOD, "email": ""}) == {"email": "is required"}


def test_own_rules():
    assert validate({"a": ""}, {"a": [required("gone")], "b": []}) == {"a": "gone"}
    assert validate({"a": 0}, {"a": [required()]}) == {}


def test_results_of_single_rules():
    assert required()(None) == "is required"
    assert required()("x") is None
    assert at_least()("18") is None
    assert at_least()("17") == "must be at least 18"
