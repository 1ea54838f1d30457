"""Syntax trees of the files that were read last, so that the next version is parsed from where it differs."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from greenline.index.analysis import parse

if TYPE_CHECKING:
    from tree_sitter import Tree

_MAX_TREES = 16
_MIN_BYTES = 16 * 1024
"""A shorter text is parsed in a few milliseconds anyway."""


class TreeCache:
    """A few trees with their texts, by path."""

    def __init__(self) -> None:
        self._trees: OrderedDict[str, tuple[str, bytes, Tree]] = OrderedDict()

    def parse(self, path: str, source: bytes, language: str, *, keep: bool) -> Tree | None:
        """Return the text's tree, made from the path's last one; `keep` it for the next version."""
        known = self._trees.pop(path, None)
        old = None
        if known is not None and known[0] == language:
            old = _edited(known[2], known[1], source)
        tree = parse(source, language, old)
        if keep and tree is not None and len(source) >= _MIN_BYTES:
            self._trees[path] = (language, source, tree)
            while len(self._trees) > _MAX_TREES:
                self._trees.popitem(last=False)
        return tree


def _edited(tree: Tree, before: bytes, after: bytes) -> Tree:
    """Tell a copy of the tree which single range differs between two texts."""
    start = _common(before, after)
    limit = min(len(before), len(after)) - start
    end = _common(before[::-1][:limit], after[::-1][:limit])
    old_end, new_end = len(before) - end, len(after) - end
    edited = tree.copy()
    edited.edit(
        start_byte=start,
        old_end_byte=old_end,
        new_end_byte=new_end,
        start_point=_point(before, start),
        old_end_point=_point(before, old_end),
        new_end_point=_point(after, new_end),
    )
    return edited


def _common(left: bytes, right: bytes) -> int:
    """Return how many first bytes two texts share."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(source: bytes, byte: int) -> tuple[int, int]:
    line_start = source.rfind(b"\n", 0, byte) + 1
    return source.count(b"\n", 0, byte), byte - line_start
