"""Python text as a syntax tree, whatever the text is. Pure."""

from __future__ import annotations

import ast
import warnings


def parse_python(source: str | bytes) -> ast.Module:
    """Return the syntax tree of Python text; raises `SyntaxError` for all that the parser does not take.

    That is text with a null in it too, and text that is nested deeper than the parser goes. A tree that it
    does take may still be too deep for a visitor that calls itself, which then raises `RecursionError`.
    """
    try:
        with warnings.catch_warnings():
            # What the project's code is warned of is not said to Greenline's users.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    except (RecursionError, MemoryError) as error:
        raise SyntaxError("it is nested too deep") from error
