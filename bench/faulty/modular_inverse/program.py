"""Small number theory kit: extended gcd, inverses, linear congruences."""


def extended_gcd(a: int, b: int) -> tuple[int, int, int]:
    """Return (g, x, y) with a*x + b*y == g == gcd(a, b)."""
    old_r, r = a, b
    old_x, x = 1, 0
    old_y, y = 0, 1
    while r != 0:
        quotient = old_r // r
        old_r, r = r, old_r - quotient * r
        old_x, x = x, old_x + quotient * x
        old_y, y = y, old_y - quotient * y
    return old_r, old_x, old_y


def inverse(a: int, modulus: int) -> int:
    """Return the inverse of a; raises ValueError when there is none."""
    g, x, _ = extended_gcd(a % modulus, modulus)
    if g != 1:
        raise ValueError(f"{a} has no inverse modulo {modulus}")
    return x % modulus


def solve(a: int, b: int, modulus: int) -> list[int]:
    """Return all x in [0, modulus) with a*x = b (mod modulus)."""
    g, x, _ = extended_gcd(a % modulus, modulus)
    if b % g:
        return []
    step = modulus // g
    first = x * (b // g) % step
    return [first + k * step for k in range(g)]
