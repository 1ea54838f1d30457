import pytest
from program import Version, newest

ORDER = [
    "0.0.9",
    "0.0.10",
    "1.0.0-1",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.9",
    "1.0.0-alpha.10",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0",
    "1.0.1",
    "2.0.0",
    "10.0.0",
    "100.2.0",
]


@pytest.mark.parametrize("small, large", list(zip(ORDER, ORDER[1:], strict=False)))
def test_order(small, large):
    assert Version(small) < Version(large)
    assert not Version(large) < Version(small)


def test_sorting():
    assert [str(v) for v in sorted(map(Version, reversed(ORDER)))] == ORDER


def test_build_is_ignored():
    assert Version("1.0.0+b1") == Version("1.0.0+b2")


def test_leading_v():
    assert str(Version("v3.11.0-rc.2+x")) == "3.11.0-rc.2"


def test_release_is_numbers():
    assert Version("3.20.1").release == (3, 20, 1)


def test_newest():
    assert newest(["9.0.0", "10.0.0", "11.0.0-rc.1"]) == "10.0.0"
    assert newest(["9.0.0", "10.0.0", "11.0.0-rc.1"], prereleases=True) == "11.0.0-rc.1"
    assert newest(["1.0.0-a"]) is None
    assert newest([]) is None


@pytest.mark.parametrize("text", ["", "1", "1.2.3.4", "a.b.c", "1.2.3-", "1.-2.3"])
def test_malformed(text):
    with pytest.raises(ValueError):
        Version(text)
