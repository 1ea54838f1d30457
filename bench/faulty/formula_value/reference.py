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
        result = self._sum(rest, names)
        if rest:
            raise FormulaError(f"unexpected {rest[-1]}")
        return result

    def _sum(self, rest, names):
        result = self._product(rest, names)
        while rest and rest[-1] in "+-":
            operator = rest.pop()
            result = APPLY[operator](result, self._product(rest, names))
        return result

    def _product(self, rest, names):
        result = self._operand(rest, names)
        while rest and rest[-1] in "*/":
            operator = rest.pop()
            result = APPLY[operator](result, self._operand(rest, names))
        return result

    def _operand(self, rest, names):
        if not rest:
            raise FormulaError("the formula ends too early")
        token = rest.pop()
        if token == "-":
            return -self._operand(rest, names)
        if token == "(":
            result = self._sum(rest, names)
            if not rest or rest.pop() != ")":
                raise FormulaError("a bracket is not closed")
            return result
        if token[0].isdigit():
            return float(token)
        if token in names:
            return names[token]
        raise FormulaError(f"unexpected {token}")
