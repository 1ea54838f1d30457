import pytest
from program import TemplateSyntaxError, render


def test_loop_in_loop():
    groups = [{"g": "a", "xs": [1, 2]}, {"g": "b", "xs": []}, {"g": "c", "xs": [3]}]
    assert render("{#groups}{g}:{#xs}{it}{g} {/xs}|{/groups}", groups=groups) == "a:1a 2a |b:|c:3c |"


def test_same_name_nested():
    tree = [{"v": 1, "kids": [{"v": 2}, {"v": 3}]}]
    assert render("{#kids}{v}({#kids}{v},{/kids}){/kids}", kids=tree) == "1(2,3,)"


def test_conditions_nested():
    source = "{?a}A{?b}B{/b}C{/a}D"
    assert render(source, a=1, b=1) == "ABCD"
    assert render(source, a=1, b=0) == "ACD"
    assert render(source, a=0, b=1) == "D"


def test_loop_in_condition():
    assert render("{?xs}<ul>{#xs}<li>{it}{/xs}</ul>{/xs}", xs=["p", "q"]) == "<ul><li>p<li>q</ul>"
    assert render("{?xs}<ul>{#xs}<li>{it}{/xs}</ul>{/xs}", xs=[]) == ""


def test_values_are_not_templates():
    assert render("{a}", a="{b}", b="x") == "{b}"
    assert render("{#xs}{it}{/xs}", xs=["{b}", "{#b}"], b="x") == "{b}{#b}"


def test_outer_values_in_loops():
    assert render("{#xs}{it}{sep}{/xs}{it}", xs=[1, 2], sep="-", it="end") == "1-2-end"


def test_text_around():
    assert render("{ not } a {x} {} b", x=1) == "{ not } a 1 {} b"
    assert render("") == ""


@pytest.mark.parametrize("source", ["{/a}", "{#a}", "{?a}{#b}{/a}{/b}", "{#a}{/b}", "{?a}x{/a}{/a}", "{#a}{#a}{/a}"])
def test_syntax_errors(source):
    with pytest.raises(TemplateSyntaxError):
        render(source, a=[1], b=[1])
