"""Justification of plain text in columns."""


def fill(words, width):
    """Group words into lines that fit."""
    lines, current = [], []
    for word in words:
        if current and len(" ".join([*current, word])) > width:
            lines.append(current)
            current = []
        current.append(word)
    if current:
        lines.append(current)
    return lines


def stretch(words, width):
    """Widen the gaps so that the line is full; the gaps on the left are the wider ones."""
    if len(words) == 1:
        return words[0]
    n_gaps = len(words) - 1
    spaces = width - sum(len(word) for word in words)
    if spaces < n_gaps:
        return " ".join(words)
    base, wider = divmod(spaces, n_gaps)
    out = words[0]
    for index, word in enumerate(words[1:]):
        out += " " * (base + (1 if index < wider else 0)) + word
    return out


def justify(text, width):
    """Return the lines; the last line of each paragraph is not stretched."""
    result = []
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            result.append("")
        lines = fill(paragraph.split(), width)
        result.extend(stretch(line, width) for line in lines[:-1])
        result.extend(" ".join(line) for line in lines[-1:])
    return result
