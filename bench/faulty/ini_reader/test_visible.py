import pytest
from program import IniError, read_ini


def test_compact_options():
    assert read_ini("[db]\nhost=localhost\nport=5432") == {"db": {"host": "localhost", "port": "5432"}}


def test_spaces_around_equals():
    text = "[server]\n  Name = web one  \n  debug = yes ; for now\n"
    assert read_ini(text) == {"server": {"name": "web one", "debug": "yes"}}


def test_comments_and_blank_lines():
    assert read_ini("# top\n\n[a]\n; nothing\n") == {"a": {}}


def test_option_before_section():
    with pytest.raises(IniError) as caught:
        read_ini("\nx=1\n")
    assert caught.value.number == 2
