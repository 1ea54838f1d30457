"""Templates with ``{name}``, ``{#list}...{/list}`` and ``{?name}...{/name}``."""

import re

BLOCK = re.compile(r"\{([#?])(\w+)\}(.*?)\{/\w+\}", re.DOTALL)
NAME = re.compile(r"\{(\w+)\}")


class TemplateSyntaxError(ValueError):
    pass


def _names(source, scope):
    return NAME.sub(lambda match: str(scope.get(match[1], "")), source)


def _block(match, values):
    kind, name, body = match.groups()
    if kind == "?":
        return _names(body, values) if values.get(name) else ""
    out = []
    for item in values.get(name, []):
        inner = item if isinstance(item, dict) else {"it": item}
        out.append(_names(body, {**values, **inner}))
    return "".join(out)


def render(source, **values):
    source = BLOCK.sub(lambda match: _block(match, values), source)
    if re.search(r"\{[#?/]\w+\}", source):
        raise TemplateSyntaxError("a block is not closed")
    return _names(source, values)
