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
    return " ".join(words).ljust(width)


def justify(text, width):
    """Return the lines; the last line of each paragraph is not stretched."""
    result = []
    lines = fill(text.split(), width)
    for line in lines:
        result.append(stretch(line, width))
    return result
