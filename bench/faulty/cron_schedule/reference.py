"""Decides whether a cron line of five fields fires at a given minute."""

RANGES = [("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 6)]


class CronError(ValueError):
    pass


def number(text, name, low, high):
    if not text.isdigit() or not low <= int(text) <= high:
        raise CronError(f"bad {name}: {text!r}")
    return int(text)


def parse_part(part, name, low, high):
    span, slash, step_text = part.partition("/")
    step = 1
    if slash:
        if not step_text.isdigit() or int(step_text) == 0:
            raise CronError(f"bad {name} step: {step_text!r}")
        step = int(step_text)
    if span == "*":
        first, last = low, high
    elif "-" in span:
        first_text, _, last_text = span.partition("-")
        first = number(first_text, name, low, high)
        last = number(last_text, name, low, high)
        if last < first:
            raise CronError(f"bad {name} range: {span!r}")
    else:
        first = number(span, name, low, high)
        last = high if slash else first
    return set(range(first, last + 1, step))


def parse_field(text, name, low, high):
    values = set()
    for part in text.split(","):
        values |= parse_part(part, name, low, high)
    return values


class Cron:
    def __init__(self, line):
        fields = line.split()
        if len(fields) != len(RANGES):
            raise CronError("expected five fields")
        self.values = [parse_field(text, *limits) for text, limits in zip(fields, RANGES)]

    def fires(self, minute, hour, day, month, weekday):
        moment = (minute, hour, day, month, weekday)
        return all(value in allowed for value, allowed in zip(moment, self.values))
