def matches(pattern: str, text: str) -> bool:
    """Tell whether a shell-like pattern matches the whole text.

    `?` stands for one character and `*` for any number, also none.
    """
    place = 0
    skipping = False
    for symbol in pattern:
        if symbol == "*":
            skipping = True
            continue
        if skipping:
            while place < len(text) and symbol not in ("?", text[place]):
                place += 1
            skipping = False
        if place == len(text) or symbol not in ("?", text[place]):
            return False
        place += 1
    return skipping or place == len(text)


def select(pattern: str, names: list[str]) -> list[str]:
    return [name for name in names if matches(pattern, name)]
