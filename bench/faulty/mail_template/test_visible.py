import pytest
from program import Template, TemplateError


def test_plain_field():
    assert Template("Dear {{ name }},").render(name="Ann") == "Dear Ann,"


def test_nested_field():
    assert Template("{{user.mail}}").render(user={"mail": "a@b.c"}) == "a@b.c"


def test_upper():
    assert Template("{{ name|upper }}!").render(name="ann") == "ANN!"


def test_title():
    assert Template("Hello {{ name | title }}").render(name="ann lee") == "Hello Ann Lee"


def test_missing_value():
    with pytest.raises(TemplateError):
        Template("{{ a.b }}").render(a={})
