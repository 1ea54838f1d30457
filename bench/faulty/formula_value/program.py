"""Works out formulas like ``2 + price * (1 - discount)``."""

import re

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([a-z_]\w*)|([-+*/()]))")
APPLY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


class FormulaError(ValueError):
    pass


def tokens_of(text):
    text = text.rstrip()
    pos, tokens = 0, []
    while pos < len(text):
        match = TOKEN.match(text, pos)
        if not match:
            raise FormulaError(f"cannot read {text[pos:]!r}")
        tokens.append(match[0].strip())
        pos = match.end()
    return tokens


class Formula:
    def __init__(self, text):
        self.tokens = tokens_of(text)

    def value(self, **names):
        rest = self.tokens[::-1]
        result = self._operand(rest, names)
        while rest:
            operator = rest.pop()
            if operator not in APPLY:
                raise FormulaError(f"unexpected {operator}")
            result = APPLY[operator](result, self._operand(rest, names))
        return result

    def _operand(self, rest, names):
        if not rest:
            raise FormulaError("the formula ends too early")
        token = rest.pop()
        if token[0].isdigit():
            return float(token)
        if token in names:
            return names[token]
        raise FormulaError(f"unexpected {token}")
