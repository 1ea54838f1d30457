"""Amounts as whole cents; floats never hold money here."""


def parse_cents(text):
    """Return "12.50" as 1250; a missing part counts as zero."""
    text = text.strip()
    sign = -1 if text.startswith("-") else 1
    whole, _, fraction = text.lstrip("+-").partition(".")
    if len(fraction) > 2:
        raise ValueError(f"more than two decimals: {text}")
    return sign * (int(whole or "0") * 100 + int(fraction.ljust(2, "0")))


def format_cents(cents):
    """Return 1250 as "12.50"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def percent_of(cents, percent):
    """Return a percentage of an amount, half a cent rounded up."""
    return (cents * percent + 50) // 100
