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
    value = int(tokens[0])
    for sign, number in zip(tokens[1::2], tokens[2::2]):
        value = OPERATORS[sign](value, int(number))
    return value
