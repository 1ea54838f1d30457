"""Words of queries and paths, brought to a common form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from greenline.index.term import parts, split_terms

_ENDINGS = re.findall(r"\w+", "ations ation ings ing ers er ors or ies ied ed es s ize ise al ive y e")
_MIN_LEFT = 3
_COMPOUND = re.compile(r"[A-Za-z_$][\w$]*(?:-[\w$]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that lists them."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    """
    a an the and or of to in for is are be on with how what when where which who whose why that this
    these those it its as by from at not no do does did should would could can may might must will
    shall into than then there here so but if i we you they he she them our your their was were been
    has have had such via per each any all both some only also just about after before between
    during out over under up down off own same very too more most other another use uses used using
    work works worked working get gets add adds added adding fix fixes fixed fixing make makes made
    making allow allows allowed support supports supported supporting remove removes removed
    removing update updates updated updating change changes changed changing ensure ensures avoid
    avoids prevent prevents improve improves handle handles implement implements implemented
    refactor introduce rename move drop don doesn t s re instead without whether correctly properly
    correct proper missing wrong new
    """
)
"""What a query can do without: it says what to do, not to what."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Cut a folded word's ending, roughly, so that its forms meet."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_LEFT:
            return word[: -len(ending)]
    return word


def folded_parts(text: str) -> list[str]:
    """Return the parts of all words, folded, in order: `HTTPServer_v2` → `http`, `server`, `v`, `2`."""
    return [part.casefold() for part in parts(text)]


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct words of a query as the full-text index knows them, folded, without stop words.

    Where a query has nothing but stop words, they stay.
    """
    words = dict.fromkeys(word.casefold() for word in split_terms(text).split())
    kept = tuple(word for word in words if word not in STOP_WORDS and len(word) > 1)
    return kept or tuple(words)


def identifiers(text: str) -> list[str]:
    """Return the words that are names in code by their look: humps, underscores, or a dotted last part."""
    return [word for word in _IDENTIFIER.findall(text) if is_compound(word)]


def is_compound(word: str) -> bool:
    """Return whether a word can hardly be prose: `snake_case`, `camelCase`, `PascalCase`, `$scope`."""
    inner = word.strip("_$")
    humps = any(a.islower() and b.isupper() for a, b in pairwise(inner))
    return humps or "_" in inner or word[:1] in "_$"


def compounds(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of several parts, folded, cut at hyphens: `No-shadow` → (`no`, `shadow`)."""
    found = (match[0] for match in _COMPOUND.finditer(text))
    return tuple({tuple(w.casefold().split("-")): None for w in found if len(parts(w)) > 1})


def distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words once each, in order."""
    return tuple(dict.fromkeys(words))
