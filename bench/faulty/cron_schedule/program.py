"""Decides whether a cron line of five fields fires at a given minute."""

RANGES = [("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 6)]


class CronError(ValueError):
    pass


def number(text, name, low, high):
    if not text.isdigit() or not low <= int(text) <= high:
        raise CronError(f"bad {name}: {text!r}")
    return int(text)


def parse_field(text, name, low, high):
    if text == "*":
        return set(range(low, high + 1))
    return {number(text, name, low, high)}


class Cron:
    def __init__(self, line):
        fields = line.split()
        if len(fields) != len(RANGES):
            raise CronError("expected five fields")
        self.values = [parse_field(text, *limits) for text, limits in zip(fields, RANGES)]

    def fires(self, minute, hour, day, month, weekday):
        moment = (minute, hour, day, month, weekday)
        return all(value in allowed for value, allowed in zip(moment, self.values))
