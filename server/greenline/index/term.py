"""Text → the words that the full-text index sees; the index and every query go through the same splitting.

An identifier is split on case, underscores and digits, and is also kept whole: `getUserName2` becomes
`getUserName2 get User Name 2`. The tokenizer folds case and stems afterwards.
"""

from __future__ import annotations

import re

TOKENIZER = "porter unicode61 remove_diacritics 2 tokenchars '_'"
"""FTS5's tokenizer for `search`; words keep their underscores, so that whole identifiers are words."""
NAME_TOKENIZER = "unicode61 remove_diacritics 0 tokenchars '_$'"
"""FTS5's tokenizer for `graph`: names as they are, but for case."""

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+|\d+")
_MAX_KNOWN = 100_000
_MAX_WORD = 64


class _Expansions(dict[str, str]):
    """Word → itself and its parts; made when first asked for."""

    def __missing__(self, word: str) -> str:
        expanded = _expand(word)
        if len(self) >= _MAX_KNOWN:
            self.clear()
        self[word] = expanded
        return expanded


_known = _Expansions()


def split_terms(text: str) -> str:
    """Return the text's words, each compound one followed by its parts, separated by spaces."""
    return " ".join([_known[word] for word in _WORD.findall(text)])


def parts(identifier: str) -> list[str]:
    """Return the parts of one identifier as written: `HTTPServer_v2` → `HTTP`, `Server`, `v`, `2`."""
    return _PART.findall(identifier)


def _expand(word: str) -> str:
    if len(word) > _MAX_WORD:
        # Encoded data, and never what somebody looks for.
        return ""
    found = _PART.findall(word)
    if len(found) > 1 or (found and found[0] != word):
        return " ".join([word, *(part for part in found if len(part) > 1)])
    return word
