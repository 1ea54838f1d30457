VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

PAIRS = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]


def to_roman(number):
    if not 0 < number < 4000:
        raise ValueError("only 1 to 3999 can be written")
    parts = []
    for value, letters in PAIRS:
        times, number = divmod(number, value)
        parts.append(letters * times)
    return "".join(parts)


def from_roman(text):
    """Read a numeral in its standard form only."""
    total = 0
    letters = text.upper()
    for index, letter in enumerate(letters):
        if letter not in VALUES:
            raise ValueError(f"bad letter {letter!r}")
        value = VALUES[letter]
        following = letters[index + 1 : index + 2]
        if following and VALUES.get(following, 0) > value:
            total -= value
        else:
            total += value
    if to_roman(total) != letters:
        raise ValueError(f"not in standard form: {text}")
    return total
