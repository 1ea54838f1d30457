"""Check digits by Luhn's rule."""


def checksum(number: str) -> int:
    """Return the Luhn sum modulo ten of a text of digits."""
    total = 0
    for position, digit in enumerate(reversed(number)):
        value = int(digit)
        if position % 2 == 1:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10


def is_valid(number: str) -> bool:
    digits = number.replace(" ", "").replace("-", "")
    if len(digits) < 2 or not digits.isdigit():
        return False
    return checksum(digits) == 0


def with_check_digit(partial: str) -> str:
    """Append the digit that makes the number valid."""
    digit = -checksum(partial + "0") % 10
    return partial + str(digit)


def mask(number: str, visible: int = 4) -> str:
    hidden = max(len(number) - visible, 0)
    return "*" * hidden + number[hidden:]
