import pytest
from program import IniError, read_ini


def test_value_may_hold_equals():
    assert read_ini("[a]\nurl = http://x/?q=1") == {"a": {"url": "http://x/?q=1"}}


def test_empty_value():
    assert read_ini("[a]\nkey   =") == {"a": {"key": ""}}


def test_tabs():
    assert read_ini("[a]\n\tKey\t=\tv\t") == {"a": {"key": "v"}}


def test_inner_spaces_stay():
    assert read_ini("[a]\nmy key = my value") == {"a": {"my key": "my value"}}


def test_section_again_adds():
    assert read_ini("[a]\nx = 1\n[b]\ny = 2\n[a]\nz = 3\nx =4") == {"a": {"x": "4", "z": "3"}, "b": {"y": "2"}}


def test_spaces_in_header():
    assert read_ini("[ main ]\nk = v") == {"main": {"k": "v"}}


def test_section_case_stays():
    assert read_ini("[Main]\nKEY = V") == {"Main": {"key": "V"}}


def test_hash_without_space_is_data():
    assert read_ini("[a]\ncolor = a#fff;x") == {"a": {"color": "a#fff;x"}}


@pytest.mark.parametrize("text, number", [("[a\n", 1), ("[a]\nb\n", 2), ("k = v", 1), ("[a]\n\n\n[b", 4)])
def test_errors(text, number):
    with pytest.raises(IniError) as caught:
        read_ini(text)
    assert caught.value.number == number


def test_nothing():
    assert read_ini("") == {}


def test_message_names_the_line():
    with pytest.raises(IniError, match="line 2: expected key = value"):
        read_ini("[a]\nb")
