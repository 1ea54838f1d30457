"""Gives new lines the file's own indentation, tabs or blanks, where another one would break it. Pure.

An edit that indents the whole file anew is left alone: what counts is the style of the lines that stay.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from greenline.core.error import EditRejected
from greenline.edit.fact import python_tree
from greenline.edit.hunk import changed_spans
from greenline.edit.indent import indentation, unit
from greenline.edit.text import split_lines

_MAKE = re.compile(r"(?:GNUm|M|m)akefile(?:\..+)?|.*\.mk")
_PYTHON = (".py", ".pyi")
_CODE = re.compile(
    r"\.(?:[cm]?[jt]sx?|go|rs|java|kts?|c|h|cc|cpp|hpp|cs|php|swift|scala|dart|lua|s?css|zig|ya?ml)$"
)
_TARGET = re.compile(r"[^\s#=:][^=#]*:(?!=)(?!.*[^:?+]=)")
_NO_RECIPE = re.compile(
    r"(?:ifn?eq|ifn?def|else|endif|-?include|define|endef|export|override)\b|#|[\w.-]+\s*[:+?]?="
)
_OTHER = {2: 4, 4: 2, 8: 4}
"""Step of a file → the one that a careless edit may have."""
_STEPS = (4, 2, 8, 3, 1)


def restyled(path: str, before: str, after: str) -> str:
    """Return a file's new text with new lines indented as the others are.

    Raises `EditRejected` (`malformed`) where Python that could be read no longer can be, only because of
    another indentation.
    """
    name = PurePosixPath(path).name
    is_python, is_make = name.endswith(_PYTHON), bool(_MAKE.fullmatch(name))
    if not is_python and not is_make and not _CODE.search(name):
        return after
    lines = split_lines(after)
    new = {
        row
        for span in changed_spans(split_lines(before), lines)
        for row in range(span.to_start, span.to_end)
        if lines[row][:1] in " \t" and lines[row].strip()
    }
    if not new:
        return after
    if is_make:
        return _with_recipes(lines, new)
    foreign = _foreign(lines, new)
    if is_python:
        return _python(before, lines, new, foreign)
    return after if not foreign else _put(lines, foreign, _to_own(lines, foreign, _steps(lines, foreign)[0]))


def _foreign(lines: Sequence[str], new: set[int]) -> list[int]:
    """Return the new lines that are indented with what no other line of the file is indented with."""
    own = {_mark(line) for row, line in enumerate(lines) if row not in new} - {""}
    if len(own) != 1:
        return []
    return [row for row in sorted(new) if _mark(lines[row]) not in ("", *own)]


def _mark(line: str) -> str:
    """Return with what a line is indented; a lone blank, as in C's comments, says nothing."""
    text = line.lstrip(" \t")
    if not text.strip() or text.startswith("*"):
        return ""
    return "\t" if line.startswith("\t") else " " * line.startswith("  ")


def _steps(lines: Sequence[str], rows: Sequence[int]) -> list[int]:
    """Return how many blanks one step of these lines may be, likeliest first."""
    shown = [lines[row] for row in rows]
    widths = [len(indentation(line)) for line in shown if "\t" not in indentation(line)]
    known = len(unit(shown))
    # What is deeper may be aligned with a bracket, but the first step is one.
    least = min(widths, default=1)
    fitting = [step for step in _STEPS if least % step == 0]
    return list(dict.fromkeys([known, *fitting] if known else fitting))


def _to_own(lines: Sequence[str], rows: Sequence[int], step: int) -> Callable[[str], str]:
    """Return what gives a foreign indentation as the file's own; `step` is a step of the edit's blanks."""
    foreign = set(rows)
    own = unit([line for row, line in enumerate(lines) if row not in foreign])
    if any(lines[row].startswith("\t") for row in rows):
        blanks = own if own and "\t" not in own else " " * 4
        return lambda indent: indent.replace("\t", blanks)
    return lambda indent: "\t" * (len(indent) // step) + " " * (len(indent) % step)


def _put(lines: Sequence[str], rows: Iterable[int], own: Callable[[str], str]) -> str:
    changed: Mapping[int, str] = {
        row: own(indentation(lines[row])) + lines[row].lstrip(" \t") for row in rows
    }
    return "".join(changed.get(row, line) for row, line in enumerate(lines))


# --- Makefiles ------------------------------------------------------------------------------------------


def _with_recipes(lines: Sequence[str], new: set[int]) -> str:
    """Return a makefile whose new recipe lines begin with a tab."""
    if any(line.startswith(".RECIPEPREFIX") for line in lines):
        return "".join(lines)
    result: list[str] = []
    above, base = "", 0
    for row, line in enumerate(lines):
        is_recipe = above.startswith("\t") or _TARGET.match(above) is not None
        goes_on = bool(result) and result[-1].rstrip("\r\n").endswith("\\")
        if row in new and line.startswith(" ") and is_recipe and not goes_on:
            text = line.lstrip(" ")
            if not _NO_RECIPE.match(text):
                width = len(line) - len(text)
                base = width if not above.startswith("\t") or not base else min(base, width)
                line = "\t" + " " * (width - base) + text
        result.append(line)
        if line.strip() and not goes_on and not _NO_RECIPE.match(line.lstrip(" ")):
            above = line
    return "".join(result)


# --- Python ---------------------------------------------------------------------------------------------


def _python(before: str, lines: Sequence[str], new: set[int], foreign: Sequence[int]) -> str:
    after = "".join(lines)
    if foreign:
        tries = [_put(lines, foreign, _to_own(lines, foreign, step)) for step in _steps(lines, foreign)]
    else:
        tries = _rescaled(lines, new)
    # A long file is parsed only where its indentation leaves something open.
    is_broken = bool(tries) and _is_badly_indented(after)
    if not tries or not (foreign or is_broken) or python_tree(before) is None:
        return after
    for text in tries:
        tree = python_tree(text)
        if tree is not None and (is_broken or _reads_as(text, after)):
            return text
    if is_broken and foreign:
        raise EditRejected(
            "The new lines are indented in another way than the file, which would be no Python any more.",
            remedy="Indent them as the lines around them are.",
            code="malformed",
        )
    return after


def _rescaled(lines: Sequence[str], rows: set[int]) -> list[str]:
    """Return the text with new lines in the file's step of blanks; nothing where that is theirs already."""
    own = unit([line for row, line in enumerate(lines) if row not in rows])
    indents = [indentation(lines[row]) for row in rows]
    if not own or "\t" in own or any("\t" in indent for indent in indents):
        return []
    step = _OTHER.get(len(own), 0)
    fits = all(len(indent) % step == 0 for indent in indents) if step else False
    # In the file's own step, lines that break it are what the edit asks for.
    if not fits or (step < len(own) and all(len(indent) % len(own) == 0 for indent in indents)):
        return []
    return [_put(lines, rows, lambda indent: own * (len(indent) // step))]


def _is_badly_indented(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<edit>", "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
    except IndentationError:
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return False


def _reads_as(text: str, other: str) -> bool:
    """Return whether two texts are the same Python, whichever way they are indented."""
    one, two = python_tree(text), python_tree(other)
    return one is not None and two is not None and ast.dump(one) == ast.dump(two)
