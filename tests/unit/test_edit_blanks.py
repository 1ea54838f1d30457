"""The loosest tolerance of a line: more or fewer blanks, where these say nothing."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.replace import replace_lines


@pytest.mark.parametrize(
    ("line", "search"),
    [
        ("row 1 0", "row 10"),
        ('s = "a b"', 's = "ab"'),
        ("s = 'a  b'", "s = 'a b'"),
        ("if notready:", "if not ready:"),
        ("<h1>Sign up</h1>", "<h1>Signup</h1>"),
        ("a, b c, d", "a, bc, d"),
    ],
)
def test_blanks_that_say_something_are_not_passed_over(line: str, search: str) -> None:
    with pytest.raises(EditRejected) as caught:
        replace_lines(f"{line}\nx\n", f"{search}\n", "y\n")

    assert caught.value.code == "no-match"


@pytest.mark.parametrize(
    ("path", "line", "search"),
    [
        ("a.py", "f( a,b )", "f(a, b)"),
        ("a.py", "x   =  1", "x = 1"),
        ("a.py", 'print( "a b" )', 'print("a b")'),
        ("a.py", "if not  ready :", "if not ready:"),
        ("a.py", "x = a if b else -1  # c", "x = a if b  else - 1 # c"),
        ("a.js", "if(a){ return `x y` ;}", "if (a) { return `x y`; }"),
        ("a.go", "x :=f( 1 )", "x := f(1)"),
        ("a.json", '"a":[1,2],', '"a": [1, 2],'),
    ],
)
def test_lines_of_the_same_tokens_are_found(path: str, line: str, search: str) -> None:
    assert replace_lines(f"{line}\nx\n", f"{search}\n", "y\n", path=path) == "y\nx\n"


@pytest.mark.parametrize(
    ("path", "line", "search"),
    [
        ("a.css", ".nav.item {", ".nav .item {"),
        ("a.css", ".nav .item {", ".nav.item {"),
        ("a.css", "div #a { top: 0; }", "div#a { top: 0; }"),
        ("a.yml", "x:y", "x: y"),
        ("a.sh", "rm - rf x", "rm -rf x"),
        ("a.sh", "rm a *", "rm a*"),
        ("a.sh", "echo 2 >out", "echo 2>out"),
        ("a.md", "#tag", "# tag"),
        ("a.md", "-item", "- item"),
        ("a.csv", "1, a", "1,a"),
        ("a.txt", "1 .5", "1.5"),
        ("a.tsv", "a\tb c", "a b c"),
        ("Makefile", "A =b", "A=b"),
        ("a.js", "x = /a +b/;", "x = /a+b/;"),
        ("a.js", "re = / ,/g;", "re = /,/g;"),
        ("a.js", "x = `a + b`;", "x = `a+b`;"),
        ("a.jsx", "Hello , world", "Hello, world"),
        ("a.c", "x = a - -b;", "x = a--b;"),
        ("a.c", "x = a / *p;", "x = a /*p;"),
        ("a.c", "#define f (x) y", "#define f(x) y"),
        ("a.c", "x = y; // a , b", "x = y; // a, b"),
        ("a.cpp", "A<B<C> > d;", "A<B<C>> d;"),
        ("a.py", "x = 1 .real", "x = 1.real"),
    ],
)
def test_blanks_that_may_say_something_in_the_language_are_not_passed_over(
    path: str, line: str, search: str
) -> None:
    with pytest.raises(EditRejected) as caught:
        replace_lines(f"{line}\nx\n", f"{search}\n", "y\n", path=path)

    assert caught.value.code == "no-match"


@pytest.mark.parametrize(
    ("path", "text", "search"),
    [
        ("a.js", "x = `\n  a , b\n`;\n", "  a, b\n"),
        ("a.py", 'x = """\n  {a} - {b}\n"""\n', "  {a}-{b}\n"),
        ("a.py", "'''\nHello , world\n'''\n", "Hello, world\n"),
        ("a.c", "/*\n  a , b\n*/\n", "  a, b\n"),
        ("a.cpp", 'x = R"sql(\n  a , b\n)sql";\n', "  a, b\n"),
        ("a.cs", 'x = @"\n  a , b\n";\n', "  a, b\n"),
        ("a.dart", "x = '''\n  a , b\n''';\n", "  a, b\n"),
        ("a.js", "x = (\n  <b>\n  Hello , world\n  </b>\n)\n", "  Hello, world\n"),
    ],
)
def test_blanks_in_a_text_of_several_lines_count(path: str, text: str, search: str) -> None:
    with pytest.raises(EditRejected) as caught:
        replace_lines(text, search, "  c\n", path=path)

    assert caught.value.code == "no-match"
