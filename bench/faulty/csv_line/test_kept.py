import pytest
from program import CsvError, format_line, parse_line


@pytest.mark.parametrize(
    "line, fields",
    [
        ("", [""]),
        (",", ["", ""]),
        ('""', [""]),
        ('"",""', ["", ""]),
        ('""""', ['"']),
        ('"""a"""', ['"a"']),
        ('"a""b""c"', ['a"b"c']),
        ('x,"a"",""b",y', ["x", 'a","b', "y"]),
        ('"a,b"', ["a,b"]),
        (" a , b ", [" a ", " b "]),
    ],
)
def test_parse(line, fields):
    assert parse_line(line) == fields


@pytest.mark.parametrize("fields", [["a"], ['"'], ['""', ","], ["x", 'a "quoted, word" b', ""], ['",",']])
def test_round_trip(fields):
    assert parse_line(format_line(fields)) == fields


def test_other_delimiter():
    assert parse_line('a;"b;""c";d,e', ";") == ["a", 'b;"c', "d,e"]


@pytest.mark.parametrize("line", ['"', '"a""', 'a"b', 'x,y"z"'])
def test_errors(line):
    with pytest.raises(CsvError):
        parse_line(line)
