from math import gcd


class Rational:
    """An exact fraction in lowest terms, with a positive denominator."""

    def __init__(self, numerator, denominator=1):
        if denominator == 0:
            raise ZeroDivisionError("denominator is zero")
        if denominator < 0:
            denominator = -denominator
        divisor = gcd(numerator, denominator)
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    def __add__(self, other):
        return Rational(
            self.numerator * other.denominator + other.numerator * other.denominator,
            self.denominator * other.denominator,
        )

    def __neg__(self):
        return Rational(-self.numerator, self.denominator)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        return Rational(self.numerator * other.numerator, self.denominator * other.denominator)

    def __truediv__(self, other):
        return Rational(self.numerator * other.numerator, self.denominator * other.denominator)

    def __eq__(self, other):
        return (self.numerator, self.denominator) == (other.numerator, other.denominator)

    def __hash__(self):
        return hash((self.numerator, self.denominator))

    def __lt__(self, other):
        return self.numerator * other.denominator < other.numerator * self.denominator

    def __repr__(self):
        if self.numerator == 1:
            return str(self.numerator)
        return f"{self.numerator}/{self.denominator}"
