class IniError(Exception):
    def __init__(self, number, message):
        super().__init__(f"line {number}: {message}")
        self.number = number


def _without_comment(line):
    for mark in (" ;", " #"):
        head, found, _ = line.partition(mark)
        if found:
            line = head
    return line


def read_ini(text):
    """Return ``{section: {key: value}}`` of the text; keys are in lower case."""
    sections = {}
    current = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _without_comment(raw).strip()
        if not line or line[0] in ";#":
            continue
        if line.startswith("["):
            if not line.endswith("]"):
                raise IniError(number, "section header is not closed")
            current = line[1:-1].strip()
            sections.setdefault(current, {})
            continue
        if current is None:
            raise IniError(number, "option outside of a section")
        key, found, value = line.partition("=")
        if not found:
            raise IniError(number, "expected key = value")
        sections[current][key.strip().lower()] = value.strip()
    return sections
