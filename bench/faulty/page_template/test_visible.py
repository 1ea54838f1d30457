import pytest
from program import TemplateSyntaxError, render


def test_names():
    assert render("Hi {name}{nobody}!", name="Bo") == "Hi Bo!"


def test_loop():
    assert render("{#items}<{it}>{/items}", items=[1, 2]) == "<1><2>"


def test_condition():
    assert render("{?admin}root{/admin}", admin=True) == "root"
    assert render("{?admin}root{/admin}", admin=False) == ""


def test_condition_in_loop():
    rows = [{"n": 1, "hot": True}, {"n": 2, "hot": False}]
    assert render("{#rows}{n}{?hot}!{/hot};{/rows}", rows=rows) == "1!;2;"


def test_not_closed():
    with pytest.raises(TemplateSyntaxError):
        render("{#items}{it}", items=[])
