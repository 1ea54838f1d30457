"""Templates with ``{name}``, ``{#list}...{/list}`` and ``{?name}...{/name}``."""

import re

TAG = re.compile(r"\{([#?/]?)(\w+)\}")


class TemplateSyntaxError(ValueError):
    pass


def parse(source):
    """Return the tree: text and names as ``(kind, value)``, blocks as ``(kind, name, children)``."""
    root = []
    stack = [(None, root)]
    pos = 0
    for match in TAG.finditer(source):
        kind, name = match.groups()
        children = stack[-1][1]
        if match.start() > pos:
            children.append(("text", source[pos : match.start()]))
        pos = match.end()
        if kind == "/":
            if stack[-1][0] != name:
                raise TemplateSyntaxError(f"{{/{name}}} closes nothing")
            stack.pop()
        elif kind:
            block = []
            children.append((kind, name, block))
            stack.append((name, block))
        else:
            children.append(("name", name))
    if len(stack) > 1:
        raise TemplateSyntaxError(f"{stack[-1][0]} is not closed")
    root.append(("text", source[pos:]))
    return root


def _render(nodes, scope):
    out = []
    for node in nodes:
        kind, name = node[0], node[1]
        if kind == "text":
            out.append(name)
        elif kind == "name":
            out.append(str(scope.get(name, "")))
        elif kind == "#":
            for item in scope.get(name, []):
                inner = item if isinstance(item, dict) else {"it": item}
                out.append(_render(node[2], {**scope, **inner}))
        elif scope.get(name):
            out.append(_render(node[2], scope))
    return "".join(out)


def render(source, **values):
    return _render(parse(source), values)
