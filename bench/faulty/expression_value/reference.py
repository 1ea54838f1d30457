import operator
import re

TOKEN = re.compile(r"\s*(\d+|[-+*/()])")

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


def tokenise(text):
    tokens, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise SyntaxError(f"unexpected {text[place]!r} at {place}")
        tokens.append(match[1])
        place = match.end()
    return tokens


def evaluate(text):
    """Return the value of an integer expression; division rounds down."""
    tokens = tokenise(text)
    if not tokens:
        raise SyntaxError("empty expression")
    tokens.reverse()
    value = _sum(tokens)
    if tokens:
        raise SyntaxError(f"unexpected {tokens[-1]!r}")
    return value


def _sum(tokens):
    value = _product(tokens)
    while tokens and tokens[-1] in "+-":
        sign = tokens.pop()
        value = OPERATORS[sign](value, _product(tokens))
    return value


def _product(tokens):
    value = _atom(tokens)
    while tokens and tokens[-1] in "*/":
        sign = tokens.pop()
        value = OPERATORS[sign](value, _atom(tokens))
    return value


def _atom(tokens):
    if not tokens:
        raise SyntaxError("unexpected end")
    token = tokens.pop()
    if token == "-":
        return -_atom(tokens)
    if token == "(":
        value = _sum(tokens)
        if not tokens or tokens.pop() != ")":
            raise SyntaxError("missing )")
        return value
    if not token.isdigit():
        raise SyntaxError(f"unexpected {token!r}")
    return int(token)
