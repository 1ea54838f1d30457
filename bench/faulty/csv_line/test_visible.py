import pytest
from program import CsvError, format_line, parse_line


def test_bare_fields():
    assert parse_line("a,b,,d") == ["a", "b", "", "d"]


def test_quoted_delimiter():
    assert parse_line('1,"Doe, Jane",x') == ["1", "Doe, Jane", "x"]


def test_doubled_quote():
    assert parse_line('"say ""hi"", now",2') == ['say "hi", now', "2"]


def test_open_quote_is_an_error():
    with pytest.raises(CsvError):
        parse_line('a,"b')


def test_format_quotes_what_needs_it():
    assert format_line(["a", "b,c", 'd"e']) == 'a,"b,c","d""e"'
