"""Wraps paragraphs of plain text."""


def split_long(word, width):
    """Cut a word that is wider than a line."""
    return [word[i : i + width] for i in range(0, len(word), width)]


def wrap(text, width, indent=""):
    if width <= len(indent):
        raise ValueError("width must be larger than the indent")
    room = width - len(indent)
    words = []
    for word in text.split():
        words.extend(split_long(word, room))

    lines = []
    current = []
    used = 0
    for word in words:
        needed = len(word) if not current else used + 1 + len(word)
        if needed > room:
            current = []
            lines.append(indent + " ".join(current))
            needed = len(word)
        current.append(word)
        used = needed
    if current:
        lines.append(indent + " ".join(current))
    return lines


def wrap_paragraphs(text, width):
    paragraphs = text.split("\n\n")
    return "\n\n".join("\n".join(wrap(paragraph, width)) for paragraph in paragraphs)
