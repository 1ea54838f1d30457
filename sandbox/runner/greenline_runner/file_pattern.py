"""Files of a project by pattern, as shells and runners write them: `**`, `*`, `?`, `{a,b}`."""

import os
import re

_SKIPPED = ("node_modules", ".git")


def walk(root, base="."):
    """Yield the files below a folder, relative to the root with `/`; installed packages are left out."""
    start = os.path.join(root, base)
    for folder, folders, files in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def matching(root, pattern):
    """Return the files that a pattern means."""
    expression = compiled(pattern)
    return [path for path in walk(root) if expression.match(path)]


def compiled(pattern):
    """Return the regular expression of a pattern, which may begin with `./`."""
    text = os.path.normpath(pattern.strip("'\"")).replace(os.sep, "/")
    found, index = "", 0
    while index < len(text):
        letter = text[index]
        if text.startswith("**/", index):
            found, index = found + "(?:.*/)?", index + 3
            continue
        if text.startswith("**", index):
            found, index = found + ".*", index + 2
            continue
        end = text.find("}", index)
        if letter == "{" and end > 0:
            choices = text[index + 1 : end].split(",")
            found += "(?:" + "|".join(compiled_piece(choice) for choice in choices) + ")"
            index = end + 1
            continue
        found += compiled_piece(letter)
        index += 1
    return re.compile(found + r"\Z")


def compiled_piece(text):
    """Return the expression of a part without folders."""
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(letter, re.escape(letter)) for letter in text)
