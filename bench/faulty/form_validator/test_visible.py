from program import at_least, email, validate

GOOD = {"email": "ann@example.org", "password": "correct horse", "age": "30"}


def test_empty_form():
    assert validate({}) == {"email": "is required", "password": "must be chosen", "age": "is required"}


def test_good_form():
    assert validate(GOOD) == {}


def test_bad_email():
    assert email("ann@home") == "is not an e-mail address"


def test_short_password():
    assert validate({**GOOD, "password": "short"})["password"] == "must have 8 to 64 characters"


def test_age():
    assert validate({**GOOD, "age": "17"})["age"] == "must be at least 18"
    assert at_least(3)("x") == "is not a number"
