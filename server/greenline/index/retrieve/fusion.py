"""How much each signal counts, by the kind of the query, and how they make one score.

The weights were fitted on commit subjects and questions over four public repositories and checked on others;
`python -m bench retrieval` measures them.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from greenline.index.retrieve.file_table import FileTable, Floats
from greenline.index.retrieve.path_kind import PathKind
from greenline.index.retrieve.query import Query, QueryKind


@attrs.frozen
class Weights:
    """What a signal at its fullest adds to a file's score."""

    words: float = 1.0
    words_power: float = 0.8
    """Below 1, a weaker match in words counts more than in proportion."""
    more_words: float = 0.25
    """For further chunks of the same file."""
    path: float = 1.2
    folder: float = 0.75
    """A word in the folder's name, in parts of one in the file's own name."""
    above: float = 0.4
    covered: float = 0.1
    """How much of the file's name is asked for."""
    named: float = 0.5
    """For a file whose whole name the query says in one word: `no-shadow` for `rules/no-shadow.ts`."""
    symbol: float = 0.1
    size: float = 0.1
    importers: float = 0.25
    vectors: float = 0.4
    history: float = 0.7
    neighbours: float = 0.03


_CHANGE = Weights()
_WORDS = Weights(
    words_power=0.55,
    more_words=0.3,
    path=2.8,
    folder=1.0,
    above=0.3,
    covered=0.55,
    symbol=0.8,
    size=0.2,
    importers=0.6,
    vectors=0.8,
    history=0.3,
)
_SYMBOL = Weights(
    words_power=0.9,
    path=0.05,
    folder=0.3,
    covered=0.02,
    symbol=0.8,
    size=0.25,
    importers=0.3,
    vectors=0.1,
    history=0.05,
)
WEIGHTS: Mapping[QueryKind, Weights] = {
    QueryKind.CHANGE: _CHANGE,
    QueryKind.WORDS: _WORDS,
    QueryKind.SYMBOL: _SYMBOL,
    QueryKind.PLACE: _CHANGE,
}

FACTORS: Mapping[PathKind, float] = {
    PathKind.TEST: 0.2,
    PathKind.DOCUMENT: 0.2,
    PathKind.SETTING: 0.25,
    PathKind.VENDORED: 0.5,
    PathKind.DECLARATION: 0.7,
}
"""What is left of the score of such a file where nobody asks for its kind."""


@attrs.define
class Signals:
    """One column for each signal, over the files of a table."""

    words: Floats
    more_words: Floats
    name: Floats
    folder: Floats
    above: Floats
    covered: Floats
    named: Floats
    symbol: Floats
    vectors: Floats
    history: Floats
    neighbours: Floats


_SHOWN = 0.02
"""A signal that adds a smaller share of the score is no reason for the hit."""


def fuse(signals: Signals, files: FileTable, query: Query, weights: Weights) -> Floats:
    """Return the score of every file; 0 for one that no signal speaks for."""
    path = signals.name + weights.folder * signals.folder + weights.above * signals.above
    speaks = (
        weights.words * signals.words**weights.words_power
        + weights.more_words * signals.more_words
        + weights.path * path
        + weights.covered * signals.covered * (signals.name > 0)
        + weights.named * signals.named
        + weights.symbol * signals.symbol
        + weights.vectors * signals.vectors
        + weights.history * signals.history
    )
    known = weights.size * files.size + weights.importers * files.importers
    return np.where((speaks > 0) & files.is_live, (speaks + known) * factors(files, query), 0.0)


def factors(files: FileTable, query: Query) -> Floats:
    """Return what is left of each file's score for what its path says about it."""
    left = np.ones(len(files))
    for kind, factor in FACTORS.items():
        if kind not in query.wants:
            left[files.kinds[kind]] *= factor
    return left


def reasons(signals: Signals, weights: Weights, number: int) -> tuple[str, ...]:
    """Name the signals that speak for a file, strongest first."""
    added = {
        "words": weights.words * signals.words[number] ** weights.words_power
        + weights.more_words * signals.more_words[number],
        "vectors": weights.vectors * signals.vectors[number],
        "symbol": weights.symbol * signals.symbol[number],
        "path": weights.path
        * (
            signals.name[number]
            + weights.folder * signals.folder[number]
            + weights.above * signals.above[number]
        )
        + weights.named * signals.named[number],
        "history": weights.history * signals.history[number],
        "neighbours": weights.neighbours * signals.neighbours[number],
    }
    total = sum(added.values())
    shown = [name for name, value in added.items() if value > _SHOWN * total and value > 0]
    return tuple(sorted(shown, key=lambda name: -added[name]))
