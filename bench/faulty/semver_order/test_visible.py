import pytest
from program import Version, newest


def test_patch_order():
    assert Version("1.2.3") < Version("1.2.4")


def test_numbers_not_text():
    assert Version("1.9.0") < Version("1.10.0")


def test_prerelease_before_release():
    assert Version("2.0.0-rc.1") < Version("2.0.0")


def test_newest_is_stable():
    assert newest(["1.0.0", "2.0.0-beta", "1.4.2"]) == "1.4.2"


def test_malformed():
    with pytest.raises(ValueError):
        Version("1.2")
