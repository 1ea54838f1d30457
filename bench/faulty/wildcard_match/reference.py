def matches(pattern: str, text: str) -> bool:
    """Tell whether a shell-like pattern matches the whole text.

    `?` stands for one character and `*` for any number, also none.
    """
    place = index = 0
    star = retry = -1
    while place < len(text):
        if index < len(pattern) and pattern[index] == "*":
            star, retry = index, place
            index += 1
        elif index < len(pattern) and pattern[index] in ("?", text[place]):
            index += 1
            place += 1
        elif star >= 0:
            retry += 1
            place, index = retry, star + 1
        else:
            return False
    return all(symbol == "*" for symbol in pattern[index:])


def select(pattern: str, names: list[str]) -> list[str]:
    return [name for name in names if matches(pattern, name)]
