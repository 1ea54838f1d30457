def factorise(n):
    """Return the prime factors of n as a dict from prime to exponent."""
    if n < 1:
        raise ValueError(f"cannot factorise {n}")
    exponents = {}
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            exponents[divisor] = exponents.get(divisor, 0) + 1
        divisor += 1
    if n > 1:
        exponents[n] = exponents.get(n, 0) + 1
    return exponents


def is_prime(n):
    return n > 1 and factorise(n) == {n: 1}


def count_divisors(n):
    product = 1
    for exponent in factorise(n).values():
        product *= exponent + 1
    return product


def totient(n):
    """Count the numbers up to n that share no factor with it."""
    result = n
    for prime in factorise(n):
        result -= result // prime
    return result
