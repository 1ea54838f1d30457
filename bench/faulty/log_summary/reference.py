"""Summaries of application logs."""

import re
from collections import Counter

LINE = re.compile(r"(?P<time>\d\d:\d\d:\d\d) (?P<level>[A-Z]+) (?P<source>[\w.]+): (?P<message>.*)")
LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]


def parse(text):
    """Yield records; a line without a time goes on with the message before it."""
    record = None
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match:
            if record:
                yield record
            record = match.groupdict()
        elif record:
            record["message"] += "\n" + line
    if record:
        yield record


def select(records, level="INFO"):
    rank = LEVELS.index(level)
    return [record for record in records if LEVELS.index(record["level"]) >= rank]


def summarize(text, level="INFO"):
    counts = Counter()
    sources = Counter()
    for record in select(parse(text), level):
        counts[record["level"]] += 1
        sources[record["source"]] += 1
    noisiest = min(sources, key=lambda name: (-sources[name], name), default=None)
    return {"counts": dict(counts), "noisiest": noisiest, "total": sum(counts.values())}
