"""Splits arithmetic and comparison expressions into tokens."""

OPERATORS = ["**", "<=", ">=", "==", "!=", "//", "+", "-", "*", "/", "<", ">", "(", ")", "="]


class LexError(ValueError):
    def __init__(self, position, char):
        super().__init__(f"unexpected {char!r} at {position}")
        self.position = position


def run_end(text, start, accept):
    end = start
    while end < len(text) and accept(text[end]):
        end += 1
    return end


def tokenize(text):
    tokens = []
    pos = 0
    while pos < len(text):
        char = text[pos]
        if char.isspace():
            pos += 1
            continue
        if char.isdigit():
            end = run_end(text, pos, lambda c: c.isdigit() or c == ".")
            tokens.append(("number", text[pos:end]))
            pos = end
        elif char.isalpha() or char == "_":
            end = run_end(text, pos, lambda c: c.isalnum() or c == "_")
            tokens.append(("name", text[pos:end]))
            pos = end
        else:
            found = None
            for operator in OPERATORS:
                if text.startswith(operator, pos):
                    found = operator
                    break
            if found is None:
                raise LexError(pos, char)
            tokens.append(("op", found))
            pos += len(found)
    return tokens
