"""Validation of sign-up forms."""

import re

EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")


def required(message="is required"):
    def rule(value):
        return None if value not in (None, "") else message

    return rule


def email(value):
    if EMAIL.fullmatch(value):
        return "is not an e-mail address"
    return None


def length(least=8, most=64):
    def rule(value):
        if not least <= len(value) <= most:
            return f"must have {least} to {most} characters"
        return None

    return rule


def at_least(limit=16):
    def rule(value):
        try:
            number = int(value)
        except ValueError:
            return "is not a number"
        return None if number >= limit else f"must be at least {limit}"

    return rule


SIGN_UP = {
    "email": [required(), email],
    "password": [required("must be chosen"), length()],
    "age": [required(), at_least()],
}


def validate(form, rules=SIGN_UP):
    """Return the first problem of each field that has one."""
    problems = {}
    for field, checks in rules.items():
        for rule in checks:
            message = rule(form.get(field))
            if message:
                problems[field] = message
                break
    return problems
