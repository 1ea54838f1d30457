"""Untrusted text for a terminal: all of it is seen, and none of it is obeyed."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def visible(text: str) -> str:
    r"""Return text of files, tests and models with what a terminal would act on written out, `\x1b`.

    Control characters can hide or rewrite what stands on a terminal, and marks of direction reorder it.
    Halves of characters stand for the bytes of a name that is no UTF-8, which cannot be written as text.
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
