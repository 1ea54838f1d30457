import re

FIELD = re.compile(r"\{\{\s*([a-z_.]+)\s*(?:\|\s*([a-z_]+)\s*)?\}\}")


class TemplateError(Exception):
    pass


class Template:
    """Text with fields like ``{{ user.name | upper }}``."""

    def __init__(self, source):
        self.source = source

    def names(self):
        return sorted({match[1] for match in FIELD.finditer(self.source)})

    def render(self, **values):
        return FIELD.sub(lambda match: self._field(match[1], match[2], values), self.source)

    def _field(self, path, filter_name, values):
        value = self._look_up(path, values)
        text = "" if value is None else str(value)
        if filter_name:
            return self._filtered(filter_name, text)
        return text

    def _look_up(self, path, values):
        node = values
        for part in path.split("."):
            try:
                node = node[part]
            except (KeyError, TypeError):
                raise TemplateError(f"no value for {path}") from None
        return node

    def _filtered(self, name, text):
        if name == "upper":
            return text.upper()
        if name == "title":
            return text.title()
        if name == "trim":
            return text.strip()
        raise TemplateError(f"no filter {name}")
