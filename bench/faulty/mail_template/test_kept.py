import pytest
from program import Template, TemplateError


@pytest.mark.parametrize(
    "source, values, expected",
    [
        ("", {}, ""),
        ("no fields { } {{ }}", {}, "no fields { } {{ }}"),
        ("{{a}}{{ b }}", {"a": 1, "b": 2}, "12"),
        ("{{ a | trim }}|", {"a": "  x "}, "x|"),
        ("{{ a |upper}} {{ a }} {{ a|title }}", {"a": "mIx it"}, "MIX IT mIx it Mix It"),
        ("{{ a.b.c | upper }}", {"a": {"b": {"c": "deep"}}}, "DEEP"),
        ("[{{ a }}]", {"a": None}, "[]"),
        ("[{{ a | upper }}]", {"a": None}, "[]"),
        ("{{ n | title }}", {"n": 5}, "5"),
        ("{{ n }}", {"n": 0}, "0"),
        ("{{ n }}", {"n": "{{ m }}"}, "{{ m }}"),
    ],
)
def test_render(source, values, expected):
    assert Template(source).render(**values) == expected


@pytest.mark.parametrize("values", [{}, {"a": {}}, {"a": 5}, {"b": 1}])
def test_missing(values):
    with pytest.raises(TemplateError, match="no value for a.b"):
        Template("{{ a.b }}").render(**values)


def test_unknown_filter():
    with pytest.raises(TemplateError, match="no filter shout"):
        Template("{{ a | shout }}").render(a="x")


def test_names():
    assert Template("{{ b }} {{ a.x | upper }} {{ b | trim }}").names() == ["a.x", "b"]
    assert Template("none").names() == []
